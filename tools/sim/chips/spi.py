"""Simulated SPI chip selects: the last transfer, the picture of an ST7789, the colours of a WS2812
strip. State is in files, which any process can read.
"""

import re
from collections.abc import Callable
from pathlib import Path

from saint_services.lib.records import map_file

Colour = tuple[int, int, int]  # red, green, blue

_LAST_BYTES = 16 * 1024
SIDE = 320  # the controller's memory is 240 x 320 dots; here square, for every rotation
_CASET, _RASET, _RAMWR, _DISPON, _DISPOFF = 0x2A, 0x2B, 0x2C, 0x29, 0x28

_PULSE = re.compile("1+")
_LONG = 2  # bits of SPI: a high of 0.83 us is a 1, of 0.42 us a 0
_PLACES = {"grb": (1, 0, 2), "rgb": (0, 1, 2)}  # of red, green and blue on the line


def spi_file(bus: int, select: int) -> str:
    """Return the file name of a select below the board's directory."""
    return f"spi-{bus}-{select}"


class SimSpi:
    """One chip select; with `data_pin` that of a display, which distinguishes commands by that
    pin's level.
    """

    def __init__(
        self,
        directory: Path,
        bus: int,
        select: int,
        level: Callable[[int], bool],
        data_pin: int | None = None,
    ) -> None:
        self._map = map_file(directory / spi_file(bus, select), 4 + _LAST_BYTES)
        self._level = level
        self._data_pin = data_pin or 0
        self._panel = None if data_pin is None else Panel(picture_file(directory, bus, select))

    def write(self, data: bytes) -> None:
        """Store one transfer."""
        kept = data[:_LAST_BYTES]
        self._map[4 : 4 + len(kept)] = kept
        self._map[:4] = len(kept).to_bytes(4, "little")
        if self._panel:
            self._panel.write(data, self._level(self._data_pin))

    def close(self) -> None:
        """Unmap; the last transfer stays."""
        self._map.close()
        if self._panel:
            self._panel.close()


def picture_file(directory: Path, bus: int, select: int) -> Path:
    """Return the file of a display's picture."""
    return directory / f"{spi_file(bus, select)}.picture"


def last_sent(directory: Path, bus: int, select: int) -> bytes:
    """Read the last transfer on a select."""
    held = map_file(directory / spi_file(bus, select), 4 + _LAST_BYTES)
    data = held[4 : 4 + int.from_bytes(held[:4], "little")]
    held.close()
    return data


class Panel:
    """Model of the ST7789 (data sheet V1.4, section 9): window, memory, on or off."""

    def __init__(self, path: Path) -> None:
        self._map = map_file(path, 1 + 2 * SIDE * SIDE)
        self._command = 0
        self._arguments = b""
        self._window = [0, SIDE - 1, 0, SIDE - 1]
        self._at = 0

    @property
    def is_on(self) -> bool:
        return bool(self._map[0])

    def dot(self, x: int, y: int) -> int:
        """Return a dot as RGB 5-6-5."""
        at = 1 + 2 * (y * SIDE + x)
        return int.from_bytes(self._map[at : at + 2], "big")

    def write(self, data: bytes, is_data: bool) -> None:
        """Apply a transfer of commands or data."""
        if is_data:
            self._more(data)
            return
        for command in data:
            self._command, self._arguments, self._at = command, b"", 0
            if command in (_DISPON, _DISPOFF):
                self._map[0] = command == _DISPON

    def close(self) -> None:
        """Unmap; the picture stays."""
        self._map.close()

    def _more(self, data: bytes) -> None:
        if self._command == _RAMWR:
            self._dots(data)
            return
        self._arguments += data[: 4 - len(self._arguments)]
        if self._command in (_CASET, _RASET) and len(self._arguments) == 4:
            first = 0 if self._command == _CASET else 2
            ends = self._arguments[:2], self._arguments[2:]
            self._window[first : first + 2] = [int.from_bytes(end, "big") for end in ends]

    def _dots(self, data: bytes) -> None:
        left, right, top, bottom = self._window
        width = right - left + 1
        for at in range(0, len(data) - 1, 2):
            x, y = left + self._at % width, top + self._at // width
            if y > bottom or x >= SIDE or y >= SIDE:
                return
            self._map[1 + 2 * (y * SIDE + x) : 3 + 2 * (y * SIDE + x)] = data[at : at + 2]
            self._at += 1


def read_lights(directory: Path, bus: int, select: int, order: str) -> list[Colour]:
    """Decode the last transfer of a WS2812 strip by its pulses, from the light next to the Pi."""
    line = "".join(f"{byte:08b}" for byte in last_sent(directory, bus, select))
    bits = "".join("1" if len(pulse) >= _LONG else "0" for pulse in _PULSE.findall(line))
    values = [int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)]
    red, green, blue = _PLACES[order]
    found = [values[at : at + 3] for at in range(0, len(values) - 2, 3)]
    return [(each[red], each[green], each[blue]) for each in found]
