"""Converts a field's unit to positions of a bus servo: the lower limit is the first position of the
configuration, the upper limit the second. Pure.
"""


class TickScale:
    """Linear scale of one joint. A servo may be found outside of its limits, so values outside are
    converted too, as far as the turn goes."""

    __slots__ = ("_first", "_last", "_low", "_most", "_span")

    def __init__(
        self,
        limits: tuple[float, float],
        ticks: tuple[int, int],
        is_reversed: bool = False,
        most: int = 4095,
    ) -> None:
        self._low, self._span = limits[0], limits[1] - limits[0]
        self._first, self._last = ticks[::-1] if is_reversed else ticks
        self._most = most

    def ticks(self, value: float) -> int:
        """Return the position of a value. NaN raises ValueError."""
        share = (value - self._low) / self._span
        return max(0, min(round(self._first + share * (self._last - self._first)), self._most))

    def value(self, ticks: float) -> float:
        """Return the value of a position."""
        share = (ticks - self._first) / (self._last - self._first)
        return self._low + share * self._span
