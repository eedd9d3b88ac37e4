"""Age of a remote reading by a clock that has nothing to do with ours. Only numbers, no clock."""

STALE_S = 0.2  # later than the quickest by so much; the router drops a client after 0.3 s
WINDOW_S = 5.0  # the quickest of this window and the one before counts: clocks drift apart
KEPT_S = 60.0  # nothing came for so long: then what was quickest says nothing any more


class ReadingAge:
    """Decides whether a client's reading is stale, though its clock has nothing to do with ours:
    readings that a stalled radio link held back must not move anything. The quickest reading of the
    last seconds in which any came gives the offset of the client's clock.
    """

    __slots__ = ("_before_s", "_best_s", "_until_s", "late_s")

    def __init__(self) -> None:
        self._best_s = self._before_s = float("inf")
        self._until_s = float("-inf")
        self.late_s = 0.0  # the newest reading, beyond the quickest

    def is_stale(self, time_s: float, now_s: float) -> bool:
        """Judge a reading of `time_s` by the client's clock that arrived at `now_s` by ours."""
        lag_s = now_s - time_s
        if now_s >= self._until_s:
            is_known = now_s < self._until_s + KEPT_S
            self._before_s = self._best_s if is_known else float("inf")
            self._best_s, self._until_s = lag_s, now_s + WINDOW_S
        self._best_s = min(self._best_s, lag_s)
        self.late_s = lag_s - min(self._best_s, self._before_s)
        return self.late_s > STALE_S
