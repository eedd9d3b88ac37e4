"""Reads simulated pins and chips of any process, running or ended, and sets inputs: for tests,
benchmarks and `saintctl sim`.
"""

from dataclasses import dataclass
from pathlib import Path

from saint_services.lib.hw.displays.font import read_row
from saint_services.lib.hw.displays.ssd1306 import PAGES, WIDTH
from saint_services.lib.hw.pins.header import PINS
from saint_services.lib.hw.pwm.pca9685 import CHANNELS
from saint_services.lib.records import RecordReading, Records
from tools.sim.board import chip_file
from tools.sim.chips.outputs import Pca9685Chip, Ssd1306Chip
from tools.sim.pin_bank import PINS_FILE, wake_up_of
from tools.sim.wake_up import wake


class PinWatch:
    """Keeps the pin file mapped for frequent reads (about 1 us each)."""

    def __init__(self, directory: Path) -> None:
        self._bank = Records(directory / PINS_FILE, PINS)

    def read(self, pin: int) -> RecordReading:
        """Return value, count of writes and time of the last write."""
        return self._bank.read(pin)

    def write(self, pin: int, value: float) -> None:
        """Set the level of an input, e.g. press a button (0.0: pressed, with a pull-up)."""
        self._bank.write(pin, value)
        if port := wake_up_of(self._bank, pin):
            wake(port)

    def close(self) -> None:
        """Unmap the file."""
        self._bank.close()


@dataclass(frozen=True, slots=True)
class ObservedDisplay:
    """Content of a display."""

    lines: tuple[str, ...]
    frame: bytes  # page after page, a byte per column, lowest bit on top


def read_pins(directory: Path) -> dict[int, RecordReading]:
    """Read all pins, by BCM number."""
    watch = PinWatch(directory)
    try:
        return {pin: watch.read(pin) for pin in range(PINS)}
    finally:
        watch.close()


def write_pin(directory: Path, pin: int, value: float) -> None:
    """Set the level of an input."""
    watch = PinWatch(directory)
    watch.write(pin, value)
    watch.close()


def read_pca9685(directory: Path, bus: int, address: int) -> dict[int, RecordReading]:
    """Read all outputs by channel; values are pulses in microseconds."""
    chip = Pca9685Chip(directory / chip_file(bus, address))
    try:
        return {channel: chip.output(channel) for channel in range(CHANNELS)}
    finally:
        chip.close()


def read_display(directory: Path, bus: int = 1, address: int = 0x3C) -> ObservedDisplay:
    """Read text and dots of a display."""
    chip = Ssd1306Chip(directory / chip_file(bus, address))
    frame = chip.frame()
    chip.close()
    pages = [frame[page * WIDTH : (page + 1) * WIDTH] for page in range(PAGES)]
    return ObservedDisplay(tuple(read_row(page) for page in pages), frame)


def set_chip_answers(
    directory: Path, bus: int, address: int, answers: bool, driver: str = "pca9685"
) -> None:
    """Disconnect or reconnect a chip while processes use it."""
    kind = Ssd1306Chip if driver == "ssd1306" else Pca9685Chip
    chip = kind(directory / chip_file(bus, address))
    chip.set_answers(answers)
    chip.close()
