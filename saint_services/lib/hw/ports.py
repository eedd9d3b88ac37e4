"""Interfaces between drivers and hardware, one protocol per kind of port. Real and simulated boards
implement them; drivers use nothing else. A servo keeps its last pulse when its port is closed, and
`off` ends it. An output line that is closed falls to its rest level, unless the kernel keeps it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..generated.saint_msgs import GPIOPin, PeripheralInfo
from ..guard.will import Write
from ..role_config.model import RoleConfig
from .can.frame import CanFrame
from .can.port import CanFilter, CanPort
from .datagrams import DatagramPort

EdgeCallback = Callable[[int, bool, int], None]  # pin, new level, CLOCK_MONOTONIC ns


class PwmOut(Protocol):
    """A pin that repeats a pulse."""

    def set_pulse_us(self, pulse_us: float) -> None:
        """Set the length of the pulse; the frequency is fixed when the pin is opened."""
        ...

    def set_duty(self, duty: float) -> None:
        """Set the share of the period, 0 to 1."""
        ...

    def off(self) -> None:
        """No pulses."""
        ...

    def pulse_us(self) -> float:
        """Return the pulse on the pin, also of another process; 0: none."""
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
        """Report every edge in the running loop from now on."""
        ...

    def close(self) -> None: ...


class I2cBus(Protocol):
    """An I2C bus. Every failure on the wire, a device that does not answer included, is an
    OSError."""

    def write(self, address: int, data: bytes) -> None:
        """Write, from START to STOP."""
        ...

    def transfer(self, address: int, data: bytes, length: int) -> bytes:
        """Write, repeated START, read `length` bytes."""
        ...

    def close(self) -> None: ...


class SpiBus(Protocol):
    """One chip select of an SPI bus. Errors are OSErrors; a missing chip is not detected."""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


class ByteStream(Protocol):
    """A serial line that never blocks. Its methods raise SaintError when it is unplugged."""

    def fileno(self) -> int: ...

    def wake_at(self, count: int) -> None:
        """Have the descriptor become readable with so many bytes, where the line can do so, and not
        with the first of them. Fewer wait for the next read. Never raises."""
        ...

    def read(self) -> bytes:
        """Return what has arrived."""
        ...

    def write(self, data: bytes) -> int:
        """Write what fits now; return how many bytes."""
        ...

    def close(self) -> None: ...


class Board(Protocol):
    """The 40-pin header and the buses of one computer. Opening raises SaintError."""

    def prepare(self, config: RoleConfig) -> None:
        """Check that this board supports what a role needs; the simulation also wires it."""
        ...

    def pwm(self, pin: int, frequency_hz: int, used_by: str) -> PwmOut: ...

    def pwm_channels(self) -> Mapping[int, int]:
        """Return the PWM channel of each pin; pins of one channel have the same pulse."""
        ...

    def output(self, pin: int, used_by: str, *, high: bool = False) -> DigitalOut:
        """Open an output line at that level, without another one before. It is the line's rest: the
        pull of a closed line, whose process may have ended in any way, leads there."""
        ...

    def edges(self, pins: Sequence[int], used_by: str, *, pull_up: bool = False) -> EdgeInput: ...

    def i2c(self, bus: int) -> I2cBus: ...

    def spi(self, bus: int, select: int, speed_hz: int) -> SpiBus: ...

    def serial(
        self, port: str, baud: int, *, parity: str = "none", stopbits: int = 1
    ) -> ByteStream: ...

    def can(self, port: str, bit_rate: int, filters: Sequence[CanFilter] = ()) -> CanPort:
        """Open a CAN bus: an interface of the kernel, or an adapter's serial port. Where the kernel
        can filter, other frames do not wake the process."""
        ...

    def datagrams(self, host: str, port: int, listen_port: int) -> DatagramPort:
        """Open UDP to a device on the robot's network, and the port at which it reports."""
        ...

    # Parts of a will: each call returns the write that has this effect when it is carried out,
    # whether the process that opened the output still runs or not.

    def will_quiet(self, pin: int) -> Write:
        """Return the write that ends pulses on a pin."""
        ...

    def will_low(self, pin: int) -> Write:
        """Return the write that sets an output line low."""
        ...

    def will_high(self, pin: int) -> Write:
        """Return the write that sets an output line high: the rest of what is active low."""
        ...

    def will_i2c(self, bus: int, address: int, data: bytes) -> Write:
        """Return the write of one transfer to a chip."""
        ...

    def will_serial(self, port: str, baud: int, data: bytes) -> Write:
        """Return the write of bytes to a serial line."""
        ...

    def will_can(self, port: str, frame: CanFrame) -> Write:
        """Return the write of a frame to a CAN bus."""
        ...

    def will_datagram(self, host: str, port: int, data: bytes) -> Write:
        """Return the write of one datagram to a device."""
        ...

    def line_descriptor(self, pin: int) -> int | None:
        """Return the descriptor of an output line of this process, for the guard; None where an
        output needs none."""
        ...

    def pins(self) -> list[GPIOPin]:
        """Report the header's pins as in NodeGPIOStatus."""
        ...

    def peripherals(self) -> list[PeripheralInfo]:
        """Detect what is plugged in. Blocks: call it in a thread."""
        ...

    def root(self) -> Path:
        """Return the folder below which the kernel's files of this board are: /sys, /proc, /dev."""
        ...

    def close(self) -> None: ...


