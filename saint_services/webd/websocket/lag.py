"""How old a client's reading is, though its clock has nothing to do with ours: readings that waited
on their way (a radio link that stalled) must not move anything when they come at last. Pure.
"""

STALE_S = 0.2  # later than its best by so much; the router lets go of a client after 0.3 s
WINDOW_S = 5.0  # the best is looked for in this window and the one before: clocks drift apart


class Lag:
    """Of one client. The quickest reading of the last seconds tells what its clock says now."""

    __slots__ = ("_before_s", "_best_s", "_until_s")

    def __init__(self) -> None:
        self._best_s = self._before_s = float("inf")
        self._until_s = float("-inf")

    def is_stale(self, time_s: float, now_s: float) -> bool:
        """A reading that the client made at `time_s` of its clock came at `now_s` of ours."""
        lag_s = now_s - time_s
        if now_s >= self._until_s:
            is_next = now_s < self._until_s + WINDOW_S
            self._before_s = self._best_s if is_next else float("inf")
            self._best_s, self._until_s = lag_s, now_s + WINDOW_S
        self._best_s = min(self._best_s, lag_s)
        return lag_s - min(self._best_s, self._before_s) > STALE_S
