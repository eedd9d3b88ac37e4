"""Decides what one VESC is sent, and follows what it reports. Pure: time comes in as an argument.
Not here: the bus (vesc_bus.py), the bytes (messages.py).

A VESC stops its motor itself without a command for its own time-out, by default 1 s. A command is
repeated for it at 50 Hz, but only while its role renews it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, tau
from typing import Any, Final

from . import messages as vesc
from .messages import VescMessage

REPEAT_S: Final = 0.02
FRESH_S: Final = 0.25  # as long as a role obeys a command without another (RoleConfig.deadline_ms)
RESTING_S: Final = 0.2  # rest is repeated for so long: one frame may be lost
SILENT_S: Final = 0.5  # STATUS_1 comes at 50 Hz, 10 Hz at least
COUNTS_PER_TURN: Final = 6  # of the tachometer, for one electrical turn
_DERATING_C, _DERATING_V = 15.0, 2.0  # from there on less and less, down to nothing at the limit
_NO_TORQUE: Final = vesc.SetCurrent(0.0)
_PLAUSIBLE_C = (-30.0, 180.0)  # without a sensor the motor's temperature is beyond


@dataclass(frozen=True, slots=True)
class VescSettings:
    """What the manifest says of a VESC and its motor."""

    id: int
    pole_pairs: int = 15
    gear: float = 1.0  # turns of the motor per turn of the wheel
    brake_current_a: float = 0.0  # at rest; 0: the wheel turns freely
    hottest_fet_c: float = 85.0
    hottest_motor_c: float = 100.0
    least_v: float = 0.0

    @property
    def rest(self) -> VescMessage:
        """Return the message that brings the motor to rest."""
        if self.brake_current_a:
            return VescMessage(self.id, vesc.SetCurrentBrake(self.brake_current_a))
        return VescMessage(self.id, _NO_TORQUE)

    def wheel_radps(self, erpm: float) -> float:
        """Return the speed of the wheel of an electrical speed."""
        return erpm / self.pole_pairs / self.gear * tau / 60.0

    @property
    def counts_per_wheel_turn(self) -> float:
        """Return the counts of the tachometer for one turn of the wheel."""
        return COUNTS_PER_TURN * self.pole_pairs * self.gear


@dataclass(slots=True)
class VescReadings:
    """Last reported values; None: not reported yet."""

    erpm: int = 0
    current_a: float | None = None
    duty: float = 0.0
    temp_fet_c: float | None = None
    temp_motor_c: float | None = None
    current_in_a: float | None = None
    voltage_v: float | None = None
    count: int = 0  # of the tachometer since the start; wraps followed
    outages: int = 0  # after each, counts may have been lost
    timeout_s: float | None = None  # of the VESC without commands, read when it was opened


@dataclass(slots=True)
class VescController:
    """One VESC. `send` puts a message on the bus."""

    settings: VescSettings
    send: Callable[[VescMessage], object]
    readings: VescReadings = field(default_factory=VescReadings)
    duty: float = 0.0  # as last set
    _set_s: float = 0.0
    _rest_until_s: float = 0.0
    _sent_s: float = -1.0
    _reported_s: float = -1.0
    _intruded_s: float = -inf
    _raw_count: int | None = None

    @property
    def is_reporting(self) -> bool:
        """Return whether STATUS_1 was ever received."""
        return self._reported_s >= 0

    def is_silent(self, now_s: float) -> bool:
        """Return whether its last report is too old to be believed, or none came."""
        return not self.is_reporting or now_s - self._reported_s > SILENT_S

    def begin(self, now_s: float) -> None:
        """Count the silence from now on: reports until now were left unread."""
        if self.is_reporting:
            self._reported_s = now_s

    def drive(self, duty: float, now_s: float) -> None:
        """Set the duty, -1 to 1, and send it at once."""
        self.duty = duty
        self._set_s = now_s
        if duty:
            self._command(now_s)
        else:
            self.rest(now_s)

    def rest(self, now_s: float) -> None:
        """Bring the motor to rest; repeated for a while."""
        self.duty = 0.0
        self._rest_until_s = now_s + RESTING_S
        self._command(now_s)

    def step(self, now_s: float) -> None:
        """Repeat what is in force, unless it was sent just now; rest where the role is late. Called
        every REPEAT_S.
        """
        if self.duty and now_s - self._set_s > FRESH_S:
            self.rest(now_s)
        elif now_s - self._sent_s >= REPEAT_S / 2 and (self.duty or now_s < self._rest_until_s):
            self._command(now_s)
        if (
            self._reported_s >= 0
            and now_s - self._reported_s > SILENT_S
            and self._raw_count is not None
        ):
            self._raw_count = None
            self.readings.outages += 1

    def received(self, content: Any, now_s: float) -> None:
        """Follow a message of this VESC."""
        readings = self.readings
        match content:
            case vesc.Status1():
                readings.erpm, readings.duty = content.erpm, content.duty
                readings.current_a = content.current_a
                self._reported_s = now_s
            case vesc.Status4():
                readings.temp_fet_c = content.temp_fet_c
                readings.temp_motor_c = content.temp_motor_c
                readings.current_in_a = content.current_in_a
            case vesc.Status5():
                readings.voltage_v = content.v_in_v
                self._count(content.tachometer_raw)

    def overruled(self, content: Any, now_s: float) -> None:
        """Rest, as another sender commands this VESC: the guard, or a program that must not."""
        if content not in (self.settings.rest.content, _NO_TORQUE):
            self._intruded_s = now_s
        self.rest(now_s)

    def fault(self, now_s: float) -> str:
        """Return why the VESC cannot be driven, in words that follow its name, or ""."""
        if now_s - self._intruded_s < SILENT_S:
            return "another program drives it"
        if self.is_silent(now_s):
            return "it does not report; its status messages 1, 4 and 5 must be switched on"
        if self.derating == 0.0:
            return f"it is at its limit: {self._limits()}"
        return ""

    def problem(self, now_s: float) -> str:
        """Return the fault, or what limits the motor, or ""."""
        if fault := self.fault(now_s):
            return fault
        share = self.derating
        return f"limited to {share:.0%}: {self._limits()}" if share < 1.0 else ""

    @property
    def derating(self) -> float:
        """Return the share of the duty that temperatures and voltage leave, 0 to 1."""
        settings, readings = self.settings, self.readings
        shares = [1.0]
        for value, limit in (
            (readings.temp_fet_c, settings.hottest_fet_c),
            (self.motor_c, settings.hottest_motor_c),
        ):
            if value is not None:
                shares.append((limit - value) / _DERATING_C)
        if settings.least_v and readings.voltage_v is not None:
            shares.append((readings.voltage_v - settings.least_v) / _DERATING_V)
        return max(0.0, min(shares))

    @property
    def motor_c(self) -> float | None:
        """Return the temperature of the motor; None without a sensor in it."""
        return _plausible(self.readings.temp_motor_c)

    @property
    def wheel_radps(self) -> float:
        """Return the reported speed of the wheel."""
        return self.settings.wheel_radps(self.readings.erpm)

    def _command(self, now_s: float) -> None:
        self._sent_s = now_s
        duty = self.duty * self.derating
        if duty:
            self.send(VescMessage(self.settings.id, vesc.SetDuty(duty)))
        else:
            self.send(self.settings.rest)

    def _limits(self) -> str:
        readings = self.readings
        parts = [] if readings.temp_fet_c is None else [f"transistors {readings.temp_fet_c:.0f} °C"]
        if self.motor_c is not None:
            parts.append(f"motor {self.motor_c:.0f} °C")
        if readings.voltage_v is not None:
            parts.append(f"supply {readings.voltage_v:.1f} V")
        return ", ".join(parts)

    def _count(self, raw: int) -> None:
        """Follow a counter of 32 bits that wraps; after an outage it may start at zero."""
        if self._raw_count is not None:
            way = raw - self._raw_count & 0xFFFFFFFF
            self.readings.count += way - (1 << 32 if way >> 31 else 0)
        self._raw_count = raw


def _plausible(temperature_c: float | None) -> float | None:
    low, high = _PLAUSIBLE_C
    if temperature_c is None or not low <= temperature_c <= high:
        return None
    return temperature_c