# What drivers offer to roles, one protocol per kind of device.


class Motor(Protocol):
    """A motor that turns until it is set to 0. Setting it never blocks."""

    duty: float  # as last set, -1 to 1

    def set(self, duty: float) -> None:
        """Drive with -1 (full backward) to 1 (full forward). Raises OSError."""
        ...

    def stop(self) -> None:
        """No torque, at once."""
        ...

    @property
    def current_a(self) -> float | None:
        """Return the current in A, where the driver measures it."""
        ...

    @property
    def problem(self) -> str:
        """Return the fault in a sentence, or ""."""
        ...

    def close(self) -> None:
        """Stop, then release everything."""
        ...


class Encoder(Protocol):
    """Counts turns; the count starts at zero."""

    @property
    def count(self) -> int: ...

    @property
    def illegal(self) -> int:
        """Return the number of impossible edges: each may be a wrong count."""
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
    is_calibrated: bool  # the gyroscope's bias is known and subtracted


@dataclass(frozen=True, slots=True)
class DistanceSample:
    """As in sensor_msgs/Range: +inf when nothing is within reach."""

    distance_m: float


@dataclass(frozen=True, slots=True)
class PressureSample:
    """Pressure and temperature of the air."""

    pressure_pa: float
    temperature_c: float


@dataclass(frozen=True, slots=True)
class LightSample:
    """Ambient light; inf: brighter than the sensor measures."""

    lux: float


@dataclass(frozen=True, slots=True)
class PowerSample:
    """Voltage, current and power of a supply."""

    voltage_v: float
    current_a: float
    power_w: float


Sample = ImuSample | DistanceSample | PressureSample | LightSample | PowerSample


class Sensor(Protocol):
    """Something that measures. Blocks for the time of its transfers: lib/hw/sensors reads it in a
    thread. Raises OSError; then it must be opened again.
    """

    def read(self) -> Sample | None:
        """Return the newest measurement; None without one since the last call."""
        ...


class LedStrip(Protocol):
    """Lights in a row."""

    def show(self, colours: Sequence[tuple[int, int, int]]) -> None:
        """Show red, green, blue (0 to 255) of each light; missing ones are dark. Raises OSError."""
        ...

    def close(self) -> None: ...


class Display(Protocol):
    """Rows of text. Writes raise OSError."""

    @property
    def is_shown(self) -> bool:
        """Return True when nothing is left to send."""
        ...

    def show(self, lines: Sequence[str], most_pages: int = ...) -> None:
        """Send at most so many changed rows of `lines`."""
        ...

    def off(self) -> None: ...
