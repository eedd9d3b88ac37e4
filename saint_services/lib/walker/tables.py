"""Declares the messages of both protocols, field by field, once: the descriptors of the protobuf
library are built of these tables (codec.py). Pure.

- Package asimov.io (protocol version 1): the numbers are those of the published descriptors. Fields
  that nothing here reads (end-of-line tests, trajectories, statistics) are left out; what a
  controller sends in them is skipped.
- The older messages (UDP 8888, 8889): names, order and units are documented, their numbers are not.
  They are those that the current messages still have, and the gaps that removed fields left;
  `gait_phase` and the battery are an assumption. A controller that differs is corrected here.
"""

from typing import Final, NamedTuple

from .model import Protocol


class FieldRow(NamedTuple):
    """One field: `kind` is a scalar type of protobuf, or another message of the table."""

    number: int
    name: str
    kind: str
    is_repeated: bool = False


Messages = dict[str, tuple[FieldRow, ...]]

COMMAND: Final = "RobotCommand"
STATE: Final = "RobotState"
VERSION: Final = 1  # protocol_version

_FIRMWARE: Final[Messages] = {
    COMMAND: (
        FieldRow(1, "mode", "uint32"),
        FieldRow(2, "vx", "float"),
        FieldRow(3, "vy", "float"),
        FieldRow(4, "vyaw", "float"),
        FieldRow(5, "enable", "bool"),
        FieldRow(6, "emergency_stop", "bool"),
        FieldRow(7, "timestamp_us", "uint64"),
    ),
    STATE: (
        FieldRow(1, "timestamp_us", "uint64"),
        FieldRow(2, "sequence", "uint32"),
        FieldRow(3, "current_mode", "uint32"),
        FieldRow(4, "motors_enabled", "bool"),
        FieldRow(5, "emergency_stop", "bool"),
        FieldRow(6, "joint_pos", "float", is_repeated=True),
        FieldRow(7, "joint_vel", "float", is_repeated=True),
        FieldRow(10, "base_ang_vel", "float", is_repeated=True),
        FieldRow(11, "projected_gravity", "float", is_repeated=True),
        FieldRow(15, "gait_phase", "float"),
        FieldRow(16, "battery_voltage", "float"),
        FieldRow(17, "battery_percent", "uint32"),
    ),
}

_IO: Final[Messages] = {
    "VelocityCommand": (
        FieldRow(1, "vx", "float"),
        FieldRow(2, "vy", "float"),
        FieldRow(3, "vyaw", "float"),
    ),
    COMMAND: (
        FieldRow(1, "mode", "uint32"),
        FieldRow(2, "command_control", "uint32"),  # 0: the policy walks
        FieldRow(3, "policy", "VelocityCommand"),
        FieldRow(6, "timestamp_us", "uint64"),
        FieldRow(7, "sequence", "uint32"),
        FieldRow(8, "protocol_version", "uint32"),
        FieldRow(11, "firmware_epoch_id", "uint64"),
    ),
    "Alert": (
        FieldRow(1, "id", "uint32"),
        FieldRow(2, "severity", "uint32"),
        FieldRow(3, "value", "uint32"),
        FieldRow(4, "threshold", "uint32"),
    ),
    "ThreadMetrics": (
        FieldRow(1, "max_cycle_us", "uint64"),
        FieldRow(2, "avg_cycle_us", "uint64"),
        FieldRow(3, "jitter_us", "int64"),
    ),
    "CanMetrics": (
        FieldRow(1, "frames_sent", "uint64"),
        FieldRow(2, "frames_received", "uint64"),
        FieldRow(3, "errors", "uint64"),
        FieldRow(4, "bus_offs", "uint64"),
    ),
    "BatteryState": (
        FieldRow(1, "voltage_v", "float"),
        FieldRow(2, "current_a", "float"),
        FieldRow(3, "soc_percent", "float"),
        FieldRow(4, "max_cell_temp_c", "float"),
        FieldRow(5, "protection_flags", "uint32"),
    ),
    STATE: (
        FieldRow(1, "timestamp_us", "uint64"),
        FieldRow(2, "sequence", "uint32"),
        FieldRow(3, "current_mode", "uint32"),
        FieldRow(6, "joint_pos", "float", is_repeated=True),
        FieldRow(7, "joint_vel", "float", is_repeated=True),
        FieldRow(8, "joint_current", "float", is_repeated=True),
        FieldRow(9, "joint_temp", "float", is_repeated=True),
        FieldRow(10, "base_ang_vel", "float", is_repeated=True),
        FieldRow(11, "projected_gravity", "float", is_repeated=True),
        FieldRow(12, "base_quat", "float", is_repeated=True),
        FieldRow(13, "error_flags", "uint32"),
        FieldRow(14, "last_cmd_sequence", "uint32"),
        FieldRow(20, "active_alerts", "Alert", is_repeated=True),
        FieldRow(21, "policy_timing", "ThreadMetrics"),
        FieldRow(23, "can_health", "CanMetrics", is_repeated=True),
        FieldRow(24, "protocol_version", "uint32"),
        FieldRow(28, "battery", "BatteryState"),
        FieldRow(30, "firmware_epoch_id", "uint64"),
    ),
}

TABLES: Final[dict[Protocol, Messages]] = {Protocol.FIRMWARE: _FIRMWARE, Protocol.IO: _IO}
# UDP ports: commands at the controller, states at us.
PORTS: Final[dict[Protocol, tuple[int, int]]] = {
    Protocol.FIRMWARE: (8888, 8889),
    Protocol.IO: (8850, 8851),
}
