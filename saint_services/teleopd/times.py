"""Counts what an operator waits for: the age of commands and pictures, the work and the lateness of
the loop. Not here: their names for Prometheus (webd/metrics/teleop_metrics.py).
"""

from collections.abc import Callable

from ..lib.api.teleop import TimeCounts
from ..lib.clock import monotonic_s
from ..lib.histogram import Histogram

_NETWORK_S = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
_PICTURE_S = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0)
_LOOP_S = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)


class LinkTimes:
    """Of all sessions since the start."""

    def __init__(self) -> None:
        self.command_age = Histogram(_NETWORK_S)
        self.picture_age = Histogram(_PICTURE_S)
        self.loop_time = Histogram(_LOOP_S)
        self.loop_jitter = Histogram(_LOOP_S)

    def timed(self, work: Callable[[], None], period_s: float) -> Callable[[], None]:
        """Return the work of a loop with its times counted."""
        due_s: float | None = None

        def turn() -> None:
            nonlocal due_s
            began_s = monotonic_s()
            if due_s is not None:
                self.loop_jitter.observe(max(0.0, began_s - due_s))
            due_s = max(began_s, (due_s or began_s)) + period_s
            work()
            self.loop_time.observe(monotonic_s() - began_s)

        return turn


def reply(seen: Histogram) -> TimeCounts:
    """Return a histogram for the API."""
    return TimeCounts(limits=list(seen.limits), counts=list(seen.counts), sum=round(seen.sum, 6))
