"""Messages, services and topics that the specification defines are there as it defines them: names
and types typed by hand, so that a change of ours to one of them is found.
"""

import re

import pytest

from tools.gen.__main__ import ROOT

INTERFACES = ROOT / "manifests" / "saint_msgs"
MESSAGES = {
    "NodeGPIOStatus": "string node_id, string hardware_rev, string firmware_version,"
    " GPIOPin[] pins, PeripheralInfo[] peripherals, float32 cpu_temp, float32 cpu_usage,"
    " float32 memory_usage, uint32 uptime_seconds",
    "GPIOPin": "uint8 pin_number, string pin_name, string direction, string current_state,"
    " bool in_use, string used_by",
    "PeripheralInfo": "string type, string address, string description, bool responsive",
    "LiveLinkFrame": "string subject_name, string subject_type, uint64 frame_number,"
    " float64 timestamp, string[] property_names, float32[] property_values,"
    " geometry_msgs/Transform transform",
    "RCChannelState": "uint8 channel_number, uint16 raw_value, float32 normalized, bool failsafe,"
    " uint64 last_update_ns",
    "RCReceiverState": "string protocol, bool connected, bool failsafe, uint8 channel_count,"
    " RCChannelState[] channels, float32 rssi, uint32 frame_rate_hz",
    "HeadState": "float32 pan, float32 tilt, float32 roll, bool camera_active",
    "HeadCommand": "float32 pan, float32 tilt, float32 roll, float32 speed",
    "ArmState": "float32[] joint_positions, float32[] joint_velocities, float32[] joint_efforts,"
    " bool in_motion, bool error_state, string error_message",
    "ArmCommand": "float32[] target_positions, float32 speed_factor, bool immediate",
    "GripperCommand": "float32 position, float32 force",
    "TrackState": "float32 left_velocity, float32 right_velocity, float32 left_current,"
    " float32 right_current, bool estop_active, bool motors_enabled",
}
SERVICES = {
    "AdoptNode": "string node_id, string role, string instance; bool success, string message,"
    " string assigned_topic_prefix",
    "ResetNode": "string node_id, bool factory_reset; bool success, string message",
}
NAMED_MESSAGES = [
    *MESSAGES, "NodeAnnouncement", "LiveLinkSubject", "RouteStatus", "GripperState",
    "ConsoleInput", "SystemStatus",
]  # fmt: skip
NAMED_SERVICES = [*SERVICES, "FirmwareCheck", "FirmwareDownload", "GPIOProbe", "SystemCommand"]
NAMES = [
    "/saint/firmware/check", "/saint/firmware/download", "/saint/nodes/adopt",
    "/saint/nodes/reset", "/saint/system/status", "/saint/system/shutdown",
    "/saint/node/{node_id}/adopt", "/saint/node/{node_id}/reset",
    "/saint/node/{node_id}/gpio_probe", "/saint/nodes/unadopted",
    "/saint/nodes/{node_id}/status", "/saint/head/state", "/saint/head/sensors",
    "/saint/head/cmd", "/saint/arms/{instance}/state", "/saint/arms/{instance}/gripper/state",
    "/saint/arms/{instance}/cmd", "/saint/arms/{instance}/gripper/cmd", "/saint/tracks/odom",
    "/saint/tracks/state", "/saint/tracks/motor_current", "/saint/tracks/cmd_vel",
    "/saint/tracks/estop", "/saint/console/input", "/saint/console/override",
    "/saint/console/display", "/saint/console/alerts",
]  # fmt: skip


def fields(text: str) -> str:
    """Return the fields of a definition in one line, its parts divided by a semicolon."""
    parts = []
    for part in text.split("---"):
        lines = (re.sub(r"\s+", " ", line.split("#")[0]).strip() for line in part.splitlines())
        parts.append(", ".join(line for line in lines if line))
    return "; ".join(parts)


@pytest.mark.parametrize("name", MESSAGES)
def test_message_has_the_fields_of_the_specification(name: str) -> None:
    text = (INTERFACES / "msg" / f"{name}.msg").read_text(encoding="utf-8")
    assert fields(text) == MESSAGES[name]


@pytest.mark.parametrize("name", SERVICES)
def test_service_has_the_fields_of_the_specification(name: str) -> None:
    text = (INTERFACES / "srv" / f"{name}.srv").read_text(encoding="utf-8")
    assert fields(text) == SERVICES[name]


def test_every_interface_of_the_specification_is_there() -> None:
    assert len(NAMED_MESSAGES) == 18
    assert len(NAMED_SERVICES) == 6
    files = {path.name for path in INTERFACES.glob("*/*")}
    assert {f"{name}.msg" for name in NAMED_MESSAGES} <= files
    assert {f"{name}.srv" for name in NAMED_SERVICES} <= files


@pytest.mark.parametrize("name", NAMES)
def test_topic_and_service_of_the_specification_are_there(name: str) -> None:
    text = (ROOT / "manifests" / "topics.yaml").read_text(encoding="utf-8")
    assert re.search(rf'name: "?{re.escape(name)}"?,', text)
