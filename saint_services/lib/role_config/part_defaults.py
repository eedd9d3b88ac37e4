"""What a new part begins with, by the kind of its hardware: an owner names only what differs from a
usual servo or motor. Not here: the limits of each setting (model.py, devices.py).
"""

from collections.abc import Mapping
from typing import Any, Final

from ..generated.saint_msgs import PartCommand
from .bus_servos import BUS_SERVO
from .devices import MOTORS, SERVOS
from .model import RoleConfig
from .part_topics import commands_topic
from .parts import part_command

_KEY = "parts"  # of the command in a role's configuration

_POSITION: Final[Mapping[str, Any]] = {
    "kind": "position", "unit": "deg", "limits": [-45, 45], "max_rate": 120, "on_loss": "hold",
}  # fmt: skip
_VELOCITY: Final[Mapping[str, Any]] = {
    "kind": "velocity", "unit": "ratio", "limits": [-1, 1], "max_rate": 2,
    "on_loss": "ramp_to_zero",
}  # fmt: skip
# What a motor with a gear reaches with few steps a second.
_SLOW: Final[Mapping[str, Any]] = {"max_rate": 30, "max_acceleration": 60}
_SWITCH: Final[Mapping[str, Any]] = {"kind": "switch"}  # the rest is usual (fields.py)
_LIGHT: Final[Mapping[str, Any]] = {"kind": "light"}
# A hobby servo turns 90 degrees for 1 ms to 2 ms; what is wider is found by trying.
_PULSE: Final[Mapping[str, Any]] = {"frequency": 50, "pulse_us": [1000, 2000]}


def output_defaults(kind: str, moves: object = None) -> dict[str, Any]:
    """Return the settings of the output of a new part; empty for hardware that nothing drives.
    `moves` is the kind of field where it is known: a servo may be a continuous one."""
    if moves == "velocity" and kind in SERVOS:
        return dict(_VELOCITY)
    if kind in (*SERVOS, "stepper", BUS_SERVO):
        return dict(_POSITION) | (
            {"max_rate": 30, "max_acceleration": 60} if kind == "stepper" else {}
        )
    if kind == "switch":
        return dict(_SWITCH)
    if kind in ("dimmer", "pixels"):
        return dict(_LIGHT)
    return dict(_VELOCITY) if kind in MOTORS else {}


def hardware_defaults(kind: str) -> dict[str, Any]:
    """Return the settings of the hardware of a new part."""
    if kind == "stepper":
        return {"type": kind, "homing_rate": 15}
    return {"type": kind, **_PULSE} if kind in SERVOS else {}


def command_for(role: RoleConfig) -> tuple[str, dict[str, Any]]:
    """Return the command that carries further parts of a role: its key, and its topic where the
    role has none yet."""
    if key := part_command(role):
        return key, {"topic": role.commands[key].topic, "type": role.commands[key].type}
    return _KEY, {"topic": commands_topic(role).name, "type": PartCommand.TYPE}
