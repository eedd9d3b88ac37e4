"""Remembers how much room pairs of shapes have, so that only those are measured that may have used
it up: a distance cannot shrink faster than the shapes move. Pure.
"""

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from math import inf

from .parts import Pair

Measure = Callable[[Pair], float]  # the room of a pair: its distance less the margin


class PairWatch:
    """Pairs of one link, by the way that is left until one of them may be too close."""

    __slots__ = ("_ahead_m", "_due", "_moved_m", "_seen", "pairs")

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self.pairs = tuple(pairs)
        self._moved_m = 0.0  # of both sides, so far
        self._ahead_m = 0.0
        self._due = [(0.0, number) for number in range(len(self.pairs))]
        self._seen: list[tuple[float, float, int]] = []  # due before, due after, pair

    @property
    def room_m(self) -> float:
        """The way that the shapes may move, certainly, before a pair is too close."""
        return self._due[0][0] - self._moved_m if self._due else inf

    @property
    def nearest(self) -> Pair:
        """The pair that has the least room, as far as it was measured."""
        return self.pairs[self._due[0][1]]

    def forget(self) -> None:
        """Measure every pair again when it counts."""
        self._moved_m = self._ahead_m = 0.0
        self._due = [(0.0, number) for number in range(len(self.pairs))]

    def move(self, way_m: float) -> None:
        """Accept that the shapes have moved by at most this way."""
        self._moved_m += way_m

    def measured(self, measure: Measure) -> float:
        """Return the room of the nearest pair as it is now, measuring as few as possible."""
        fresh: list[tuple[float, int]] = []
        least = inf
        while self._due and self._due[0][0] - self._moved_m < least:
            _, number = heappop(self._due)
            room_m = measure(self.pairs[number])
            least = min(least, room_m)
            fresh.append((self._moved_m + room_m, number))
        for each in fresh:
            heappush(self._due, each)
        return least

    def crossed(self, way_m: float, after: Measure, before: Measure) -> Pair | None:
        """Return a pair that would be too close after a way, and closer than before; else None.
        `settle` has to follow."""
        self._ahead_m = self._moved_m + way_m
        while self._due and self._due[0][0] < self._ahead_m:
            due_m, number = heappop(self._due)
            pair = self.pairs[number]
            room_m = after(pair)
            self._seen.append((due_m, self._ahead_m + room_m, number))
            if room_m < 0.0 and room_m < before(pair):
                return pair
        return None

    def settle(self, *, is_made: bool) -> None:
        """Accept that the way of `crossed` was made, or that it was not: then what was known before
        counts, and not what was measured there."""
        for before_m, after_m, number in self._seen:
            heappush(self._due, (after_m if is_made else before_m, number))
        self._seen.clear()
        if is_made:
            self._moved_m = self._ahead_m
        self._ahead_m = self._moved_m
