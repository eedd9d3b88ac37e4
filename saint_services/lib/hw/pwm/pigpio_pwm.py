"""PWM on any pin by the pigpio daemon, which times pulses by DMA (Pi 4 and older; it does not run
on a Pi 5). The daemon keeps the pulses when our process ends.

Two channels of hardware PWM are enough for two motors with a direction pin each. Bridges with two
PWM pins have the others by DMA, in steps of 5 us, so at 2 kHz at most: 100 steps.
"""

import errno
import os
import struct
from collections.abc import Callable
from functools import partial
from typing import Any

from ...errors import Code, SaintError
from ...guard.will import Write, WriteKind

_HARDWARE_PINS = (12, 13, 18, 19)
_DUTY_RANGE = 1_000_000  # of hardware_PWM
_SERVO_HZ = 50
_DMA_HZ = 2000
_DMA_RANGE = 100  # of set_PWM_dutycycle
_WRITE = 4  # command of the socket interface: level of a pin; ends all pulses on it


def connect() -> Any | None:
    """Connect to the daemon; None when the library is missing or no daemon runs."""
    try:
        import pigpio
    except ImportError:
        return None
    pigpio.exceptions = False  # errors are negative results, which we turn into OSError
    pi = pigpio.pi(show_errors=False)
    if not pi.connected:
        pi.stop()
        return None
    return _Daemon(pi)


class _Daemon:
    """The library's calls. A daemon that has ended is an OSError, as with every other device: the
    library fails at the empty answer (struct.error, pigpio 1.78).
    """

    def __init__(self, pi: Any) -> None:
        self._pi = pi

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._pi, name)
        return partial(self._call, found) if callable(found) else found

    @staticmethod
    def _call(function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except struct.error as err:
            raise OSError(errno.EPIPE, "pigpiod has ended") from err


class PigpioPwm:
    """One pin. Servo frequencies use the daemon's servo pulses, others the hardware PWM."""

    def __init__(self, pi: Any, pin: int, frequency_hz: int, used_by: str) -> None:
        self._pi = pi
        self._pin = pin
        self._frequency_hz = frequency_hz
        self._is_servo = frequency_hz == _SERVO_HZ
        self._is_dma = not self._is_servo and pin not in _HARDWARE_PINS
        if self._is_dma and frequency_hz > _DMA_HZ:
            raise SaintError(
                Code.CONFIG_INVALID,
                f"{used_by}: GPIO{pin} has no hardware PWM for {frequency_hz} Hz",
                fix=f"Use one of GPIO {', '.join(map(str, _HARDWARE_PINS))}, or {_DMA_HZ} Hz.",
            )
        if self._is_dma:
            _check(pi.set_PWM_frequency(pin, frequency_hz))
            _check(pi.set_PWM_range(pin, _DMA_RANGE))

    def set_pulse_us(self, pulse_us: float) -> None:
        if self._is_servo:
            _check(self._pi.set_servo_pulsewidth(self._pin, round(pulse_us)))
        else:
            self.set_duty(pulse_us * self._frequency_hz / 1e6)

    def set_duty(self, duty: float) -> None:
        if self._is_servo:
            self.set_pulse_us(duty * 1e6 / self._frequency_hz)
        elif self._is_dma:
            _check(self._pi.set_PWM_dutycycle(self._pin, round(duty * _DMA_RANGE)))
        else:
            steps = round(duty * _DUTY_RANGE)
            _check(self._pi.hardware_PWM(self._pin, self._frequency_hz, steps))

    def off(self) -> None:
        """End the pulses."""
        quiet(self._pi, self._pin)

    def pulse_us(self) -> float:
        """Read the pulse on the pin."""
        if not self._is_servo:
            return 0.0
        return max(0.0, float(self._pi.get_servo_pulsewidth(self._pin)))  # negative: never had one

    def close(self) -> None:
        """Do nothing: the pulses stay."""


def quiet(pi: Any, pin: int) -> None:
    """End pulses of any kind."""
    _check(pi.write(pin, 0))  # ends servo pulses, PWM and hardware PWM alike


def will_low(pin: int) -> Write:
    """Return the command that ends pulses of any kind and leaves the pin low."""
    return _will_write(pin, 0)


def will_high(pin: int) -> Write:
    """Return the command that leaves the pin high."""
    return _will_write(pin, 1)


def _will_write(pin: int, level: int) -> Write:
    """The daemon's address is that of the library: PIGPIO_ADDR and PIGPIO_PORT."""
    place = f"{os.environ.get('PIGPIO_ADDR', 'localhost')}:{os.environ.get('PIGPIO_PORT', '8888')}"
    return Write(WriteKind.PIGPIO, place, 0, struct.pack("<4I", _WRITE, pin, level, 0))


def _check(result: int) -> None:
    if result < 0:
        raise OSError(5, f"pigpiod refuses with {result}")
