"""A Raspberry Pi: spec "real". PWM comes from pigpiod where it runs, else from the kernel; digital
pins from libgpiod where it is new enough, else from pigpiod.
"""

import errno
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import Code, SaintError
from ..generated.saint_msgs import GPIOPin, PeripheralInfo
from ..guard.will import Write, WriteKind
from ..role_config.devices import WITH_PWM
from ..role_config.model import RoleConfig
from . import peripherals
from .buses.smbus import SmbusI2c
from .can.frame import CanFrame
from .can.port import CanFilter, CanPort
from .datagrams import DatagramPort
from .pins import pigpio_pins, spi_pins
from .pins.gpiod_pins import GpiodPins, library
from .ports import ByteStream, DigitalOut, EdgeInput, I2cBus, PwmOut, SpiBus
from .pwm import pigpio_pwm, sysfs_pwm


class PiBoard:
    """Implements ports.Board. Each part is opened when first used, so that a node works
    without I2C or PWM until a role needs it.
    """

    def __init__(self, pwm_root: Path = sysfs_pwm.ROOT, devices: Path = Path("/dev")) -> None:
        self._pwm_root = pwm_root
        self._devices = devices
        self._gpio: GpiodPins | None = None
        self._pigpio: Any = None
        self._kernel: tuple[Path, dict[int, int]] | None = None
        self._pwm_users: dict[int, str] = {}  # by pin

    def prepare(self, config: RoleConfig) -> None:
        """Open the PWM now, so that no pin must be opened for it later."""
        if any(spec.type in WITH_PWM and spec.pwm_pins for spec in config.gpio_mapping.values()):
            self._open_pwm()

    def pwm(self, pin: int, frequency_hz: int, used_by: str) -> PwmOut:
        """A pin that repeats a pulse."""
        self._open_pwm()
        if self._pigpio:
            return pigpio_pwm.PigpioPwm(self._pigpio, pin, frequency_hz, used_by)
        chip, channel = self._channel(pin, used_by)
        holder = self._pwm_users.setdefault(pin, used_by)
        if holder != used_by:
            raise SaintError(
                Code.CONFIG_INVALID,
                f"{used_by} and {holder} need the same pin, GPIO{pin}",
                fix="Move one of them.",
            )
        return sysfs_pwm.SysfsPwm(chip, channel, frequency_hz, used_by)

    def pwm_channels(self) -> Mapping[int, int]:
        """Return the channel of each pin that has one; with pigpiod every pin has its own."""
        try:
            self._open_pwm()
        except SaintError:
            return {}  # no PWM: opening a device raises
        return self._kernel[1] if self._kernel else {}

    def output(self, pin: int, used_by: str, *, high: bool = False) -> DigitalOut:
        """A pin that is high or low."""
        if self._needs_pigpio():
            return pigpio_pins.PigpioOutput(self._pigpio, pin, high=high)
        return self._open_gpio().output(pin, used_by, high=high)

    def edges(self, pins: Sequence[int], used_by: str, *, pull_up: bool = False) -> EdgeInput:
        """Input pins."""
        if self._needs_pigpio():
            return pigpio_pins.PigpioEdges(self._pigpio, pins, pull_up=pull_up)
        return self._open_gpio().edges(pins, used_by, pull_up=pull_up)

    def i2c(self, bus: int) -> I2cBus:
        """An I2C bus."""
        return SmbusI2c(bus)

    def spi(self, bus: int, select: int, speed_hz: int) -> SpiBus:
        """A chip select of an SPI bus."""
        from .buses.spidev_bus import SpidevBus  # most roles have none

        return SpidevBus(bus, select, speed_hz)

    def serial(
        self, port: str, baud: int, *, parity: str = "none", stopbits: int = 1
    ) -> ByteStream:
        """A serial line, for this process alone."""
        from .buses.serial import open_serial

        return open_serial(port, baud, parity, stopbits)

    def can(self, port: str, bit_rate: int, filters: Sequence[CanFilter] = ()) -> CanPort:
        """A CAN bus."""
        from .can.opening import open_can

        return open_can(port, bit_rate=bit_rate, filters=filters)

    def datagrams(self, host: str, port: int, listen_port: int) -> DatagramPort:
        """UDP to a device."""
        from .datagrams import UdpPort

        return UdpPort(host, port, listen_port)

    def will_quiet(self, pin: int) -> Write:
        """No pulses on a pin."""
        self._open_pwm()
        if self._pigpio:
            return pigpio_pwm.will_low(pin)
        chip, channel = self._channel(pin, "safe state")
        return Write(WriteKind.FILE, str(chip / f"pwm{channel}" / "duty_cycle"), 0, b"0")

    def will_low(self, pin: int) -> Write:
        """An output line is low."""
        if self._needs_pigpio():
            return pigpio_pwm.will_low(pin)
        return Write(WriteKind.LINE, self._open_gpio().path, pin, b"\0")

    def will_high(self, pin: int) -> Write:
        """An output line is high."""
        if self._needs_pigpio():
            return pigpio_pwm.will_high(pin)
        return Write(WriteKind.LINE, self._open_gpio().path, pin, b"\1")

    def will_i2c(self, bus: int, address: int, data: bytes) -> Write:
        """One transfer to a chip."""
        return Write(WriteKind.I2C, f"/dev/i2c-{bus}", address, data)

    def will_serial(self, port: str, baud: int, data: bytes) -> Write:
        """Bytes on a serial line."""
        return Write(WriteKind.SERIAL, port, baud, data)

    def will_can(self, port: str, frame: CanFrame) -> Write:
        """A frame on a CAN bus; to a serial adapter it is text."""
        from .can import slcan
        from .can.socketcan import EFF_FLAG

        if port.startswith("/"):  # the empty line ends what the role had half written
            return Write(WriteKind.SERIAL, port, slcan.BAUD, b"\r" + slcan.written(frame))
        place = frame.id | (EFF_FLAG if frame.is_extended else 0)
        return Write(WriteKind.CAN, port, place, frame.data)

    def will_datagram(self, host: str, port: int, data: bytes) -> Write:
        """A datagram to a device."""
        return Write(WriteKind.UDP, f"{host}:{port}", 0, data)

    def line_descriptor(self, pin: int) -> int | None:
        """The request of an output line."""
        return self._gpio.descriptor(pin) if self._gpio else None

    def pins(self) -> list[GPIOPin]:
        """Return all lines of the header. The kernel reports owners and directions, pigpiod levels;
        other levels stay unknown, as requesting a line changes what it does.
        """
        if self._needs_pigpio():
            return pigpio_pins.report(self._pigpio)
        lines = self._open_gpio().report()
        if self._pigpio:
            for line, seen in zip(lines, pigpio_pins.report(self._pigpio), strict=True):
                line.direction, line.current_state = seen.direction, seen.current_state
        elif self._kernel:
            for pin, duty in sysfs_pwm.duties(*self._kernel).items():
                lines[pin].direction, lines[pin].current_state = "pwm", f"pwm_{duty * 100:.0f}"
        spi_pins.mark(lines, is_spi_on=spi_pins.is_on(self._devices.parent))
        return lines

    def peripherals(self) -> list[PeripheralInfo]:
        """Detect what is plugged in. An empty read disturbs no display or sensor."""
        return peripherals.discover(self._devices.parent, _scan)

    def root(self) -> Path:
        """The machine's own files."""
        return self._devices.parent

    def close(self) -> None:
        """Release everything; pulses stay."""
        if self._pigpio:
            self._pigpio.stop()
            self._pigpio = None

    def _open_pwm(self) -> None:
        if self._pigpio or self._kernel:
            return
        self._pigpio = pigpio_pwm.connect()
        if not self._pigpio:
            self._kernel = sysfs_pwm.find_chip(self._pwm_root)

    def _channel(self, pin: int, used_by: str) -> tuple[Path, int]:
        assert self._kernel
        chip, channels = self._kernel
        if pin not in channels:
            raise SaintError(
                Code.CONFIG_INVALID,
                f"{used_by}: GPIO{pin} has no kernel PWM",
                fix=f"Use GPIO {' or '.join(map(str, channels))}, or a PCA9685 (on Raspberry Pi OS "
                "up to 12 pigpiod has pulses on every pin).",
            )
        return chip, channels[pin]

    def _needs_pigpio(self) -> bool:
        """Return True when libgpiod cannot be used here and pigpiod runs."""
        if self._gpio is not None:
            return False
        try:
            self._open_gpio()
        except SaintError:
            self._pigpio = self._pigpio or pigpio_pwm.connect()
            return self._pigpio is not None
        return False

    def _open_gpio(self) -> GpiodPins:
        if self._gpio is None:
            self._gpio = GpiodPins(library(), self._devices)
        return self._gpio


def _scan(number: int, left_out: Collection[int]) -> list[int]:
    """Return the addresses that answer on a bus. Raises OSError at the first address when the bus
    itself fails, as each further one would time out too.
    """
    try:
        bus = SmbusI2c(number)
    except SaintError as err:
        raise OSError(errno.EACCES, err.message) from err
    found = []
    try:
        for address in peripherals.ADDRESSES:
            if address in left_out:
                continue
            try:
                bus.transfer(address, b"", 1)
            except OSError as err:
                if err.errno == errno.ETIMEDOUT:
                    raise
                continue  # no chip there
            found.append(address)
    finally:
        bus.close()
    return found
