"""Age of a client's readings and rate of its messages. Only numbers, no clock."""

STALE_S = 0.2  # later than the quickest by so much; the router drops a client after 0.3 s
WINDOW_S = 5.0  # the quickest of this window and the one before counts: clocks drift apart
RATE_WINDOW_S = 1.0


class ReadingAge:
    """Decides whether a client's reading is stale, though its clock has nothing to do with ours:
    readings that a stalled radio link held back must not move anything. The quickest reading of the
    last seconds gives the offset of the client's clock.
    """

    __slots__ = ("_before_s", "_best_s", "_until_s")

    def __init__(self) -> None:
        self._best_s = self._before_s = float("inf")
        self._until_s = float("-inf")

    def is_stale(self, time_s: float, now_s: float) -> bool:
        """Judge a reading of `time_s` by the client's clock that arrived at `now_s` by ours."""
        lag_s = now_s - time_s
        if now_s >= self._until_s:
            is_next = now_s < self._until_s + WINDOW_S
            self._before_s = self._best_s if is_next else float("inf")
            self._best_s, self._until_s = lag_s, now_s + WINDOW_S
        self._best_s = min(self._best_s, lag_s)
        return lag_s - min(self._best_s, self._before_s) > STALE_S


class MessageRate:
    """Counts messages; the rate is that of the last whole window."""

    __slots__ = ("_began_s", "_count", "_per_s")

    def __init__(self, now_s: float) -> None:
        self._began_s = now_s
        self._count = 0
        self._per_s = 0.0

    def count(self, now_s: float) -> None:
        """Count one message."""
        self._roll(now_s)
        self._count += 1

    def per_s(self, now_s: float) -> float:
        """Return the messages per second."""
        self._roll(now_s)
        return round(self._per_s, 1)

    def _roll(self, now_s: float) -> None:
        passed_s = now_s - self._began_s
        if passed_s >= RATE_WINDOW_S:
            self._per_s = self._count / passed_s
            self._began_s, self._count = now_s, 0
