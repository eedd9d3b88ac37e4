"""Reads the pins of this computer for the node's reports. Not here: drivers (lib/hw), driving
outputs (role daemons), making outputs safe (guardd).
"""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...lib.errors import SaintError
from ...lib.generated.saint_msgs import GPIOPin, PeripheralInfo
from ...lib.hw.pins.header import whole_header

if TYPE_CHECKING:
    from ...lib.hw import Board

HEADER = tuple(whole_header(()))  # with unknown pins


class NodePins:
    """The board of this computer. It stays open until the process ends: a thread may still read it
    when the daemon stops."""

    def __init__(self) -> None:
        self.problem = "not opened"
        self.pwm_channels: Mapping[int, int] = {}
        self._board: Board | None = None

    @property
    def board(self) -> "Board | None":
        """The board; None on a computer without pins."""
        return self._board

    async def open(self, spec: str) -> None:
        """Open the board; `problem` says why there is none, which is no fault."""
        try:
            self._board, self.pwm_channels = await asyncio.to_thread(_open, spec)
            self.problem = ""
        except SaintError as err:
            self.problem = err.message

    def pins(self) -> tuple[GPIOPin, ...]:
        """Read all 40 pins of the header, in its order. Blocks briefly: call it in a thread."""
        if self._board is None:
            return HEADER
        try:
            return tuple(whole_header(self._board.pins()))
        except (SaintError, OSError):
            return HEADER

    def peripherals(self) -> tuple[PeripheralInfo, ...]:
        """Probe the buses. Blocks: call it in a thread."""
        if self._board is None:
            return ()
        try:
            return tuple(self._board.peripherals())
        except (SaintError, OSError):
            return ()


def _open(spec: str) -> tuple["Board", Mapping[int, int]]:
    # Imported here, in the thread, for it takes long; some tests need none.
    from ...lib.hw import open_board

    board = open_board(spec)
    return board, board.pwm_channels()
