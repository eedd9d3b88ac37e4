"""ST7789: colour display on SPI, used for text, 8 rows of 21 characters like the small SSD1306, so
that pages look the same on both. Commands by Sitronix ST7789VW data sheet, V1.0, section 9.1.

Our own driver because luma.lcd, which Debian has, draws through Pillow and opens pins and bus
itself, not through the ports. Not tried on a panel yet; SPI cannot detect whether one is present.
"""

import time
from collections.abc import Sequence

from ...role_config.devices import SpiDevice
from ..ports import DigitalOut, SpiBus
from . import font

SPEED_HZ = 40_000_000
COLUMNS, ROWS = 21, 8
MEMORY = (240, 320)  # dots of the controller; most panels show a part of them
SWRESET, SLPOUT, NORON, INVON, DISPOFF, DISPON = 0x01, 0x11, 0x13, 0x21, 0x28, 0x29
CASET, RASET, RAMWR, MADCTL, COLMOD = 0x2A, 0x2B, 0x2C, 0x36, 0x3A
COLOUR_16_BIT = 0x55
_TURNS = {0: 0x00, 90: 0x60, 180: 0xC0, 270: 0xA0}  # MY, MX, MV of MADCTL
_WAKE_S = 0.12  # 9.1.12: 120 ms after reset and after waking
_RESET_S = 0.00002  # 7.4.5: at least 10 us
WHITE, BLACK = b"\xff\xff", b"\0\0"


class St7789:
    """One display. Implements ports.Display. Opening takes a quarter of a second."""

    def __init__(
        self,
        bus: SpiBus,
        device: SpiDevice,
        data_pin: DigitalOut,
        reset_pin: DigitalOut | None = None,
        light_pin: DigitalOut | None = None,
    ) -> None:
        self._bus = bus
        self._data_pin = data_pin
        self._light_pin = light_pin
        self._left, self._top, self._width, self._height = _window(device)
        self._cell = self._width // COLUMNS
        self._row_height = self._height // ROWS
        self._wide = max(1, (self._cell - 1) // font.GLYPH_WIDTH)
        self._high = max(1, min(self._row_height // 8, 2 * self._wide))
        self._shown: list[str | None] = [None] * ROWS
        self.is_shown = True
        if reset_pin:
            reset_pin.set(False)
            time.sleep(_RESET_S)
            reset_pin.set(True)
            time.sleep(_WAKE_S)
        self._start(_TURNS[device.rotation])

    def show(self, lines: Sequence[str], most_pages: int = ROWS) -> None:
        """Send at most so many changed rows of `lines`; a row takes 3 ms."""
        wanted = [line[:COLUMNS] for line in lines[:ROWS]]
        wanted += [""] * (ROWS - len(wanted))
        stale = [row for row in range(ROWS) if self._shown[row] != wanted[row]]
        self.is_shown = len(stale) <= most_pages
        for row in stale[:most_pages]:
            self._shown[row] = None  # unknown until the transfer is through
            self._draw(row * self._row_height, self._row_height, self._picture(wanted[row]))
            self._shown[row] = wanted[row]

    def off(self) -> None:
        """Switch the display off; its memory stays."""
        self._command(DISPOFF)
        if self._light_pin:
            self._light_pin.set(False)

    def _start(self, turn: int) -> None:
        self._command(SWRESET)
        time.sleep(_WAKE_S)
        self._command(SLPOUT)
        time.sleep(_WAKE_S)
        self._command(COLMOD, bytes((COLOUR_16_BIT,)))
        self._command(MADCTL, bytes((turn,)))
        self._command(INVON)  # these panels show the opposite of their memory
        self._command(NORON)
        self._draw(0, self._height, BLACK * self._width * self._height)  # it is random now
        self._shown = [""] * ROWS
        self._command(DISPON)
        if self._light_pin:
            self._light_pin.set(True)

    def _picture(self, text: str) -> bytes:
        """Render a row of text, dot row by dot row."""
        columns = font.text_row(text, COLUMNS * (font.GLYPH_WIDTH + 1))
        gap = BLACK * (self._cell - font.GLYPH_WIDTH * self._wide)
        rest = BLACK * (self._width - COLUMNS * self._cell)
        dark = BLACK * self._width
        rows = []
        for y in range(7):
            cells = (columns[x : x + font.GLYPH_WIDTH] for x in range(0, len(columns), 6))
            row = b"".join(
                b"".join((WHITE if dots >> y & 1 else BLACK) * self._wide for dots in cell) + gap
                for cell in cells
            )
            rows += [row + rest] * self._high
        return b"".join(rows) + dark * (self._row_height - len(rows))

    def _draw(self, top: int, height: int, dots: bytes) -> None:
        self._command(CASET, _ends(self._left, self._width))
        self._command(RASET, _ends(self._top + top, height))
        self._command(RAMWR, dots)

    def _command(self, command: int, data: bytes = b"") -> None:
        self._data_pin.set(False)
        self._bus.write(bytes((command,)))
        if data:
            self._data_pin.set(True)
            self._bus.write(data)


def _ends(start: int, length: int) -> bytes:
    return start.to_bytes(2, "big") + (start + length - 1).to_bytes(2, "big")


def _window(device: SpiDevice) -> tuple[int, int, int, int]:
    """Return left, top, width and height in the turned memory. Panels as wide as the memory begin
    at its first row, which is at the other end when it is turned; smaller ones are in the middle.
    """
    width, height = device.size
    left, top = max(0, MEMORY[0] - width) // 2, 0
    if width < MEMORY[0]:
        top = (MEMORY[1] - height) // 2
    elif device.rotation in (180, 270):
        top = MEMORY[1] - height
    if device.rotation in (90, 270):
        return top, left, height, width
    return left, top, width, height
