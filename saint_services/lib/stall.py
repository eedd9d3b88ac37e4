"""Detects that an event loop was blocked, so that commands which waited meanwhile are dropped: data
in sockets after a stall is old. Pure. Not here: a daemon's reaction.
"""

from math import inf
from typing import Final

SETTLE_S: Final = 0.05  # data read within this time after a stall may have waited


class StallWatch:
    """Measures gaps between calls of beat() by a regular timer; a gap beyond `limit_s` is a stall.

    The timer must be faster than the limit and run at most once per turn of the loop. A callback
    that runs before the first beat after a stall detects the stall too, by the time since the last
    beat. Suspending the machine or halting in a debugger is a stall like any other.
    """

    __slots__ = ("_count", "_ended_s", "_last_s", "_length_s", "limit_s", "settle_s")

    def __init__(self, limit_s: float, settle_s: float = SETTLE_S) -> None:
        self.limit_s = limit_s
        self.settle_s = settle_s
        self._last_s = inf  # of the newest beat; infinite before the first
        self._ended_s = -inf
        self._length_s = 0.0
        self._count = 0

    @property
    def ended_s(self) -> float:
        """Time at which the newest stall ended; minus infinity before the first."""
        return self._ended_s

    def beat(self, now_s: float) -> bool:
        """Record that the loop runs; true when a stall ends with this beat."""
        gap_s = now_s - self._last_s
        self._last_s = now_s
        if not gap_s > self.limit_s:
            return False
        # A stall within the settle time of another one extends it.
        self._length_s = gap_s + (self._length_s if self._is_settling(now_s - gap_s) else 0.0)
        self._ended_s = now_s
        self._count += 1
        return True

    def is_stalled(self, now_s: float) -> bool:
        """Return whether what arrives now may have waited for longer than the limit."""
        return now_s - self._last_s > self.limit_s or self._is_settling(now_s)

    def waited_s(self, now_s: float) -> float:
        """Return for how long what arrives now may have waited; 0 unless the loop has stalled."""
        gap_s = now_s - self._last_s
        settling_s = self._length_s if self._is_settling(now_s) else 0.0
        return max(gap_s if gap_s > self.limit_s else 0.0, settling_s)

    def number(self, now_s: float) -> int:
        """Return how many stalls there have been, one that no beat has ended yet included."""
        return self._count + (now_s - self._last_s > self.limit_s)

    def _is_settling(self, now_s: float) -> bool:
        return now_s - self._ended_s < self.settle_s
