"""Declares the binary structs of remote operation: the operator's command (16 bytes) and the
robot's state (144 bytes), packed, little-endian, without magic, version or check sum. Not here:
their transport.

Source: the documents of asimov-manager, whose own sizes (22, about 170) do not match its fields.
"""

from dataclasses import dataclass
from typing import Annotated, Final

from ..binary_layout import F32, U8, U32, U64, BinaryLayout, FieldForm

JOINTS: Final = 12  # two legs: hip pitch, roll, yaw, knee, ankle A, B; the left one first
COMMAND_MODES: Final = (0, 1, 2)  # damp, stand, move
STATE_MODES: Final = (*COMMAND_MODES, 5)  # also damped by a fault

PerJoint = Annotated[tuple[float, ...], FieldForm("f", count=JOINTS)]
PerAxis = Annotated[tuple[float, ...], FieldForm("f", count=3)]


@dataclass(frozen=True, slots=True)
class TeleopCommand:
    """Operator to robot. Velocities in m/s (forward, left) and rad/s (counterclockwise)."""

    mode: Annotated[int, FieldForm("B", among=COMMAND_MODES)]
    vx: F32
    vy: F32
    vyaw: F32
    gait_mode: U8
    enable: U8
    e_stop: U8


@dataclass(frozen=True, slots=True)
class TeleopState:
    """Robot to operator. Joints in rad and rad/s, angular velocity in rad/s, battery in V and %."""

    timestamp_us: U64
    sequence: U32
    mode: Annotated[int, FieldForm("B", among=STATE_MODES)]
    motors_enabled: U8
    emergency_stop: U8
    joint_pos: PerJoint
    joint_vel: PerJoint
    base_ang_vel: PerAxis
    projected_gravity: PerAxis
    gait_phase: F32
    battery_voltage: F32
    battery_percent: U8


COMMAND: Final = BinaryLayout(TeleopCommand, "<")
STATE: Final = BinaryLayout(TeleopState, "<")


def wants_stop(data: bytes) -> bool:
    """Return whether a command wants the stop, its last byte; the rest of it may be malformed."""
    return len(data) == COMMAND.size and data[-1] != 0
