"""What a driver may ask of the hardware, one protocol per kind of port. Real and simulated boards
implement them; drivers know nothing else. Closing a port never changes its output: a servo keeps
its last pulse when its process ends, and whoever needs a pin to be quiet says so.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from ..generated.saint_msgs import GPIOPin, PeripheralInfo
from ..roles import RoleConfig

EdgeCallback = Callable[[int, bool, int], None]  # pin, new level, CLOCK_MONOTONIC ns


class PwmOut(Protocol):
    """A pin that repeats a pulse."""

    def set_pulse_us(self, pulse_us: float) -> None:
        """Length of the pulse; the frequency is fixed when the pin is opened."""
        ...

    def set_duty(self, duty: float) -> None:
        """Share of the period, 0 to 1."""
        ...

    def off(self) -> None:
        """No pulses."""
        ...

    def pulse_us(self) -> float:
        """The pulse that is on the pin now, also if another process put it there; 0: none."""
        ...

    def close(self) -> None: ...


class DigitalOut(Protocol):
    """A pin that is high or low."""

    def set(self, high: bool) -> None: ...

    def close(self) -> None: ...


class EdgeInput(Protocol):
    """One or more input pins whose edges arrive in the order in which they happened."""

    def levels(self) -> dict[int, bool]: ...

    def listen(self, callback: EdgeCallback) -> None:
        """Call it in the running loop for every edge from now on."""
        ...

    def close(self) -> None: ...


class I2cBus(Protocol):
    """An I2C bus. Whatever goes wrong on the wire, a device that does not answer included, is an
    OSError."""

    def write(self, address: int, data: bytes) -> None:
        """One write from START to STOP."""
        ...

    def transfer(self, address: int, data: bytes, length: int) -> bytes:
        """Write, repeated START, read `length` bytes."""
        ...

    def close(self) -> None: ...


class Board(Protocol):
    """The 40-pin header and the buses of one computer. Opening raises SaintError."""

    def prepare(self, config: RoleConfig) -> None:
        """Check that this board can do what a role needs; the simulation also wires it."""
        ...

    def pwm(self, pin: int, frequency_hz: int, used_by: str) -> PwmOut: ...

    def output(self, pin: int, used_by: str) -> DigitalOut: ...

    def edges(self, pins: Sequence[int], used_by: str, *, pull_up: bool = False) -> EdgeInput: ...

    def i2c(self, bus: int) -> I2cBus: ...

    def quiet(self, pin: int) -> None:
        """No pulses on a pin, whoever opened it and whether that process still lives or not."""
        ...

    def pins(self) -> list[GPIOPin]:
        """The header as NodeGPIOStatus shows it."""
        ...

    def peripherals(self) -> list[PeripheralInfo]:
        """What answers on the I2C buses. Blocks: call it in a thread."""
        ...

    def close(self) -> None: ...
