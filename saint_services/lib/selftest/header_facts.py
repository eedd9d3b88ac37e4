"""Reads the header through the ports of the board, and its buses from the kernel's files. Not here:
what of that is a fault (header_checks.py).
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import SaintError
from ..generated.saint_msgs import GPIOPin, PeripheralInfo
from ..hw.pins.header import HEADER_UART
from ..hw.ports import Board
from ..machine.device_tree import RUNNING
from .kernel_files import entries, link_name, text

_LINE = HEADER_UART.rpartition("/")[2]
_LAYERS = {"port", "ctrl"}  # drivers/tty/serial/serial_base_bus.c
_HIGHEST = 3
_SELECTS = re.compile(r"spidev0\.([01])")


@dataclass(frozen=True, slots=True)
class SerialFacts:
    """The serial line of the header."""

    is_there: bool = False
    driver: str = ""
    is_console: bool = False


@dataclass(frozen=True, slots=True)
class HeaderFacts:
    """What is read of the header without driving it."""

    pins: tuple[GPIOPin, ...] = ()
    pins_problem: str = ""
    buses: tuple[int, ...] = ()  # /dev/i2c-<n>
    is_probed: bool = False  # what answers on the buses was read
    probe_problem: str = ""
    peripherals: tuple[PeripheralInfo, ...] = ()
    is_spi_on: bool = False  # in the device tree
    spi_selects: tuple[int, ...] = ()
    serial: SerialFacts = field(default_factory=SerialFacts)
    pwm_pins: tuple[int, ...] = ()
    pwm_problem: str = ""


def read(board: Board | None, problem: str, *, may_probe: bool) -> HeaderFacts:
    """Read the header; without a board `problem` says why there is none. `may_probe`: no role works
    on a bus. Blocks."""
    if board is None:
        return HeaderFacts(pins_problem=problem or "there is no header")
    root = board.root()
    lines, pins_problem = _pins(board)
    channels, pwm_problem = _pwm(board)
    found, probe_problem = _peripherals(board) if may_probe else ((), "")
    selects = (_SELECTS.fullmatch(entry.name) for entry in entries(root / "dev", "spidev0.*"))
    return HeaderFacts(
        pins=lines,
        pins_problem=pins_problem,
        buses=_buses(entry.name for entry in entries(root / "dev", "i2c-*")),
        is_probed=may_probe,
        probe_problem=probe_problem,
        peripherals=found,
        is_spi_on=_is_on(root / RUNNING, "spi0"),
        spi_selects=tuple(int(found[1]) for found in selects if found),
        serial=SerialFacts(
            is_there=(root / HEADER_UART.lstrip("/")).exists(),
            driver=driver_of(root / f"sys/class/tty/{_LINE}/device"),
            is_console=f"console={_LINE}" in text(root / "proc/cmdline"),
        ),
        pwm_pins=channels,
        pwm_problem=pwm_problem,
    )


def _is_on(tree: Path, alias: str) -> bool:
    """Return True when the device tree has the part and switches it on."""
    path = text(tree / "aliases" / alias).lstrip("/")
    node = tree / path
    return bool(path) and node.is_dir() and text(node / "status") in ("", "okay", "ok")


def driver_of(device: Path) -> str:
    """Return the driver of a serial line; since Linux 6.5 the kernel's own layer of serial ports
    lies between the line and its chip."""
    place = device.resolve()
    for folder in (place, *place.parents[:_HIGHEST]):
        name = link_name(folder / "driver")
        if name and name not in _LAYERS:
            return name
    return ""


def _pins(board: Board) -> tuple[tuple[GPIOPin, ...], str]:
    try:
        return tuple(board.pins()), ""
    except (SaintError, OSError) as err:
        return (), _reason(err)


def _peripherals(board: Board) -> tuple[tuple[PeripheralInfo, ...], str]:
    try:
        return tuple(board.peripherals()), ""
    except (SaintError, OSError) as err:
        return (), _reason(err)


def _reason(err: SaintError | OSError) -> str:
    return err.message if isinstance(err, SaintError) else str(err.strerror or err)


def _buses(names: Iterable[str]) -> tuple[int, ...]:
    numbers = (name.removeprefix("i2c-") for name in names)
    return tuple(sorted(int(number) for number in numbers if number.isdecimal()))


def _pwm(board: Board) -> tuple[tuple[int, ...], str]:
    """Return the pins with a channel, and why there is none. pigpiod has every pin."""
    pins = board.pwm_channels()
    if not pins:
        is_pigpiod = (board.root() / "run/pigpio.pid").exists()
        return (), "" if is_pigpiod else "There is no hardware PWM"
    chips = entries(board.root() / "sys/class/pwm", "pwmchip*")
    if chips and not any(os.access(chip / "export", os.W_OK) for chip in chips):
        return (), "The files of the hardware PWM cannot be written"
    return tuple(sorted(pins)), ""
