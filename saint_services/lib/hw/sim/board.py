"""The simulated computer: spec "sim:<directory>". Pins and chips are files below that directory, so
they outlive processes; the drivers above the ports are the real ones.
"""

import asyncio
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import monotonic_ns

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ... import config as settings
from ...errors import Code, SaintError
from ...generated.saint_msgs import GPIOPin, PeripheralInfo
from ...roles import RoleConfig
from ..header import PINS, function_of, pin_name
from ..ports import ByteStream, EdgeCallback, SpiBus
from .chips import CHIPS, Chip, Pca9685Chip
from .drive import Drive
from .feeding import Feeder
from .records import Reading, Records

UNUSED, INPUT, OUTPUT, PWM_DUTY, PWM_PULSE = range(5)
_POLL_S = 0.02  # how often inputs look whether another process has pressed a button
_NOTHING = Reading(0.0, 0, 0)
_NO_CHIP = 6  # ENXIO, what the kernel answers when nobody acknowledges


class SimChip(BaseModel):
    """A chip on a simulated bus."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bus: int = Field(ge=0, le=31)
    address: int = Field(ge=0x03, le=0x77)
    driver: str

    @field_validator("driver")
    @classmethod
    def _is_known(cls, driver: str) -> str:
        if driver not in CHIPS:
            raise ValueError(f"must be one of {', '.join(sorted(CHIPS))}")
        return driver


class SimBoardFile(BaseModel):
    """board.yaml: what is plugged in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Not given: a servo chip and a display, and what the role's manifest names.
    chips: list[SimChip] | None = None
    # The folder of the board whose tracks carry this one: an inertial sensor feels them.
    base: Path | None = None


_USUAL = (
    SimChip(bus=1, address=0x40, driver="pca9685"),
    SimChip(bus=1, address=0x3C, driver="ssd1306"),
)


