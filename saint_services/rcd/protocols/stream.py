"""Base of the parsers of serial lines: holds bytes between reads, detects pauses, counts."""

from abc import ABC, abstractmethod
from math import inf

from .frames import Frame


class StreamParser(ABC):
    """Finds frames in a byte stream, however it is cut into reads.

    `rejected` counts broken frames where a frame was due: after a good one, after a pause, and
    where a broken one would have ended. False starts met while searching are only discarded bytes.
    """

    gap_us: int  # a pause of this length ends an incomplete frame
    forget_us = inf  # after such a silence it may be another transmitter

    def __init__(self) -> None:
        self.frames = 0
        self.rejected = 0
        self.discarded_bytes = 0
        self.passed_bytes = 0  # valid frames of others: telemetry
        self._held = b""
        self._last_us = 0
        self._in_step = True  # _held begins where a frame is due
        self._until_due = 0  # bytes to where the broken frame would have ended
        self._forget()

    @property
    def is_waiting(self) -> bool:
        return bool(self._held)

    def feed(self, data: bytes, now_us: int) -> list[Frame]:
        found: list[Frame] = []
        if now_us - self._last_us > self.forget_us:
            self._forget()
        if not 0 <= now_us - self._last_us < self.gap_us:
            found = self.flush()
        self._last_us = now_us
        self._held = self._scan(self._held + data if self._held else data, found, final=False)
        return found

    def flush(self) -> list[Frame]:
        found: list[Frame] = []
        self._held = self._scan(self._held, found, final=True)
        self._begin()
        return found

    def reset(self) -> None:
        self.discarded_bytes += len(self._held)
        self._held = b""
        self._begin()
        self._forget()

    def _forget(self) -> None:  # noqa: B027 - most protocols say all in each frame
        """Drop what earlier frames said of the transmitter."""

    @abstractmethod
    def _scan(self, data: bytes, found: list[Frame], final: bool) -> bytes:
        """Extract all frames of `data`; return the rest, part of a frame unless it is final."""

    def _begin(self) -> None:
        self._in_step, self._until_due = True, 0

    def _skip(self, broken: bool, claimed: int = 0) -> None:
        """Search on one byte further; `claimed`: length of the broken frame by its own header."""
        self.discarded_bytes += 1
        if self._in_step:
            self.rejected += broken
            self._in_step = False
            self._until_due = claimed if broken else 0
        if self._until_due:
            self._until_due -= 1
            self._in_step = not self._until_due
