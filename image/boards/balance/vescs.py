"""The VESC motor controllers: what they are sent, and what they report."""

from ..shared import tables as t
from ..shared.codec import pack, unpack
from ..shared.freshness import Freshness
from . import config

_SAG_MS = 2000  # a motor that starts may pull the voltage down for so long
_NO_SENSOR_C = 180.0  # without a sensor the temperature is beyond, or far below zero


class Vesc:
    """The last reports of one VESC."""

    def __init__(self) -> None:
        self.erpm = 0
        self.current_a = 0.0
        self.duty = 0.0
        self.fet_c = 0.0
        self.motor_c = 0.0
        self.volts = 0.0
        self.reported = Freshness(t.VESC_SILENT_MS)
        self.measured = Freshness(4 * t.VESC_SILENT_MS)  # the voltage
        self._moved = Freshness(config.BLOCKED_MS)

    def received(self, number: int, data: bytes, now_ms: int) -> None:
        """Note a status frame."""
        if number == t.VESC_STATUS_1[0]:
            values = unpack(t.VESC_STATUS_1, data)
            if values:
                self.erpm, self.current_a, self.duty = values
                self.reported.feed(now_ms)
                if abs(self.erpm) > config.BLOCKED_ERPM or abs(self.current_a) < config.BLOCKED_A:
                    self._moved.feed(now_ms)
        elif number == t.VESC_STATUS_4[0]:
            values = unpack(t.VESC_STATUS_4, data)
            if values:
                self.fet_c, self.motor_c = values[0], values[1]
        elif number == t.VESC_STATUS_5[0]:
            values = unpack(t.VESC_STATUS_5, data)
            if values:
                self.volts = values[1]
                self.measured.feed(now_ms)

    def is_blocked(self, now_ms: int) -> bool:
        """Return whether much current has moved nothing for a while."""
        return self.reported.is_fresh(now_ms) and not self._moved.is_fresh(now_ms)

    def is_over(self, fet_c: float, motor_c: float) -> bool:
        """Return whether it or its motor is hotter."""
        return self.fet_c > fet_c or motor_c < self.motor_c < _NO_SENSOR_C


class Vescs:
    """All VESCs. `send(identifier, data)` puts a frame with 29 bits on the bus."""

    def __init__(self, send) -> None:
        self._send = send
        self.each = {number: Vesc() for number in config.VESCS_LEFT + config.VESCS_RIGHT}
        self._charged = Freshness(_SAG_MS)

    def drive(self, left: float, right: float) -> None:
        """Send duties in thousandths of the full range."""
        for numbers, value in ((config.VESCS_LEFT, left), (config.VESCS_RIGHT, right)):
            duty = max(-1.0, min(1.0, value / t.FULL_SPEED)) * config.FULL_DUTY
            for number in numbers:
                self._put(t.VESC_SET_DUTY, number, duty)

    def brake(self) -> None:
        """Brake all motors."""
        for number in self.each:
            self._put(t.VESC_SET_CURRENT_BRAKE, number, config.BRAKE_A)

    def release(self) -> None:
        """Take the current from all motors: the wheels turn freely."""
        for number in self.each:
            self._put(t.VESC_SET_CURRENT, number, 0.0)

    def _put(self, row: tuple, number: int, value: float) -> None:
        self._send(row[0] << 8 | number, pack(row, value))

    def received(self, identifier: int, data: bytes, now_ms: int) -> None:
        """Note a frame with 29 bits."""
        vesc = self.each.get(identifier & 0xFF)
        if vesc:
            vesc.received(identifier >> 8, data, now_ms)

    @property
    def battery_mv(self) -> int:
        """Return the lowest reported input voltage."""
        return round(min(each.volts for each in self.each.values()) * 1000)

    @property
    def speed_mps(self) -> float:
        """Return the speed over ground without slip: the mean of both sides."""
        sides = [
            sum(self.each[number].erpm for number in numbers) / len(numbers)
            for numbers in (config.VESCS_LEFT, config.VESCS_RIGHT)
        ]
        turns_per_s = (sides[0] + sides[1]) / 2 / config.POLE_PAIRS / 60
        return turns_per_s * config.WHEEL_DIAMETER_M * 3.1415927

    def fault(self, now_ms: int) -> int:
        """Return the gravest fault."""
        each = list(self.each.values())
        if not all(one.reported.is_fresh(now_ms) and one.measured.is_fresh(now_ms) for one in each):
            return t.FAULT_VESC_LOST
        if self.battery_mv >= t.BATTERY_HIGH_MV:
            return t.FAULT_BATTERY_HIGH
        if self.battery_mv > t.BATTERY_EMPTY_MV:
            self._charged.feed(now_ms)
        if not self._charged.is_fresh(now_ms):
            return t.FAULT_BATTERY_EMPTY
        if any(one.is_over(config.HOTTEST_FET_C, config.HOTTEST_MOTOR_C) for one in each):
            return t.FAULT_OVERHEATED
        if any(one.is_blocked(now_ms) for one in each):
            return t.FAULT_WHEEL_BLOCKED
        return t.FAULT_NONE

    def warning(self) -> int:
        """Return a warning, or none."""
        if self.is_hot:
            return t.FAULT_WARN_HOT
        return t.FAULT_WARN_BATTERY_LOW if self.battery_mv <= t.BATTERY_LOW_MV else t.FAULT_NONE

    @property
    def is_hot(self) -> bool:
        """Return whether the fan must run."""
        return any(one.is_over(config.HOT_C, config.HOT_C) for one in self.each.values())
