"""What a driver may ask of the hardware, one protocol per kind of port. Real and simulated boards
implement them; drivers know nothing else. Closing a port never changes its output: a servo keeps
its last pulse when its process ends, and whoever needs a pin to be quiet says so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..generated.saint_msgs import GPIOPin, PeripheralInfo
from ..guard.will import Write
from ..role_config.model import RoleConfig

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


class SpiBus(Protocol):
    """One chip select of an SPI bus. Errors are OSErrors; a chip that is not there is none."""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


class ByteStream(Protocol):
    """A serial line that never blocks. Reading or writing raises SaintError when it is gone."""

    def fileno(self) -> int: ...

    def read(self) -> bytes:
        """What has arrived."""
        ...

    def write(self, data: bytes) -> int:
        """Hand over what fits now; how many bytes that was."""
        ...

    def close(self) -> None: ...


class Board(Protocol):
    """The 40-pin header and the buses of one computer. Opening raises SaintError."""

    def prepare(self, config: RoleConfig) -> None:
        """Check that this board can do what a role needs; the simulation also wires it."""
        ...

    def pwm(self, pin: int, frequency_hz: int, used_by: str) -> PwmOut: ...

    def pwm_channels(self) -> Mapping[int, int]:
        """The PWM channel of each pin; pins of one channel have the same pulse."""
        ...

    def output(self, pin: int, used_by: str) -> DigitalOut: ...

    def edges(self, pins: Sequence[int], used_by: str, *, pull_up: bool = False) -> EdgeInput: ...

    def i2c(self, bus: int) -> I2cBus: ...

    def spi(self, bus: int, select: int, speed_hz: int) -> SpiBus: ...

    def serial(self, port: str, baud: int) -> ByteStream: ...

    # What a will is made of: each call returns the write that has this effect when it is carried
    # out, whoever opened the output and whether that process still lives or not.

    def will_quiet(self, pin: int) -> Write:
        """No pulses on a pin."""
        ...

    def will_low(self, pin: int) -> Write:
        """An output line is low."""
        ...

    def will_i2c(self, bus: int, address: int, data: bytes) -> Write:
        """One transfer to a chip."""
        ...

    def will_serial(self, port: str, baud: int, data: bytes) -> Write:
        """Bytes on a serial line."""
        ...

    def line_descriptor(self, pin: int) -> int | None:
        """The descriptor of an output line that this process holds, to be handed to the guard;
        None where an output needs none."""
        ...

    def pins(self) -> list[GPIOPin]:
        """The header as NodeGPIOStatus shows it."""
        ...

    def peripherals(self) -> list[PeripheralInfo]:
        """What answers on the I2C buses. Blocks: call it in a thread."""
        ...

    def close(self) -> None: ...


# What drivers offer to roles, one protocol per kind of device.


class Motor(Protocol):
    """A motor that turns as long as it is told to. Setting it never waits."""

    duty: float  # what it was last told, -1 to 1

    def set(self, duty: float) -> None:
        """Drive with -1 (full backward) to 1 (full forward). Raises OSError."""
        ...

    def stop(self) -> None:
        """No torque, at once."""
        ...

    @property
    def current_a(self) -> float | None:
        """What it takes, when its driver measures that."""
        ...

    @property
    def problem(self) -> str:
        """What is wrong with it, in a sentence; empty: nothing."""
        ...

    def close(self) -> None:
        """Stop, then give everything back."""
        ...


class Encoder(Protocol):
    """Counts turns; the count starts at zero."""

    @property
    def count(self) -> int: ...

    @property
    def illegal(self) -> int:
        """What cannot have been: each one is a count that may be wrong."""
        ...

    def listen(self) -> None:
        """Count from now on, in the running loop."""
        ...

    def close(self) -> None: ...


Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class ImuSample:
    """REP 103: x forward, y left, z up; at rest the acceleration is +9.8 along z."""

    gyro_rads: Vector
    accel_mps2: Vector
    temperature_c: float
    is_calibrated: bool  # the gyroscope's bias is known and taken off


@dataclass(frozen=True, slots=True)
class DistanceSample:
    """As in sensor_msgs/Range: +inf when nothing is within reach."""

    distance_m: float


@dataclass(frozen=True, slots=True)
class PressureSample:
    """Air."""

    pressure_pa: float
    temperature_c: float


@dataclass(frozen=True, slots=True)
class PowerSample:
    """A supply."""

    voltage_v: float
    current_a: float
    power_w: float


Sample = ImuSample | DistanceSample | PressureSample | PowerSample


class Sensor(Protocol):
    """Something that measures. Blocks for the time of its transfers: lib/hw/sensors reads it in a
    thread. Raises OSError; afterwards it is opened anew.
    """

    def read(self) -> Sample | None:
        """The newest measurement; None when there is none since the last call."""
        ...


class LedStrip(Protocol):
    """Lights in a row."""

    def show(self, colours: Sequence[tuple[int, int, int]]) -> None:
        """Red, green, blue of each, 0 to 255; what is left out is dark. Raises OSError."""
        ...

    def close(self) -> None: ...


class Display(Protocol):
    """Rows of text. Writes raise OSError."""

    @property
    def is_shown(self) -> bool:
        """True when nothing is left to be sent."""
        ...

    def show(self, lines: Sequence[str], most_pages: int = ...) -> None:
        """Bring the display nearer to `lines` by at most so many rows."""
        ...

    def off(self) -> None: ...
