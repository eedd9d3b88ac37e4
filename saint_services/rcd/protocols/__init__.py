"""The receivers' wire formats, one incremental parser each.

A parser is pure: bytes and their time go in, frames come out; it never raises, never waits and
holds at most a few hundred bytes. `decode-cli.md`'s commands and the daemon run the same code.
"""

from collections.abc import Callable
from typing import Final, Protocol

from .crsf import CrsfParser
from .frames import CrsfFrame, Frame, RcFrame, Scale
from .ibus import IbusParser
from .sbus import SbusParser

__all__ = ["PARSERS", "CrsfFrame", "Frame", "Parser", "RcFrame", "Scale"]


class Parser(Protocol):
    """What all parsers have in common; the counters only grow."""

    gap_us: int  # silence of this length ends what was begun: time to flush
    frames: int
    rejected: int
    discarded_bytes: int
    passed_bytes: int  # not ours, but sound: telemetry of others

    @property
    def is_waiting(self) -> bool:
        """Bytes are held that more bytes, or silence, will decide about."""
        ...

    def feed(self, data: bytes, now_us: int) -> list[Frame]:
        """The frames that are complete with `data`, which was read at `now_us` in one piece."""
        ...

    def flush(self) -> list[Frame]:
        """The line fell silent: decide about what is held, and forget the rest."""
        ...

    def reset(self) -> None:
        """The port was closed: half a frame must never be completed by what comes next."""
        ...


PARSERS: Final[dict[str, Callable[[], Parser]]] = {
    "crsf": CrsfParser,
    "sbus": SbusParser,
    "ibus": IbusParser,
}
