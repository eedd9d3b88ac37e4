"""Which source commands each output, as events of the node that holds it: one at a change, and
at most one in ten seconds per target, however many samples come. Pure. Not here: the log
(activity.py).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ...lib.generated.saint_msgs import FieldStatus
from .activity import Event, source_name

PAUSE_S = 10.0  # between two events of a target: sources that alternate do not fill the log
_SHOWN = 3  # values in a sentence

Commander = tuple[str, ...]  # who commands a target: its node, then the sources


@dataclass(slots=True)
class CommandWatch:
    """What was reported of each target last, and when the next event may come."""

    _reported: dict[str, Commander] = field(default_factory=dict)
    _next_s: dict[str, float] = field(default_factory=dict)

    def events(
        self, fields: Iterable[FieldStatus], holders: Mapping[str, str], now_s: float
    ) -> list[Event]:
        """Return an event for each target that has another commander than reported last."""
        driven: dict[str, list[FieldStatus]] = {}
        for each in fields:
            driven.setdefault(each.target, []).extend([each] if each.winner else [])
        found = []
        for target, own in driven.items():
            node = holders.get(target, "")
            sources = tuple(sorted({each.source for each in own}))
            commander = (node, *sources) if sources else ()
            is_due = now_s >= self._next_s.get(target, -math.inf)
            if commander == self._reported.get(target, ()) or not is_due:
                continue
            self._reported[target], self._next_s[target] = commander, now_s + PAUSE_S
            found.append(Event("INFO", node or "router", _text(target, sources, own)))
        return found


def _text(target: str, sources: tuple[str, ...], own: list[FieldStatus]) -> str:
    if not sources:
        return f"{target} receives no commands any more"
    by = ", ".join(source_name(each) for each in sources)
    values = [f"{each.field}={each.value:.4g}" for each in own if not math.isnan(each.value)]
    more = ", ..." if len(values) > _SHOWN else ""
    return f"{target} receives commands from {by}: {', '.join(values[:_SHOWN])}{more}"
