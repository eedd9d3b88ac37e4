"""Positions that clients requested once and that take longer to reach than one input sample is
valid. They are sent again until the slowest joint must have arrived, while the client is connected.
"""

from collections.abc import Iterable

from ...lib.role_config.model import FieldSpec, RoleConfig
from ..logic import Values

MARGIN_S = 0.5  # over the time of the longest way at full speed
LONGEST_S = 30.0
SPEED = "speed"  # share of the top speed that a command requests


def longest_s(field: FieldSpec, speed: float = 1.0) -> float:
    """Return how long the field may take from one limit to the other."""
    low, high = field.limits
    return min((high - low) / (field.max_rate * max(speed, 1e-3)) + MARGIN_S, LONGEST_S)


class Goals:
    """Requested positions by client and target. The newest position of a field counts."""

    def __init__(self) -> None:
        self._until: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}

    def __bool__(self) -> bool:
        return bool(self._until)

    def add(self, source: str, role: RoleConfig, values: Values, now_s: float) -> None:
        """Add the positions in `values`; modifiers such as the speed last as long as these."""
        speed = values.get(SPEED, 1.0)
        ends = {n: now_s + longest_s(f, speed) for n, f in role.fields.items() if n in values}
        if not ends:
            return
        goals = self._until.setdefault((source, role.target), {})
        if SPEED not in values:
            goals.pop(SPEED, None)  # of the command before
        last_s = max(ends.values())
        goals.update({name: (value, ends.get(name, last_s)) for name, value in values.items()})

    def drop(self, source: str) -> None:
        """Remove the goals of a client that has disconnected."""
        for key in [key for key in self._until if key[0] == source]:
            del self._until[key]

    def clear(self) -> None:
        """Remove all goals: after a stop or a stall no earlier command counts."""
        self._until.clear()

    def due(self, now_s: float) -> Iterable[tuple[str, str, Values]]:
        """Yield source, target and values of everything that has to be sent again."""
        for key, goals in list(self._until.items()):
            for name in [name for name, (_, until_s) in goals.items() if until_s <= now_s]:
                del goals[name]
            if goals:
                yield (*key, {name: value for name, (value, _) in goals.items()})
            else:
                del self._until[key]
