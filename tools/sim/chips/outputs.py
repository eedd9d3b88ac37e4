"""Models of the PCA9685 (PWM outputs) and the SSD1306 (display). CHIPS maps the names of drivers to
these and to the sensors (sensors.py).
"""

import errno
from collections.abc import Callable
from pathlib import Path

from saint_services.lib.hw.displays.ssd1306 import (
    COMMAND,
    DATA,
    DISPLAY_OFF,
    DISPLAY_ON,
    PAGES,
    SET_COLUMNS,
    SET_PAGES,
    WIDTH,
)
from saint_services.lib.hw.pwm.pca9685 import (
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
from saint_services.lib.records import RecordReading, Records
from tools.sim.chips.base import Chip, ChipFault, ChipFile
from tools.sim.chips.multiplexer import Tca9548aChip

__all__ = ["CHIPS", "Chip", "ChipFault", "Pca9685Chip", "Ssd1306Chip"]

_LED_END = LED0_ON_L + 4 * CHANNELS
_ALL_LED, _TEST_MODE = 0xFA, 0xFF


class Pca9685Chip(ChipFile):
    """Registers of the PCA9685; record n of the file is the pulse of output n in us."""

    def __init__(self, path: Path) -> None:
        self._records = Records(path.with_suffix(".outputs"), CHANNELS)
        super().__init__(path, 256)

    def write(self, data: bytes) -> None:
        """Write a register address, then values. Outputs change at the STOP (MODE2.OCH = 0)."""
        self._answer()
        if not data or not self._is_written:
            return
        self._pointer = data[0]
        for value in data[1:]:
            self._store(self._pointer, value)
            self._step()
        self._outputs(data)

    def read(self, length: int) -> bytes:
        """Read values from the register that was addressed last."""
        self._answer(is_read=True)
        data = bytearray()
        for _ in range(length):
            data.append(self._memory[self._pointer])
            self._step()
        return self._sent(bytes(data))

    def output(self, channel: int) -> RecordReading:
        """Return the pulse of an output."""
        return self._records.read(channel)

    def close(self) -> None:
        """Unmap; the registers stay."""
        super().close()
        self._records.close()

    def _power_up(self) -> None:
        self._memory[:] = bytes(256)
        self._memory[MODE1] = SLEEP | ALL_CALL
        self._memory[MODE2] = OUTPUT_DRIVE
        self._memory[PRE_SCALE] = 0x1E  # 200 Hz
        for channel in range(CHANNELS):
            self._memory[LED0_ON_L + 4 * channel + 3] = FULL
            if self._records.read(channel).value:
                self._records.write(channel, 0.0)

    def _store(self, register: int, value: int) -> None:
        if register == PRE_SCALE:
            if self._memory[MODE1] & SLEEP:
                self._memory[PRE_SCALE] = max(3, value)
        elif _ALL_LED <= register < PRE_SCALE:  # write only: they read as zero
            for channel in range(CHANNELS):
                self._memory[LED0_ON_L + 4 * channel + register - _ALL_LED] = value
        elif register < _LED_END:
            self._memory[register] = value
        elif register != _TEST_MODE:
            raise OSError(errno.ENXIO, "no acknowledge: reserved register")

    def _step(self) -> None:
        if self._memory[MODE1] & AUTO_INCREMENT:
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
        on, on_high, off, off_high = self._memory[base : base + 4]
        if off_high & FULL or self._memory[MODE1] & SLEEP:
            return 0.0
        step_us = (self._memory[PRE_SCALE] + 1) * 1e6 / CLOCK_HZ
        if on_high & FULL:
            return STEPS * step_us
        return (((off | off_high << 8) - (on | on_high << 8)) % STEPS) * step_us


# How many argument bytes follow a command (data sheet, table 9); all others have none.
_ARGUMENTS = {0x20: 1, 0x21: 2, 0x22: 2, 0x81: 1, 0x8D: 1, 0xA8: 1} | dict.fromkeys(
    (0xD3, 0xD5, 0xD9, 0xDA, 0xDB), 1
)


class Ssd1306Chip(ChipFile):
    """Frame memory of the SSD1306 and its write position."""

    # Bytes before the frame: lit, address mode, column, page, first and last column and page.
    _STATE = 8

    def __init__(self, path: Path) -> None:
        super().__init__(path, self._STATE + WIDTH * PAGES)

    def write(self, data: bytes) -> None:
        """Write a control byte, then commands or dots."""
        self._answer()
        if not self._is_written:
            return
        if data[:1] == bytes((COMMAND,)):
            self._commands(data[1:])
        elif data[:1] == bytes((DATA,)):
            for value in data[1:]:
                self._dots(value)

    def read(self, length: int) -> bytes:
        """Read the status register: bit 6 is set while the display is off."""
        self._answer()
        return self._sent(bytes((0x00 if self._memory[0] else 0x40,)) * length)

    def frame(self) -> bytes:
        """Return the memory, page after page; dark while the display is off."""
        frame = bytes(self._memory[self._STATE :])
        return frame if self._memory[0] else bytes(len(frame))

    def _power_up(self) -> None:
        self._memory[: self._STATE] = bytes((0, 2, 0, 0, 0, WIDTH - 1, 0, PAGES - 1))
        self._memory[self._STATE :] = bytes((0xA5,)) * (WIDTH * PAGES)  # random after power-up

    def _commands(self, data: bytes) -> None:
        at = 0
        while at < len(data):
            count = _ARGUMENTS.get(data[at], 0)
            self._command(data[at], data[at + 1 : at + 1 + count])
            at += 1 + count

    def _command(self, command: int, arguments: bytes) -> None:
        if command in (DISPLAY_OFF, DISPLAY_ON):
            self._memory[0] = command & 1
        elif command == 0x20 and arguments:
            self._memory[1] = arguments[0] & 3
        elif command == SET_COLUMNS and len(arguments) == 2:
            self._memory[4], self._memory[5] = (value & 127 for value in arguments)
            self._memory[2] = self._memory[4]
        elif command == SET_PAGES and len(arguments) == 2:
            self._memory[6], self._memory[7] = (value & 7 for value in arguments)
            self._memory[3] = self._memory[6]

    def _dots(self, value: int) -> None:
        column, page = self._memory[2], self._memory[3]
        self._memory[self._STATE + page * WIDTH + column] = value
        if column != self._memory[5]:
            self._memory[2] = (column + 1) % WIDTH
            return
        self._memory[2] = self._memory[4]
        if self._memory[1] == 0:  # address mode: along the page, then the next page
            self._memory[3] = self._memory[6] if page == self._memory[7] else (page + 1) % PAGES


def _sensor(driver: str) -> Callable[[Path], Chip]:
    """Make a sensor's model, loaded only for boards that have one."""

    def make(path: Path) -> Chip:
        from tools.sim.chips.sensors import SENSOR_CHIPS

        return SENSOR_CHIPS[driver](path)

    return make


CHIPS: dict[str, Callable[[Path], Chip]] = {
    "pca9685": Pca9685Chip,
    "ssd1306": Ssd1306Chip,
    "tca9548a": Tca9548aChip,
    **{driver: _sensor(driver) for driver in ("mpu6050", "ina219", "bmp280", "vl53l0x", "tsl2561")},
}
