"""I2C chips as register files: what the bytes of a transfer do to them. Registers live in mapped
files, so they survive the process that wrote them and any process can look.
"""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from ..pca9685 import (
    ALL_CALL,
    AUTO_INCREMENT,
    CHANNELS,
    CLOCK_HZ,
    FULL,
    LED0_ON_L,
    MODE1,
    MODE2,
    OUTPUT_DRIVE,
    PRE_SCALE,
    SLEEP,
    STEPS,
)
from ..ssd1306 import COMMAND, DATA, DISPLAY_OFF, DISPLAY_ON, PAGES, SET_COLUMNS, SET_PAGES, WIDTH
from .records import Reading, Records, map_file

_LED_END = LED0_ON_L + 4 * CHANNELS
_ALL_LED, _TEST_MODE = 0xFA, 0xFF
_POWERED, _DEAF = 0, 1  # bytes of the state before the registers


class Chip(Protocol):
    """The chip's side of the bus."""

    def write(self, data: bytes) -> None: ...

    def read(self, length: int) -> bytes: ...

    def set_answers(self, answers: bool) -> None: ...

    def close(self) -> None: ...


class Pca9685Chip:
    """The PCA9685's registers; record n of the file is output n as pulse length in us."""

    def __init__(self, path: Path) -> None:
        self._records = Records(path.with_suffix(".outputs"), CHANNELS)
        self._map = map_file(path, 3 + 256)
        self._registers = memoryview(self._map)[3:]
        if not self._map[_POWERED]:
            self._power_up()

    def write(self, data: bytes) -> None:
        """Register address, then values. Outputs change at the STOP (MODE2.OCH = 0)."""
        self._answer()
        if not data:
            return
        self._pointer = data[0]
        for value in data[1:]:
            self._store(self._pointer, value)
            self._step()
        self._outputs(data)

    def read(self, length: int) -> bytes:
        """Values from the register that was addressed last."""
        self._answer()
        data = bytearray()
        for _ in range(length):
            data.append(self._registers[self._pointer])
            self._step()
        return bytes(data)

    def output(self, channel: int) -> Reading:
        """What is on the output."""
        return self._records.read(channel)

    def set_answers(self, answers: bool) -> None:
        """A chip that does not answer: its plug is out."""
        self._map[_DEAF] = not answers

    def close(self) -> None:
        """Unmap; the registers stay."""
        self._registers.release()
        self._map.close()
        self._records.close()

    @property
    def _pointer(self) -> int:
        return self._map[2]

    @_pointer.setter
    def _pointer(self, value: int) -> None:
        self._map[2] = value

    def _answer(self) -> None:
        if self._map[_DEAF]:
            raise OSError(errno.ENXIO, "no acknowledge")

    def _power_up(self) -> None:
        self._registers[MODE1] = SLEEP | ALL_CALL
        self._registers[MODE2] = OUTPUT_DRIVE
        self._registers[PRE_SCALE] = 0x1E  # 200 Hz
        for channel in range(CHANNELS):
            self._registers[LED0_ON_L + 4 * channel + 3] = FULL
        self._map[_POWERED] = 1

    def _store(self, register: int, value: int) -> None:
        if register == PRE_SCALE:
            if self._registers[MODE1] & SLEEP:
                self._registers[PRE_SCALE] = max(3, value)
        elif _ALL_LED <= register < PRE_SCALE:  # write only: they read as zero
            for channel in range(CHANNELS):
                self._registers[LED0_ON_L + 4 * channel + register - _ALL_LED] = value
        elif register < _LED_END:
            self._registers[register] = value
        elif register != _TEST_MODE:
            raise OSError(errno.ENXIO, "no acknowledge: reserved register")

    def _step(self) -> None:
        if self._registers[MODE1] & AUTO_INCREMENT:
            past = self._pointer + 1
            self._pointer = 0 if past in (_LED_END, PRE_SCALE + 1) else past & 0xFF

    def _outputs(self, data: bytes) -> None:
        first, end = data[0], data[0] + len(data) - 1
        everything = first in (MODE1, PRE_SCALE) or first >= _ALL_LED
        for channel in range(CHANNELS):
            base = LED0_ON_L + 4 * channel
            pulse_us = self._pulse_us(channel)
            is_written = LED0_ON_L <= first <= base + 3 and base < end
            if is_written or (everything and pulse_us != self._records.read(channel).value):
                self._records.write(channel, pulse_us)

    def _pulse_us(self, channel: int) -> float:
        base = LED0_ON_L + 4 * channel
        on, on_high, off, off_high = self._registers[base : base + 4]
        if off_high & FULL or self._registers[MODE1] & SLEEP:
            return 0.0
        step_us = (self._registers[PRE_SCALE] + 1) * 1e6 / CLOCK_HZ
        if on_high & FULL:
            return STEPS * step_us
        return (((off | off_high << 8) - (on | on_high << 8)) % STEPS) * step_us


