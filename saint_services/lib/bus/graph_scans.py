"""Decides when a look at the graph can find something new: reading all of it is expensive. Not
here: what is looked for (adoptiond, otad).
"""

from math import inf

from ..clock import monotonic_s
from . import Bus

FOLLOWS_S = 5.0  # endpoints that were announced are discovered within this time
EVERY_S = 30.0  # in any case: participants of foreign programs may not announce themselves


class GraphScans:
    """When to scan the graph of a bus."""

    def __init__(self, bus: Bus) -> None:
        self._scanned_s = -inf
        self._changed_s = -inf
        self._is_reported = bus.watch_graph(self.renew)

    def is_due(self) -> bool:
        """Return whether to scan now."""
        now_s = monotonic_s()
        is_new = not self._is_reported or now_s - self._changed_s <= FOLLOWS_S
        if not is_new and now_s - self._scanned_s < EVERY_S:
            return False
        self._scanned_s = now_s
        return True

    def renew(self) -> None:
        """Scan again soon: the graph has changed, or something found before was dropped."""
        self._changed_s = monotonic_s()
