"""Decides in which order the services of one machine end (the reverse of After=, as in systemd)
and how long that may take. Pure. Not here: how one service ends (life.py).
"""

import graphlib
from collections.abc import Collection, Mapping, Sequence

After = Mapping[str, Sequence[str]]  # service -> what it starts after, and ends before


def circle(after: After) -> list[str]:
    """Return the services whose After= lead in a circle, so that none of them may end first."""
    try:
        graphlib.TopologicalSorter(_among_them(after)).prepare()
    except graphlib.CycleError as err:
        return sorted(set(err.args[1]))
    return []


def due(after: After, ended: Collection[str]) -> list[str]:
    """Return the services that may end now: all that start after them have ended."""
    awaited = {name for other in after if other not in ended for name in after[other]}
    return [name for name in after if name not in ended and name not in awaited]


def limit_s(after: After, own_s: Mapping[str, float]) -> float:
    """Return how long the whole order takes when each service takes all its own time."""
    total_s: dict[str, float] = {}
    order = [*graphlib.TopologicalSorter(_among_them(after)).static_order()]
    for name in reversed(order):  # what ends first comes first
        earlier_s = [total_s[other] for other in total_s if name in after[other]]
        total_s[name] = own_s[name] + max(earlier_s, default=0.0)
    return max(total_s.values(), default=0.0)


def _among_them(after: After) -> dict[str, list[str]]:
    """The same without targets and units of others."""
    return {name: [each for each in wanted if each in after] for name, wanted in after.items()}
