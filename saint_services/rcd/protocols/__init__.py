"""Parsers of the receivers' wire formats, one incremental parser each.

A parser is pure: bytes and their time go in, frames come out; it never raises, never waits and
holds at most a few hundred bytes. `saintctl rc decode` and the daemon run the same code.
"""

from collections.abc import Callable
from typing import Final, Protocol

from .crsf import CrsfParser
from .dsm import DsmParser
from .frames import CrsfFrame, Frame, LinkFrame, RcFrame, Scale
from .ghst import GhstParser
from .ibus import IbusParser
from .mavlink import MavlinkParser
from .sbus import SbusParser

__all__ = [
    "CHECKED",
    "PARSERS",
    "CrsfFrame",
    "Frame",
    "LinkFrame",
    "Parser",
    "RcFrame",
    "Scale",
]

CHECKED: Final = ("crsf", "ibus", "ghst", "mavlink")  # every frame has a check sum


class Parser(Protocol):
    """Interface of all parsers; the counters only grow."""

    gap_us: int  # a pause of this length ends an incomplete frame: time to flush
    frames: int
    rejected: int
    discarded_bytes: int
    passed_bytes: int  # valid frames of others: telemetry

    @property
    def is_waiting(self) -> bool:
        """Return True while bytes are held until more bytes or a pause decide about them."""
        ...

    def feed(self, data: bytes, now_us: int) -> list[Frame]:
        """Return the frames completed by `data`, which was read at `now_us` in one piece."""
        ...

    def flush(self) -> list[Frame]:
        """Decide about held bytes after a pause, and discard the rest."""
        ...

    def reset(self) -> None:
        """Discard held bytes after the port was closed: no frame spans that."""
        ...


PARSERS: Final[dict[str, Callable[[], Parser]]] = {
    "crsf": CrsfParser,
    "sbus": SbusParser,
    "ibus": IbusParser,
    "dsm": DsmParser,
    "ghst": GhstParser,
    "mavlink": MavlinkParser,
}
