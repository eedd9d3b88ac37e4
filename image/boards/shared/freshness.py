"""Follows how old things are. Times are milliseconds of a clock that never jumps or wraps."""


class Freshness:
    """Whether something came within its limit. What never came is not fresh."""

    def __init__(self, limit_ms: int) -> None:
        self.limit_ms = limit_ms
        self._last_ms: int | None = None

    def feed(self, now_ms: int) -> None:
        """Note that it came."""
        self._last_ms = now_ms

    def age_ms(self, now_ms: int) -> int:
        """Return the age; beyond every limit for what never came."""
        return 1 << 29 if self._last_ms is None else now_ms - self._last_ms

    def is_fresh(self, now_ms: int) -> bool:
        """Return whether it came within the limit."""
        return 0 <= self.age_ms(now_ms) <= self.limit_ms


class Steadiness:
    """Whether something has come without a gap for a while."""

    def __init__(self, gap_ms: int, steady_ms: int) -> None:
        self._steady_ms = steady_ms
        self._gap = Freshness(gap_ms)
        self._since_ms = 0

    def feed(self, now_ms: int) -> None:
        """Note that it came."""
        if not self._gap.is_fresh(now_ms):
            self._since_ms = now_ms
        self._gap.feed(now_ms)

    def is_fresh(self, now_ms: int) -> bool:
        """Return whether it still comes."""
        return self._gap.is_fresh(now_ms)

    def is_steady(self, now_ms: int) -> bool:
        """Return whether it still comes, and has for long enough."""
        return self._gap.is_fresh(now_ms) and now_ms - self._since_ms >= self._steady_ms


class Period:
    """When something repeated is due again."""

    def __init__(self, period_ms: int) -> None:
        self.period_ms = period_ms
        self._next_ms = -1

    def is_due(self, now_ms: int) -> bool:
        """Return whether it is due, and note that it was done."""
        if 0 <= now_ms < self._next_ms:
            return False
        self._next_ms = now_ms + self.period_ms
        return True

    def restart(self, now_ms: int) -> None:
        """Note that it was done now."""
        self._next_ms = now_ms + self.period_ms
