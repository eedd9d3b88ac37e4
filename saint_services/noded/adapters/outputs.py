"""The pins of this computer as noded reports them. Not here: drivers (lib/hw); driving anything
(role daemons); making outputs safe (guardd).
"""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...lib.errors import SaintError
from ...lib.generated.saint_msgs import GPIOPin, PeripheralInfo
from ...lib.hw.pins.header import whole_header

if TYPE_CHECKING:
    from ...lib.hw import Board

HEADER = tuple(whole_header(()))  # nothing is known of its pins


class Outputs:
    """The board, open until the process ends: a thread may still read it when the daemon stops."""

    def __init__(self) -> None:
        self.problem = "not opened"
        self.pwm_channels: Mapping[int, int] = {}
        self._board: Board | None = None

    @property
    def board(self) -> "Board | None":
        """None on a computer without pins."""
        return self._board

    async def open(self, spec: str) -> None:
        """A computer without pins is no fault of ours: `problem` tells."""
        try:
            self._board, self.pwm_channels = await asyncio.to_thread(_open, spec)
            self.problem = ""
        except SaintError as err:
            self.problem = err.message

    def pins(self) -> tuple[GPIOPin, ...]:
        """All 40 pins of the header, in its order. Blocks briefly: call it in a thread."""
        if self._board is None:
            return HEADER
        try:
            return tuple(whole_header(self._board.pins()))
        except (SaintError, OSError):
            return HEADER

    def peripherals(self) -> tuple[PeripheralInfo, ...]:
        """What answers on the buses. Blocks: call it in a thread."""
        if self._board is None:
            return ()
        try:
            return tuple(self._board.peripherals())
        except (SaintError, OSError):
            return ()


def _open(spec: str) -> tuple["Board", Mapping[int, int]]:
    # Imported here, in the thread: it takes a while and a test may do without.
    from ...lib.hw import open_board

    board = open_board(spec)
    return board, board.pwm_channels()
