"""Decides whether a link carries too much, by what is lost and by how long its reports take. Pure.
Not here: how much is sent then (rate.py).

A receiver's estimate of the bandwidth falls with any delay that grows. Where the delay is the
network's own (another route, a radio that sleeps), each fall is of what was sent last, so estimate
and rate would follow each other down to nothing. A queue that is ours gets shorter when less is
sent: a delay that stays after a cut is the link's.
"""

from dataclasses import dataclass
from typing import Final

MUCH_LOSS: Final = 0.10
_SOME_LOSS = 0.05  # a radio's own may be as much
_GROWN_MS = 60.0  # of the round trip, beyond its shortest: a queue
_ANSWER_S = 2.0  # until a cut has made our queue shorter
_SHORTER = 0.3  # by so much of it, at least
_WINDOW_S = 20.0  # the shortest of this window and the one before counts: routes change


@dataclass(slots=True)
class LinkLoad:
    """Of one link."""

    loss: float = 0.0
    round_trip_ms: float | None = None  # None: not known
    _shortest_ms: float = float("inf")
    _before_ms: float = float("inf")  # the shortest of the window before
    _until_s: float = float("-inf")  # the end of this window
    _cut_s: float | None = None  # a cut whose answer is awaited
    _cut_ms: float = 0.0

    def delayed(self, round_trip_ms: float, now_s: float) -> None:
        """Record how long a report and its answer took."""
        self.round_trip_ms = round_trip_ms
        if now_s >= self._until_s:
            self._before_ms, self._shortest_ms = self._shortest_ms, round_trip_ms
            self._until_s = now_s + _WINDOW_S
        self._shortest_ms = min(self._shortest_ms, round_trip_ms)
        if self._cut_s is None or now_s - self._cut_s < _ANSWER_S:
            return
        self._cut_s = None
        is_shorter = round_trip_ms < self._cut_ms - _SHORTER * (self._cut_ms - self._usual_ms)
        if not is_shorter and self.loss <= _SOME_LOSS:  # more: the cut was not enough
            self._shortest_ms = self._before_ms = round_trip_ms

    def cut(self, now_s: float) -> None:
        """Note that less is sent from now on."""
        if self.round_trip_ms is not None:
            self._cut_s, self._cut_ms = now_s, self.round_trip_ms

    def successor(self) -> "LinkLoad":
        """Return the load of a link that takes the place of this one, most likely on the same way:
        what was short there is known, so that a queue is none of its own.
        """
        return LinkLoad(_shortest_ms=self._usual_ms)

    @property
    def is_full(self) -> bool:
        """Return whether less should be sent; where no delay is known, an estimate may be right."""
        if self.round_trip_ms is None or self.loss > MUCH_LOSS:
            return True
        usual_ms = self._usual_ms if self._cut_s is None else self._cut_ms
        return self.round_trip_ms > usual_ms + _GROWN_MS

    @property
    def _usual_ms(self) -> float:
        return min(self._shortest_ms, self._before_ms)
