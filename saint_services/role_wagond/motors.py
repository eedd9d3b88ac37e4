"""Follows what the wagon's motor controllers report on the bus of its board: currents and
temperatures, for people. Pure: time comes in as an argument. The board alone drives them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, nan

from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.port import CanFilter
from saint_services.lib.hw.vesc import messages as vesc

OLD_S = 0.5
_NO_SENSOR_C = -50.0  # a VESC without a sensor in its motor reports less
_STATUSES = ("STATUS_1", "STATUS_4")
_NUMBERS = tuple(vesc.BY_NAME[name].number for name in _STATUSES)


@dataclass(frozen=True, slots=True)
class MotorReading:
    """One motor controller; NaN: not reported, or too old."""

    name: str
    current_a: float = nan
    motor_c: float = nan
    controller_c: float = nan


class MotorView:
    """The newest reports of each controller, by its name and its id on the bus."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._ids = dict(ids)
        self._currents: dict[int, tuple[float, float]] = {}  # amperes, and when
        self._heats: dict[int, tuple[vesc.Status4, float]] = {}

    @property
    def filters(self) -> tuple[CanFilter, ...]:
        """Return the frames to receive."""
        return tuple(
            CanFilter(number << 8 | own, 0x1FFFFFFF, True)
            for own in self._ids.values()
            for number in _NUMBERS
        )

    def concerns(self, frame: CanFrame) -> bool:
        """Return whether a frame is a status of one of the controllers."""
        is_status = frame.is_extended and frame.id >> 8 in _NUMBERS
        return is_status and frame.id & 0xFF in self._ids.values()

    def is_expected(self, frame: CanFrame) -> bool:
        """Return whether a frame is one that the board and one of the controllers exchange."""
        is_known = frame.is_extended and frame.id >> 8 in vesc.BY_NUMBER
        return is_known and frame.id & 0xFF in self._ids.values()

    def received(self, frame: CanFrame, now_s: float) -> None:
        """Store a report. Raises LayoutError for a damaged one."""
        message = vesc.decode(frame)
        if isinstance(message.content, vesc.Status1):
            self._currents[message.id] = message.content.current_a, now_s
        elif isinstance(message.content, vesc.Status4):
            self._heats[message.id] = message.content, now_s

    def readings(self, now_s: float) -> tuple[MotorReading, ...]:
        """Return all controllers."""
        return tuple(self._reading(name, own, now_s) for name, own in self._ids.items())

    def _reading(self, name: str, own: int, now_s: float) -> MotorReading:
        current_a, current_s = self._currents.get(own, (nan, -inf))
        heat, heat_s = self._heats.get(own, (None, -inf))
        if not 0.0 <= now_s - current_s <= OLD_S:
            current_a = nan
        if heat is None or not 0.0 <= now_s - heat_s <= OLD_S:
            return MotorReading(name, current_a)
        motor_c = heat.temp_motor_c if heat.temp_motor_c > _NO_SENSOR_C else nan
        return MotorReading(name, current_a, motor_c, heat.temp_fet_c)
