"""A Raspberry Pi: spec "real". PWM comes from pigpiod where it runs, else from the kernel."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import Code, SaintError
from ..generated.saint_msgs import GPIOPin, PeripheralInfo
from ..roles import RoleConfig
from . import pigpio_pwm, sysfs_pwm
from .gpiod_pins import GpiodPins, library
from .ports import DigitalOut, EdgeInput, I2cBus, PwmOut
from .smbus import SmbusI2c

_KNOWN = {0x3C: "SSD1306?", 0x40: "PCA9685?", 0x68: "MPU6050?"}
_PROBE = range(0x08, 0x78)  # the rest is reserved


class PiBoard:
    """Implements ports.Board. Each part is opened when it is first needed: an unadopted node
    without I2C or PWM is still a node.
    """

    def __init__(self, pwm_root: Path = sysfs_pwm.ROOT, devices: Path = Path("/dev")) -> None:
        self._pwm_root = pwm_root
        self._devices = devices
        self._gpio: GpiodPins | None = None
        self._pigpio: Any = None
        self._kernel: tuple[Path, dict[int, int]] | None = None
        self._pwm_users: dict[int, str] = {}

    def prepare(self, config: RoleConfig) -> None:
        """Open the PWM now, so that making a pin quiet later costs nothing."""
        if any(spec.type in ("servo", "hbridge") for spec in config.gpio_mapping.values()):
            self._open_pwm()

    def pwm(self, pin: int, frequency_hz: int, used_by: str) -> PwmOut:
        """A pin that repeats a pulse."""
        self._open_pwm()
        if self._pigpio:
            return pigpio_pwm.PigpioPwm(self._pigpio, pin, frequency_hz, used_by)
        chip, channel = self._channel(pin, used_by)
        holder = self._pwm_users.setdefault(channel, used_by)
        if holder != used_by:
            raise SaintError(
                Code.CONFIG_INVALID,
                f"{used_by} and {holder} need the same kernel PWM channel {channel} (GPIO{pin})",
                fix="Start pigpiod, which has PWM on every pin, or move one of them.",
            )
        return sysfs_pwm.SysfsPwm(chip, channel, frequency_hz, used_by)

    def output(self, pin: int, used_by: str) -> DigitalOut:
        """A pin that is high or low."""
        return self._open_gpio().output(pin, used_by)

    def edges(self, pins: Sequence[int], used_by: str, *, pull_up: bool = False) -> EdgeInput:
        """Input pins."""
        return self._open_gpio().edges(pins, used_by, pull_up=pull_up)

    def i2c(self, bus: int) -> I2cBus:
        """An I2C bus."""
        return SmbusI2c(bus)

    def quiet(self, pin: int) -> None:
        """No pulses on a pin, whoever set them."""
        self._open_pwm()
        if self._pigpio:
            pigpio_pwm.quiet(self._pigpio, pin)
        else:
            sysfs_pwm.quiet(*self._channel(pin, "safe state"))

    def pins(self) -> list[GPIOPin]:
        """All pins of the header."""
        return self._open_gpio().report()

    def peripherals(self) -> list[PeripheralInfo]:
        """What answers to an empty read; a display or sensor is not disturbed by it."""
        found = []
        for device in sorted(self._devices.glob("i2c-[0-9]*")):
            bus = int(device.name.removeprefix("i2c-"))
            if bus < 10:  # those above are HDMI's
                found += _scan(bus)
        return found

    def close(self) -> None:
        """Pins keep what they have."""
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
                fix=f"Use one of GPIO {', '.join(map(str, channels))}, or start pigpiod.",
            )
        return chip, channels[pin]

    def _open_gpio(self) -> GpiodPins:
        if self._gpio is None:
            self._gpio = GpiodPins(library(), self._devices)
        return self._gpio


def _scan(number: int) -> list[PeripheralInfo]:
    bus = SmbusI2c(number)
    found = []
    try:
        for address in _PROBE:
            try:
                bus.transfer(address, b"", 1)
            except OSError:
                continue  # nobody there
            text = _KNOWN.get(address, "unknown")
            found.append(PeripheralInfo("i2c", f"{number}:0x{address:02x}", text, True))
    finally:
        bus.close()
    return found
