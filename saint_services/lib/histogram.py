"""Counts values by upper limits, as Prometheus' histograms do."""

import math
from collections.abc import Iterator, Sequence


class Histogram:
    """Counts values by upper limits."""

    def __init__(self, limits: Sequence[float]) -> None:
        self.limits = tuple(limits)
        self._limits = (*limits, math.inf)
        self._counts = [0] * len(self._limits)
        self.sum = 0.0

    @property
    def count(self) -> int:
        return sum(self._counts)

    def observe(self, value: float) -> None:
        """Count one value."""
        index = next(i for i, limit in enumerate(self._limits) if value <= limit)
        self._counts[index] += 1
        self.sum += value

    @property
    def counts(self) -> tuple[int, ...]:
        """The values up to each limit and above the one before; the last are above all limits."""
        return tuple(self._counts)

    @classmethod
    def of(cls, limits: Sequence[float], counts: Sequence[int], total: float) -> "Histogram":
        """Return what another process has counted."""
        made = cls(limits)
        made._counts = [*counts, *[0] * len(made._counts)][: len(made._counts)]
        made.sum = total
        return made

    def cumulated(self) -> Iterator[tuple[float, int]]:
        """Yield each limit with the number of values up to it."""
        total = 0
        for limit, count in zip(self._limits, self._counts, strict=True):
            total += count
            yield limit, total
