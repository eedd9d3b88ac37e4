"""The simulated computer: spec "sim:<directory>". Pins and chips are files below that directory, so
they outlive processes; the drivers above the ports are the real ones.
"""

import asyncio
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import monotonic_ns
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ... import config as settings
from ...errors import Code, SaintError
from ...generated.saint_msgs import GPIOPin, PeripheralInfo
from ...roles import RoleConfig
from ..header import PINS, function_of, pin_name
from ..ports import EdgeCallback
from .chips import CHIPS, Chip
from .motors import Drive, Motor, Wiring
from .records import Reading, Records

UNUSED, INPUT, OUTPUT, PWM_DUTY, PWM_PULSE = range(5)
_POLL_S = 0.02  # how often inputs look whether another process has pressed a button
_NO_CHIP = 6  # ENXIO, what the kernel answers when nobody acknowledges


class SimChip(BaseModel):
    """A chip on a simulated bus."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bus: int = Field(ge=0, le=31)
    address: int = Field(ge=0x03, le=0x77)
    driver: Literal["pca9685", "ssd1306"]


class SimBoardFile(BaseModel):
    """board.yaml: what is plugged in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    chips: list[SimChip] = [
        SimChip(bus=1, address=0x40, driver="pca9685"),
        SimChip(bus=1, address=0x3C, driver="ssd1306"),
    ]


class SimBoard:
    """Implements ports.Board on files."""

    def __init__(self, directory: Path) -> None:
        self._bank = Records(directory / "pins", PINS)
        self.drive = Drive(lambda pin: self._bank.read(pin).value, self._edge)
        self._inputs: dict[int, EdgeCallback] = {}
        plugged = settings.load(SimBoardFile, directory / "board.yaml").chips
        self._chips: dict[tuple[int, int], Chip] = {
            (chip.bus, chip.address): CHIPS[chip.driver](
                directory / chip_file(chip.bus, chip.address)
            )
            for chip in plugged
        }
        self._drivers = {(chip.bus, chip.address): chip.driver for chip in plugged}

    def prepare(self, config: RoleConfig) -> None:
        """Wire a motor to the encoder of the same name, as the builder of the robot would."""
        geometry = config.geometry
        for name, motor in config.gpio_mapping.items():
            encoder = config.gpio_mapping.get(name.removesuffix("_motor") + "_encoder")
            if motor.type != "hbridge" or encoder is None or geometry is None:
                continue
            if motor.pin is None or motor.direction_pin is None:
                continue
            if encoder.pin is None or encoder.pin_b is None:
                continue
            around_m = 6.283185307179586 * geometry.wheel_radius_m
            top_speed = geometry.top_speed_mps / around_m * geometry.ticks_per_turn
            lines = (encoder.pin, encoder.pin_b)
            self.drive.add(
                Wiring(
                    Motor(top_speed),
                    motor.pin,
                    motor.direction_pin,
                    lines[::-1] if encoder.reversed else lines,
                    motor.reversed,
                )
            )

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
        return SimI2c({address: chip for (b, address), chip in self._chips.items() if b == bus})

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

    def __init__(self, chips: dict[int, Chip]) -> None:
        self._chips = chips

    def write(self, address: int, data: bytes) -> None:
        """One write."""
        self._at(address).write(data)

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
