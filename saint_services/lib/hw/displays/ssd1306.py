"""SSD1306: a display of 128 x 64 dots on I2C, 8 pages of 8 dots height, here 8 rows of 21
characters. Commands by Solomon Systech's data sheet, rev. 1.1, section 9. Only pages that changed
are sent.
"""

from collections.abc import Sequence

from ...errors import Code, SaintError
from ..ports import I2cBus
from . import font

WIDTH, PAGES = 128, 8
COLUMNS = WIDTH // (font.GLYPH_WIDTH + 1)
COMMAND, DATA = 0x00, 0x40  # control bytes
SET_COLUMNS, SET_PAGES, DISPLAY_OFF, DISPLAY_ON = 0x21, 0x22, 0xAE, 0xAF
_START = bytes(
    (
        DISPLAY_OFF,
        *(0xD5, 0x80),  # clock: the reset value
        *(0xA8, 63),  # 64 lines
        *(0xD3, 0x00),  # no offset
        0x40,  # line 0 on top
        *(0x8D, 0x14),  # charge pump on: modules have 3.3 V only
        *(0x20, 0x00),  # address mode: along the page, then the next page
        0xA1,  # column 127 is the left one: modules are mounted that way
        0xC8,  # scan from the bottom
        *(0xDA, 0x12),  # alternating COM pins
        *(0x81, 0x7F),  # contrast
        *(0xD9, 0xF1),  # pre-charge for the charge pump
        *(0xDB, 0x20),  # deselect level
        0xA4,  # show the memory
        0xA6,  # 1 is light
    )
)


class Ssd1306:
    """One display. Writes raise OSError; opening raises SaintError when it does not answer."""

    def __init__(self, bus: I2cBus, address: int, name: str) -> None:
        self._bus = bus
        self._address = address
        self._shown: list[bytes | None] = [None] * PAGES
        self.is_shown = True  # nothing is left to be sent
        self._is_doubtful = False  # a write failed: the display may have been without power
        try:
            self._command(_START)
            for page in range(PAGES):  # its memory is random after power-up
                self._write_page(page, bytes(WIDTH))
            self._command(bytes((DISPLAY_ON,)))
        except OSError as err:
            raise SaintError(
                Code.HARDWARE_MISSING,
                f"{name}: no SSD1306 answers at I2C address 0x{address:02x} ({err.strerror})",
            ) from err

    def show(self, lines: Sequence[str], most_pages: int = PAGES) -> None:
        """Send at most so many changed pages of `lines`.

        A page takes 3 ms at 400 kHz, so a caller in a loop sends one at a time.
        """
        if self._is_doubtful:
            self._command(_START + bytes((DISPLAY_ON,)))
            self._shown = [None] * PAGES
            self._is_doubtful = False
        wanted = [font.text_row(line, WIDTH) for line in lines[:PAGES]]
        wanted += [bytes(WIDTH)] * (PAGES - len(wanted))
        stale = [page for page in range(PAGES) if self._shown[page] != wanted[page]]
        self.is_shown = len(stale) <= most_pages
        for page in stale[:most_pages]:
            self._write_page(page, wanted[page])

    def off(self) -> None:
        """Switch the display off; its memory stays."""
        self._command(bytes((DISPLAY_OFF,)))

    def _write_page(self, page: int, columns: bytes) -> None:
        self._shown[page] = None  # unknown until the transfer is through
        try:
            self._command(bytes((SET_COLUMNS, 0, WIDTH - 1, SET_PAGES, page, page)))
            self._bus.write(self._address, bytes((DATA,)) + columns)
        except OSError:
            self._is_doubtful = True
            raise
        self._shown[page] = columns

    def _command(self, data: bytes) -> None:
        self._bus.write(self._address, bytes((COMMAND,)) + data)
