"""What the bridge sends to menlo-sdk is read by the published protocol buffers, unmodified, as the
values that the robot reports. Needs `make test-menlo`, which installs them for Python 3.12.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from saint_services.client.menlo.states import walk_state
from saint_services.lib.walker.codec import encode_state
from saint_services.lib.walker.model import Protocol

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "build/menlo/bin/python"
if not PYTHON.exists():
    pytest.skip("needs menlo-sdk: make test-menlo", allow_module_level=True)

LEGS: dict[str, Any] = {
    "mode": "move", "reported": "move", "report_age_ms": 12, "gravity": [0.125, 0.0, -0.875],
    "joints": {f"joint_{number}": number / 8 for number in range(12)},
    "velocities": [-number / 4 for number in range(12)],
    "currents": [number / 2 for number in range(12)],
    "temperatures": [40.5 + number for number in range(12)],
    "angular_velocity": [0.25, -0.5, 0.75], "orientation": [0.5, 0.5, -0.5, 0.5],
    "error_flags": 1 | 1 << 8, "battery_voltage": 46.5, "battery_percent": 80.0,
    "battery_current": 3.5, "hottest_cell": 31.0, "protection_flags": 4,
    "active_alerts": [
        {"id": 7, "severity": 0, "value": 90, "threshold": 45},
        {"id": 17, "severity": 1, "value": 70, "threshold": 65},
    ],
}  # fmt: skip


def decoded(**changes: Any) -> dict[str, Any]:
    state = walk_state(LEGS | changes, 4294967296 + 7, 123456, 99)
    assert state is not None
    done = subprocess.run(
        [PYTHON, ROOT / "tests/integration/menlo_decoder.py"],
        input=encode_state(Protocol.IO, state).hex(),
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["unknown"] == 0
    return found


def test_published_protocol_reads_every_value() -> None:
    found = decoded()["fields"]
    assert found["joint_pos"] == list(LEGS["joints"].values())
    assert found["joint_vel"] == LEGS["velocities"]
    assert found["joint_current"] == LEGS["currents"]
    assert found["joint_temp"] == LEGS["temperatures"]
    assert found["base_ang_vel"] == LEGS["angular_velocity"]
    assert found["projected_gravity"] == LEGS["gravity"]
    assert found["base_quat"] == LEGS["orientation"]
    assert (found["error_flags"], found["last_cmd_sequence"], found["sequence"]) == (257, 99, 7)
    assert (found["timestamp_us"], found["protocol_version"]) == ("123456", 1)
    assert found["battery"] == {
        "voltage_v": 46.5, "current_a": 3.5, "soc_percent": 80.0, "max_cell_temp_c": 31.0,
        "protection_flags": 4,
    }  # fmt: skip
    values = [(a["id"], a["value"], a["threshold"]) for a in found["active_alerts"]]
    assert values == [(7, 90, 45), (17, 70, 65)]


def test_sdk_sees_joints_alerts_and_faults() -> None:
    found = decoded()["sdk"]
    joint = found["joints"][3]
    assert [joint[each] for each in ("pos", "vel", "current", "temp")] == [0.375, -0.75, 1.5, 43.5]
    assert [(a["id"], a["severity"]) for a in found["alerts"]] == [(7, 0), (17, 1)]
    assert (found["error_flags"], found["battery"]["soc_percent"]) == (257, 80.0)
    assert (found["gyro"], found["quat"]) == ([0.25, -0.5, 0.75], [0.5, 0.5, -0.5, 0.5])


def test_what_the_robot_does_not_report_is_left_out() -> None:
    found = decoded(
        velocities=[], currents=[None] * 12, temperatures=[], orientation=[], active_alerts=[],
        battery_voltage=None, error_flags=0,
    )  # fmt: skip
    assert found["sdk"]["joints"][0]["vel"] is None
    assert found["sdk"]["quat"] is found["sdk"]["battery"] is None
    assert found["sdk"]["alerts"] == []
    assert not {"joint_vel", "joint_current", "base_quat", "battery"} & found["fields"].keys()