class SimBoard:
    """Implements ports.Board on files."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._bank = Records(directory / "pins", PINS)
        self.drive = Drive(self._bank.read, self._output, self._edge)
        self._inputs: dict[int, EdgeCallback] = {}
        self._file = settings.load(SimBoardFile, directory / "board.yaml")
        self._chips: dict[tuple[int, int], Chip] = {}
        self._drivers: dict[tuple[int, int], str] = {}
        self._servo_chips: dict[str, Pca9685Chip] = {}
        self._feeder: Feeder | None = None
        self._panels: dict[tuple[int, int], int | None] = {}  # data pins of displays on SPI
        for chip in _USUAL if self._file.chips is None else self._file.chips:
            self._plug(chip.bus, chip.address, chip.driver)

    def prepare(self, config: RoleConfig) -> None:
        """Plug in and wire what the role names, as the builder of the robot would."""
        if self._feeder:
            self._feeder.close()
        base = self._file.base
        self._feeder = Feeder(self._directory, self._directory / base if base else None)
        self._servo_chips.clear()
        devices = config.spi_devices.values()
        self._panels = {(d.bus, d.select): d.data_pin for d in devices if d.driver == "st7789"}
        for name, device in config.i2c_devices.items():
            key = device.bus, device.address
            if self._file.chips is None:
                self._plug(*key, device.driver)
            chip = self._chips.get(key)
            if isinstance(chip, Pca9685Chip):
                self._servo_chips[name] = chip
            elif chip:
                self._feeder.attach(chip, name, config)
        self.drive.wire(config, self._directory)

    def pwm(self, pin: int, frequency_hz: int, used_by: str) -> "SimPwm":
        """A pin that repeats a pulse."""
        return SimPwm(self, pin, frequency_hz, used_by)

    def output(self, pin: int, used_by: str) -> "SimOutput":
        """A pin that is high or low."""
        self.claim(pin, OUTPUT, used_by)
        return SimOutput(self, pin)

    def edges(self, pins: Sequence[int], used_by: str, *, pull_up: bool = False) -> "SimEdges":
        """Input pins."""
        for pin in pins:
            self.claim(pin, INPUT, used_by)
            if pull_up and not self.read(pin).writes:
                self._bank.write(pin, 1.0)
        return SimEdges(self, tuple(pins))

    def i2c(self, bus: int) -> "SimI2c":
        """A bus with the chips of board.yaml."""
        chips = {address: chip for (b, address), chip in self._chips.items() if b == bus}
        return SimI2c(chips, self.drive)

    def spi(self, bus: int, select: int, speed_hz: int) -> SpiBus:
        """A chip select; what is sent can be looked at."""
        from .spi import SimSpi  # most boards have none

        panel = self._panels.get((bus, select))
        return SimSpi(self._directory, bus, select, lambda pin: self.read(pin).value >= 0.5, panel)

    def serial(self, port: str, baud: int) -> ByteStream:
        """A serial line with a motor controller."""
        from .serial_peers import open_peer

        return open_peer(self._directory, port)

    def quiet(self, pin: int) -> None:
        """No pulses, whoever set them."""
        self.write(pin, 0.0)

    def pins(self) -> list[GPIOPin]:
        """All pins of the header."""
        return [self._report(pin) for pin in range(PINS)]

    def peripherals(self) -> list[PeripheralInfo]:
        """The chips that are plugged in and answer."""
        return [
            PeripheralInfo("i2c", f"{bus}:0x{address:02x}", self._drivers[bus, address], True)
            for (bus, address), chip in self._chips.items()
            if _answers(chip)
        ]

    def close(self) -> None:
        """Unmap; everything keeps its value."""
        self.drive.stop()
        if self._feeder:
            self._feeder.close()
        self._bank.close()
        for chip in self._chips.values():
            chip.close()

    def claim(self, pin: int, kind: int, used_by: str) -> None:
        """Note who uses a pin, as the kernel does."""
        if not 0 <= pin < PINS:
            raise SaintError(Code.CONFIG_INVALID, f"{used_by}: there is no GPIO{pin}")
        self._bank.label(pin, kind, os.getpid(), used_by)

    def release(self, pin: int) -> None:
        """Nobody uses it; the level stays."""
        kind, _, _ = self._bank.labels(pin)
        self._bank.label(pin, kind, 0, "")

    def write(self, pin: int, value: float) -> None:
        """Set an output."""
        self._bank.write(pin, value)
        self.drive.pin_changed(pin)

    def read(self, pin: int) -> Reading:
        """What is on a pin."""
        return self._bank.read(pin)

    def kind(self, pin: int) -> int:
        """How a pin is used."""
        return self._bank.labels(pin)[0] & 0xFF

    def set_kind(self, pin: int, kind: int) -> None:
        """A PWM pin is told in duty or in pulses."""
        _, owner, text = self._bank.labels(pin)
        self._bank.label(pin, kind, owner, text)

    def listen(self, pin: int, callback: EdgeCallback | None) -> None:
        """Who wants the edges of an input."""
        if callback:
            self._inputs[pin] = callback
        else:
            self._inputs.pop(pin, None)

    def is_wired(self, pin: int) -> bool:
        """True when a simulated encoder drives the pin."""
        return pin in self.drive.encoder_pins

    def _plug(self, bus: int, address: int, driver: str) -> None:
        key = bus, address
        if self._drivers.get(key) != driver:
            if key in self._chips:
                self._chips[key].close()
            self._chips[key] = CHIPS[driver](self._directory / chip_file(bus, address))
            self._drivers[key] = driver

    def _output(self, device: str, channel: int) -> Reading:
        chip = self._servo_chips.get(device)
        return chip.output(channel) if chip else _NOTHING

    def _edge(self, pin: int, level: bool, stamp_ns: int) -> None:
        self._bank.write(pin, float(level))
        if callback := self._inputs.get(pin):
            callback(pin, level, stamp_ns)

    def _report(self, pin: int) -> GPIOPin:
        kind, owner, used_by = self._bank.labels(pin)
        in_use = owner != 0 and _is_alive(owner)
        value = self._bank.read(pin).value
        frequency_hz, kind = kind >> 8, kind & 0xFF
        if kind in (PWM_DUTY, PWM_PULSE):
            duty = value if kind == PWM_DUTY else value * frequency_hz / 1e6
            direction, state = "pwm", f"pwm_{duty * 100:.0f}"
        else:
            direction = "output" if kind == OUTPUT else function_of(pin)
            state = "high" if value >= 0.5 else "low"
        return GPIOPin(pin, pin_name(pin), direction, state, in_use, used_by if in_use else "")


class SimPwm:
    """A PWM pin; its record holds the duty (0 to 1) or the pulse in us, as the driver sets it."""

    def __init__(self, board: SimBoard, pin: int, frequency_hz: int, used_by: str) -> None:
        self._pin = pin
        self._board = board
        kind = board.kind(pin)
        self._kind = kind if kind in (PWM_DUTY, PWM_PULSE) else UNUSED
        self._frequency_hz = frequency_hz
        board.claim(pin, (self._kind or PWM_DUTY) | frequency_hz << 8, used_by)

    def set_pulse_us(self, pulse_us: float) -> None:
        """Length of the pulse."""
        self._set(PWM_PULSE, pulse_us)

    def set_duty(self, duty: float) -> None:
        """Share of the period."""
        self._set(PWM_DUTY, duty)

    def off(self) -> None:
        """No pulses."""
        self._board.write(self._pin, 0.0)

    def pulse_us(self) -> float:
        """What is on the pin."""
        if self._kind == UNUSED:
            return 0.0
        value = self._board.read(self._pin).value
        return value if self._kind == PWM_PULSE else value * 1e6 / self._frequency_hz

    def close(self) -> None:
        """Give the pin back; the pulse stays."""
        self._board.release(self._pin)

    def _set(self, kind: int, value: float) -> None:
        if kind != self._kind:
            self._kind = kind
            self._board.set_kind(self._pin, kind | self._frequency_hz << 8)
        self._board.write(self._pin, value)


class SimOutput:
    """A pin that is high or low."""

    def __init__(self, board: SimBoard, pin: int) -> None:
        self._board = board
        self._pin = pin

    def set(self, high: bool) -> None:
        """Set the level."""
        self._board.write(self._pin, float(high))

    def close(self) -> None:
        """Give the pin back; the level stays."""
        self._board.release(self._pin)


class SimEdges:
    """Input pins: edges come from a simulated encoder, or from another process that writes them."""

    def __init__(self, board: SimBoard, pins: tuple[int, ...]) -> None:
        self._board = board
        self._pins = pins
        self._known = self.levels()
        self._timer: asyncio.TimerHandle | None = None

    def levels(self) -> dict[int, bool]:
        """The levels now."""
        return {pin: self._board.read(pin).value >= 0.5 for pin in self._pins}

    def listen(self, callback: EdgeCallback) -> None:
        """Report edges from now on."""
        for pin in self._pins:
            self._board.listen(pin, callback)
        if not any(self._board.is_wired(pin) for pin in self._pins):
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(_POLL_S, partial(self._poll, loop, callback))

    def close(self) -> None:
        """No more edges."""
        if self._timer:
            self._timer.cancel()
        for pin in self._pins:
            self._board.listen(pin, None)
            self._board.release(pin)

    def _poll(self, loop: asyncio.AbstractEventLoop, callback: EdgeCallback) -> None:
        self._timer = loop.call_later(_POLL_S, partial(self._poll, loop, callback))
        for pin, level in self.levels().items():
            if level != self._known[pin]:
                self._known[pin] = level
                callback(pin, level, monotonic_ns())


class SimI2c:
    """The chips of one bus."""

    def __init__(self, chips: dict[int, Chip], drive: Drive | None = None) -> None:
        self._chips = chips
        self._drive = drive

    def write(self, address: int, data: bytes) -> None:
        """One write. What it changed moves from now on."""
        chip = self._at(address)
        chip.write(data)
        if self._drive and isinstance(chip, Pca9685Chip):
            self._drive.advance()

    def transfer(self, address: int, data: bytes, length: int) -> bytes:
        """Write, then read."""
        chip = self._at(address)
        chip.write(data)
        return chip.read(length)

    def close(self) -> None:
        """The chips belong to the board."""

    def _at(self, address: int) -> Chip:
        try:
            return self._chips[address]
        except KeyError:
            raise OSError(_NO_CHIP, "no acknowledge") from None


def chip_file(bus: int, address: int) -> str:
    """The file of a chip below the board's directory."""
    return f"i2c-{bus}-{address:02x}"


def _answers(chip: Chip) -> bool:
    try:
        chip.read(1)
    except OSError:
        return False
    return True


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # it lives, as another user
    return True
