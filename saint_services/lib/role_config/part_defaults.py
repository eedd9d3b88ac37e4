"""What a new part begins with, by the kind of its hardware: an owner names only what differs from a
usual servo or motor. Not here: the limits of each setting (model.py, devices.py).
"""

from collections.abc import Mapping
from typing import Any, Final

from .devices import MOTORS
from .model import RoleConfig

PART_COMMAND: Final = "saint_msgs/msg/PartCommand"
_KEY = "parts"  # of the command in a role's configuration

_POSITION: Final[Mapping[str, Any]] = {
    "kind": "position", "unit": "deg", "limits": [-45, 45], "max_rate": 120, "on_loss": "hold",
}  # fmt: skip
_VELOCITY: Final[Mapping[str, Any]] = {
    "kind": "velocity", "unit": "ratio", "limits": [-1, 1], "max_rate": 2,
    "on_loss": "ramp_to_zero",
}  # fmt: skip
# A hobby servo turns 90 degrees for 1 ms to 2 ms; what is wider is found by trying.
_PULSE: Final[Mapping[str, Any]] = {"frequency": 50, "pulse_us": [1000, 2000]}


def output_defaults(kind: str) -> dict[str, Any]:
    """Return the settings of the output of a new part; empty for hardware that nothing drives."""
    if kind in ("servo", "pca9685"):
        return dict(_POSITION)
    return dict(_VELOCITY) if kind in MOTORS else {}


def hardware_defaults(kind: str) -> dict[str, Any]:
    """Return the settings of the hardware of a new part."""
    return {"type": kind, **_PULSE} if kind in ("servo", "pca9685") else {}


def command_for(role: RoleConfig) -> tuple[str, dict[str, Any]]:
    """Return the command that carries further parts of a role: its key, and its topic where the
    role has none yet."""
    for key, command in role.commands.items():
        if command.type == PART_COMMAND:
            return key, {"topic": command.topic, "type": command.type}
    ending = "/cmd" if role.target.startswith("parts") else "/parts/cmd"
    return _KEY, {"topic": f"{role.topic_prefix}{ending}", "type": PART_COMMAND}
