"""What the parsers of serial lines share: the bytes held between reads, pauses, and the counters.
Not here: what a frame looks like.
"""

from abc import ABC, abstractmethod

from .frames import Frame


class StreamParser(ABC):
    """Finds frames in a byte stream, however it is cut into reads.

    `rejected` counts broken frames where a frame was due: after a good one, after a pause, and
    where a broken one would have ended. False starts met while searching are only discarded bytes.
    """

    gap_us: int  # silence of this length ends what was begun

    def __init__(self) -> None:
        self.frames = 0
        self.rejected = 0
        self.discarded_bytes = 0
        self.passed_bytes = 0  # not ours, but sound: telemetry of others
        self._held = b""
        self._last_us = 0
        self._in_step = True  # _held begins where a frame is due
        self._until_due = 0  # bytes to where the broken frame would have ended

    @property
    def is_waiting(self) -> bool:
        return bool(self._held)

    def feed(self, data: bytes, now_us: int) -> list[Frame]:
        found: list[Frame] = []
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

    @abstractmethod
    def _scan(self, data: bytes, found: list[Frame], final: bool) -> bytes:
        """Take all frames out of `data`; what is left may become one, unless it is final."""

    def _begin(self) -> None:
        self._in_step, self._until_due = True, 0

    def _skip(self, broken: bool, claimed: int = 0) -> None:
        """Search on one byte further; `claimed`: how long the broken frame says that it is."""
        self.discarded_bytes += 1
        if self._in_step:
            self.rejected += broken
            self._in_step = False
            self._until_due = claimed if broken else 0
        if self._until_due:
            self._until_due -= 1
            self._in_step = not self._until_due