# How many argument bytes follow a command (data sheet, table 9); all others have none.
_ARGUMENTS = {0x20: 1, 0x21: 2, 0x22: 2, 0x81: 1, 0x8D: 1, 0xA8: 1} | dict.fromkeys(
    (0xD3, 0xD5, 0xD9, 0xDA, 0xDB), 1
)


class Ssd1306Chip:
    """The SSD1306's frame memory and its write position."""

    _STATE = (
        10  # powered, deaf, lit, mode, column, page, first and last column, first and last page
    )

    def __init__(self, path: Path) -> None:
        self._map = map_file(path, self._STATE + WIDTH * PAGES)
        if not self._map[_POWERED]:
            self._map[: self._STATE] = bytes((1, 0, 0, 2, 0, 0, 0, WIDTH - 1, 0, PAGES - 1))

    def write(self, data: bytes) -> None:
        """A control byte, then commands or dots."""
        self._answer()
        if data[:1] == bytes((COMMAND,)):
            self._commands(data[1:])
        elif data[:1] == bytes((DATA,)):
            for value in data[1:]:
                self._dots(value)

    def read(self, length: int) -> bytes:
        """The status register: bit 6 tells that the display is off."""
        self._answer()
        return bytes((0x00 if self._map[2] else 0x40,)) * length

    def frame(self) -> bytes:
        """The memory, page after page; dark when the display is off."""
        frame = self._map[self._STATE : self._STATE + WIDTH * PAGES]
        return frame if self._map[2] else bytes(len(frame))

    def set_answers(self, answers: bool) -> None:
        """A chip that does not answer: its plug is out."""
        self._map[_DEAF] = not answers

    def close(self) -> None:
        """Unmap; the memory stays."""
        self._map.close()

    def _answer(self) -> None:
        if self._map[_DEAF]:
            raise OSError(errno.ENXIO, "no acknowledge")

    def _commands(self, data: bytes) -> None:
        at = 0
        while at < len(data):
            count = _ARGUMENTS.get(data[at], 0)
            self._command(data[at], data[at + 1 : at + 1 + count])
            at += 1 + count

    def _command(self, command: int, arguments: bytes) -> None:
        if command in (DISPLAY_OFF, DISPLAY_ON):
            self._map[2] = command & 1
        elif command == 0x20 and arguments:
            self._map[3] = arguments[0] & 3
        elif command == SET_COLUMNS and len(arguments) == 2:
            self._map[6], self._map[7] = (value & 127 for value in arguments)
            self._map[4] = self._map[6]
        elif command == SET_PAGES and len(arguments) == 2:
            self._map[8], self._map[9] = (value & 7 for value in arguments)
            self._map[5] = self._map[8]

    def _dots(self, value: int) -> None:
        column, page = self._map[4], self._map[5]
        self._map[self._STATE + page * WIDTH + column] = value
        if column != self._map[7]:
            self._map[4] = (column + 1) % WIDTH
            return
        self._map[4] = self._map[6]
        if self._map[3] == 0:  # address mode: along the page, then the next page
            self._map[5] = self._map[8] if page == self._map[9] else (page + 1) % PAGES


CHIPS: dict[str, Callable[[Path], Chip]] = {"pca9685": Pca9685Chip, "ssd1306": Ssd1306Chip}
