"""Calibrates servos by LeRobot's convention, so that one file serves both: half-turn homing,
ranges, its JSON file, its normal forms. Pure. Not here: who moves the arm (saintctl/arm).

The homing offset makes the pose at homing position 2047; range_min and range_max are what the joint
has reached. Source: LeRobot 0.6.1, motors_bus.py and feetech.py.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import Field, RootModel, ValidationError, model_validator

from ...errors import Code, SaintError
from ...strict import StrictModel
from .registers import MOST_OFFSET, TURN

_MOST = TURN - 1
_MIDDLE = _MOST // 2
_DEGREES = 360.0 / _MOST
_HALF = TURN // 2
# LeRobot's motors of an SO-100 or SO-101 and their ids; the wrist turns without an end.
SO_ARM = {
    "shoulder_pan": 1, "shoulder_lift": 2, "elbow_flex": 3, "wrist_flex": 4, "wrist_roll": 5,
    "gripper": 6,
}  # fmt: skip
FULL_TURN = ("wrist_roll",)
HOME_AGAIN = "Home it again in the middle of its range, then move it through its range."


class MotorCalibration(StrictModel):
    """The calibration of one motor, with LeRobot's names."""

    id: int = Field(ge=0, le=253)
    drive_mode: int = Field(ge=0, le=1)  # 1: shares count the other way; degrees do not
    homing_offset: int = Field(ge=-MOST_OFFSET, le=MOST_OFFSET)
    range_min: int = Field(ge=0, le=_MOST)
    range_max: int = Field(ge=0, le=_MOST)

    @model_validator(mode="after")
    def _range_rises(self) -> "MotorCalibration":
        if self.range_min >= self.range_max:
            raise ValueError(f"range_min {self.range_min} is not below {self.range_max}")
        return self

    @property
    def middle(self) -> float:
        """The position of 0 degrees."""
        return (self.range_min + self.range_max) / 2

    @property
    def limits_deg(self) -> tuple[float, float]:
        """The range in degrees."""
        half = (self.range_max - self.range_min) / 2 * _DEGREES
        return -half, half

    def degrees(self, ticks: int) -> float:
        """Return the angle of a position."""
        return (ticks - self.middle) * _DEGREES

    def ticks_of_degrees(self, degrees: float) -> int:
        """Return the position of an angle."""
        return int(degrees / _DEGREES + self.middle)

    def share(self, ticks: int, low: float = -100.0) -> float:
        """Return the share of the range from `low` (-100, or 0 for a gripper) to 100."""
        kept = min(max(ticks, self.range_min), self.range_max)
        share = (kept - self.range_min) / (self.range_max - self.range_min)
        share = 1.0 - share if self.drive_mode else share
        return low + share * (100.0 - low)

    def ticks_of_share(self, value: float, low: float = -100.0) -> int:
        """Return the position of a share."""
        share = (min(max(value, low), 100.0) - low) / (100.0 - low)
        share = 1.0 - share if self.drive_mode else share
        return int(share * (self.range_max - self.range_min) + self.range_min)


class _CalibrationFile(RootModel[dict[str, MotorCalibration]]):
    """LeRobot's file."""


def homing_offset(actual: int) -> int:
    """Return the offset that makes a position, as read with offset 0, the middle of the turn.

    The register's sign and magnitude hold 2047 at most, so the last position of the turn comes to
    stand one tick beside the middle.
    """
    return max(-MOST_OFFSET, min(actual % TURN - _MIDDLE, MOST_OFFSET))


def present(actual: int, offset: int) -> int:
    """Return what a servo with this offset reports."""
    return (actual - offset) % TURN


class RangeRecorder:
    """Follows one joint while a person moves it through its range."""

    def __init__(self, start: int) -> None:
        self.low = self.high = start
        self.has_crossed = False  # the seam between the last position and 0
        self._newest = start

    def saw(self, ticks: int) -> None:
        """Accept a position. A way of half a turn between two of them is over the seam."""
        if abs(ticks - self._newest) > _HALF:
            self.has_crossed = True
        self._newest = ticks
        self.low, self.high = min(self.low, ticks), max(self.high, ticks)


def ranges(
    recorders: Mapping[str, RangeRecorder],
    seam_fix: str = HOME_AGAIN,
) -> dict[str, tuple[int, int]]:
    """Return what the joints have reached; the whole turn for those of FULL_TURN. Raises
    request_invalid for a joint that has not moved, or has crossed the seam: its least and most
    position say nothing then."""
    found: dict[str, tuple[int, int]] = {}
    for name, recorder in recorders.items():
        if name in FULL_TURN:
            found[name] = 0, _MOST
            continue
        if recorder.has_crossed:
            raise _refused(
                f"{name} has passed the end of its turn (between 4095 and 0)",
                seam_fix,
            )
        if recorder.low == recorder.high:
            raise _refused(f"{name} has not moved", "Move every joint from end to end.")
        found[name] = recorder.low, recorder.high
    return found


def read(data: bytes, source: str) -> dict[str, MotorCalibration]:
    """Parse LeRobot's calibration file. Raises request_invalid."""
    try:
        found = _CalibrationFile.model_validate_json(data).root
    except ValidationError as err:
        first = err.errors()[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise _refused(
            f"{source} is no calibration of LeRobot: {where}: {first['msg']}",
            "Use the file that lerobot-calibrate has saved.",
        ) from err
    if twice := _twice(motor.id for motor in found.values()):
        names = " and ".join(name for name, motor in found.items() if motor.id == twice[0])
        raise _refused(f"{source}: {names} have the id {twice[0]}", "Give each an id of its own.")
    return found


def written(motors: Mapping[str, MotorCalibration]) -> str:
    """Return the text of LeRobot's file."""
    return json.dumps({name: each.model_dump() for name, each in motors.items()}, indent=4)


@dataclass(frozen=True, slots=True)
class CalibratedPart:
    """What a role configuration says of a calibrated motor: its output and its field's limits."""

    servo_id: int
    homing_offset: int
    ticks: tuple[int, int]
    limits: tuple[float, float]


def part_of(motor: MotorCalibration) -> CalibratedPart:
    """Return the settings of a part in degrees: it then has the same numbers as in LeRobot."""
    ticks = motor.range_min, motor.range_max
    return CalibratedPart(motor.id, motor.homing_offset, ticks, motor.limits_deg)


def motor_of(part: CalibratedPart) -> MotorCalibration:
    """Return the calibration that a part's settings are. Raises ValueError where its positions are
    none of a range."""
    low, high = sorted(part.ticks)
    return MotorCalibration(
        id=part.servo_id, drive_mode=int(part.ticks[0] > part.ticks[1]),
        homing_offset=part.homing_offset, range_min=low, range_max=high,
    )  # fmt: skip


def _twice(values: Iterable[int]) -> list[int]:
    return [each for each, count in Counter(values).items() if count > 1]


def _refused(sentence: str, fix: str) -> SaintError:
    return SaintError(Code.REQUEST_INVALID, sentence, fix=fix)
