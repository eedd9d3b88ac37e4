"""Models what is commanded to a walking controller and what it reports, in one form for both
protocols. Velocities in m/s (forward, left) and rad/s (counterclockwise). Not here: the bytes
(codec.py, tables.py).
"""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

JOINT_COUNTS: Final = (12, 25)  # the two legs, or the whole body
_LEG: Final = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_a", "ankle_b")
_ARM: Final = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_yaw")
JOINTS: Final = (
    *(f"{side}_{name}" for limb in (_LEG, _ARM) for side in ("left", "right") for name in limb),
    "waist_yaw",
    "neck_yaw",
    "neck_pitch",
)
# Without a command for this long the controller switches its motors off by itself.
DEADMAN_S: Final = 0.1
STAND_S: Final = 2.0  # it takes to stand up


class Protocol(StrEnum):
    """Which messages a controller speaks."""

    FIRMWARE = "asimov_firmware"  # the older ones, with `enable` and `emergency_stop`
    IO = "asimov_io"  # the current ones, protocol version 1


class WalkMode(IntEnum):
    """What a controller does. The numbers are those of the older protocol, and of our own fields;
    FAULT is of the current one."""

    DAMP = 0  # motors are soft: the robot sits down, or falls
    STAND = 1  # stands up within STAND_S, then stands
    BALANCE = 2  # balances in place
    MOVE = 3
    IMITATION = 4  # plays a recorded motion back; never commanded by us
    FAULT = 5  # damped by the controller itself


class Severity(IntEnum):
    """How bad an alert is."""

    CRITICAL = 0
    WARNING = 1
    INFO = 2


@dataclass(frozen=True, slots=True)
class WalkCommand:
    """One command. Velocities count in MOVE alone. `epoch` is the controller's."""

    mode: WalkMode
    vx: float = 0.0
    vy: float = 0.0
    vyaw: float = 0.0
    timestamp_us: int = 0
    sequence: int = 0
    epoch: int = 0
    is_emergency: bool = False  # the older protocol alone has it


@dataclass(frozen=True, slots=True)
class WalkAlert:
    """One active alert of a controller."""

    id: int
    severity: Severity
    value: int = 0
    threshold: int = 0


@dataclass(frozen=True, slots=True)
class WalkBattery:
    """The battery; NaN where a protocol has no such number."""

    voltage_v: float
    percent: float
    current_a: float = float("nan")
    hottest_cell_c: float = float("nan")
    protection_flags: int = 0


@dataclass(frozen=True, slots=True)
class CanCount:
    """What one CAN bus of the controller has passed since its start."""

    sent: int = 0
    received: int = 0
    errors: int = 0
    bus_offs: int = 0


@dataclass(frozen=True, slots=True)
class WalkState:
    """One report of a controller. Joints in rad and rad/s, in the order of JOINTS; an empty tuple
    where it reports none."""

    mode: WalkMode
    timestamp_us: int = 0
    sequence: int = 0
    joint_pos: tuple[float, ...] = ()
    joint_vel: tuple[float, ...] = ()
    joint_current_a: tuple[float, ...] = ()
    joint_temp_c: tuple[float, ...] = ()
    ang_vel_rads: tuple[float, float, float] = (0.0, 0.0, 0.0)
    gravity: tuple[float, float, float] = (0.0, 0.0, -1.0)  # unit vector; upright is -z
    quaternion: tuple[float, float, float, float] | None = None  # w, x, y, z
    error_flags: int = 0
    command_sequence: int = 0
    alerts: tuple[WalkAlert, ...] = ()
    battery: WalkBattery | None = None
    gait_phase: float = 0.0
    is_enabled: bool = True  # motors; the current protocol has no such field
    is_emergency: bool = False
    epoch: int = 0
    cycle_us: int = 0  # longest cycle of the policy
    jitter_us: int = 0
    can: tuple[CanCount, ...] = ()

    @property
    def is_upright(self) -> bool:
        """Whether the body leans by less than 45 degrees."""
        return self.gravity[2] < _UPRIGHT

    @property
    def critical(self) -> tuple[WalkAlert, ...]:
        """The critical alerts."""
        return tuple(each for each in self.alerts if each.severity is Severity.CRITICAL)


_UPRIGHT: Final = -0.7071
