"""Holds the newest state of the robot for the operator's pages, subscribed only while there is a
session; packs it as TeleopState_S and as the named report.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Final, TypeVar

from ..lib.bus import Bus, Sample, Subscription
from ..lib.clock import monotonic_s, wall_s
from ..lib.generated import topics
from ..lib.generated.saint_msgs import EStop, LegsState, TrackState, WagonState
from ..lib.generated.sensor_msgs import BatteryState
from ..lib.teleop.structs import JOINTS, STATE, TeleopState

M = TypeVar("M")

FRESH_S = 2.0  # older than this is unknown
DAMPED: Final = 0
STANDING: Final = 1
MOVING: Final = 2
FAULTY: Final = 5
_LEGS_MODES: Final = {"damp": DAMPED, "stand": STANDING, "balance": STANDING, "move": MOVING}
_NO_JOINTS = (0.0,) * JOINTS
_DOWN = (0.0, 0.0, -1.0)  # projected gravity of a robot that stands upright


class RobotState:
    """What the robot's topics reported last."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._subscriptions: list[Subscription] = []
        self._estop: EStop | None = None
        self._battery: tuple[float, BatteryState] | None = None
        self._tracks: tuple[float, TrackState] | None = None
        self._legs: tuple[float, LegsState] | None = None
        self._wagon: tuple[float, WagonState] | None = None
        self._sequence = 0

    def open(self) -> None:
        """Subscribe, unless that is done."""
        if self._subscriptions:
            return
        subscribe = self._bus.subscribe
        self._subscriptions = [
            subscribe(topics.ESTOP, self._on_estop),
            subscribe(topics.BATTERY, self._on_battery),
            subscribe(topics.TRACKS_STATE, self._on_tracks),
            subscribe(topics.LEGS_STATE, self._on_legs),
            subscribe(topics.WAGON_STATE, self._on_wagon),
        ]

    def close(self) -> None:
        """Unsubscribe, and forget what was reported."""
        for each in self._subscriptions:
            each.close()
        self._subscriptions = []
        self._estop = self._battery = self._tracks = self._legs = self._wagon = None

    @property
    def is_stopped(self) -> bool | None:
        """The e-stop; None while it is unknown."""
        return self._estop.active if self._estop else None

    @property
    def battery(self) -> tuple[float | None, float | None]:
        """Volts and percent; None where unknown."""
        found = _fresh(self._battery)
        if found is None:
            return None, None
        percent = found.percentage * 100.0
        return _finite(found.voltage), _finite(percent) if 0.0 <= percent <= 100.0 else None

    @property
    def speed_mps(self) -> float | None:
        """The forward speed that the base, a wagon or tracks, reports."""
        if wagon := _fresh(self._wagon):
            return _finite(wagon.speed)
        found = _fresh(self._tracks)
        return _finite((found.left_velocity + found.right_velocity) / 2) if found else None

    @property
    def refusal(self) -> str:
        """Why the legs do not do what is requested of them; empty: they do, or there are none."""
        legs = _fresh(self._legs)
        if legs is None or not legs.reason or legs.requested == legs.mode:
            return ""
        return f"The robot does not {legs.requested}: {legs.reason}."

    def packed(self, *, is_driven: bool) -> bytes:
        """Return TeleopState_S. What this robot does not measure is zero; a stop that is unknown
        counts as one."""
        self._sequence = (self._sequence + 1) & 0xFFFFFFFF
        is_stopped = self.is_stopped is not False
        tracks, wagon = _fresh(self._tracks), _fresh(self._wagon)
        is_enabled = (tracks and tracks.motors_enabled) or (wagon and wagon.state == "armed")
        volts, percent = self.battery
        legs = _fresh(self._legs)
        mode = MOVING if is_driven else STANDING
        if legs:
            mode = _LEGS_MODES.get(legs.mode, FAULTY)
        if is_stopped and mode != FAULTY:
            mode = DAMPED
        return STATE.encode(
            TeleopState(
                timestamp_us=round(wall_s() * 1e6),
                sequence=self._sequence,
                mode=mode,
                motors_enabled=int(mode in (STANDING, MOVING) if legs else bool(is_enabled)),
                emergency_stop=int(is_stopped),
                joint_pos=_joints(legs.positions) if legs else _NO_JOINTS,
                joint_vel=_joints(legs.velocities) if legs else _NO_JOINTS,
                base_ang_vel=_three(legs.angular_velocity) if legs else (0.0, 0.0, 0.0),
                projected_gravity=_three(legs.gravity) if legs else _DOWN,
                gait_phase=legs.gait_phase if legs else 0.0,
                battery_voltage=volts or 0.0,
                battery_percent=round(percent or 0.0),
            )
        )

    def _on_estop(self, sample: Sample[EStop]) -> None:
        self._estop = sample.message

    def _on_battery(self, sample: Sample[BatteryState]) -> None:
        self._battery = monotonic_s(), sample.message

    def _on_tracks(self, sample: Sample[TrackState]) -> None:
        self._tracks = monotonic_s(), sample.message

    def _on_legs(self, sample: Sample[LegsState]) -> None:
        self._legs = monotonic_s(), sample.message

    def _on_wagon(self, sample: Sample[WagonState]) -> None:
        self._wagon = monotonic_s(), sample.message


def _joints(values: Sequence[float]) -> tuple[float, ...]:
    """Return the numbers of the legs' joints, which are the first that a robot reports."""
    if len(values) < JOINTS:
        return _NO_JOINTS
    return tuple(float(each) for each in values[:JOINTS])


def _three(values: Sequence[float]) -> tuple[float, ...]:
    return tuple(float(each) for each in values[:3])


def _finite(value: float) -> float | None:
    return round(value, 3) if isfinite(value) else None


def _fresh(found: tuple[float, M] | None) -> M | None:
    return found[1] if found and monotonic_s() - found[0] <= FRESH_S else None
