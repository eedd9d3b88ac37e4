"""Positions that a client asked for once and that take longer to reach than one sample lives. They
are sent again until the slowest joint must be there, while the client stays connected. Pure.
"""

from collections.abc import Iterable

from ...lib.role_config.model import FieldSpec, RoleConfig
from ..logic import Values

MARGIN_S = 0.5  # over the time of the longest way at full speed
LONGEST_S = 30.0
SPEED = "speed"  # share of the top speed that a command asks for


def longest_s(field: FieldSpec, speed: float = 1.0) -> float:
    """How long the field may take from one limit to the other."""
    low, high = field.limits
    return min((high - low) / (field.max_rate * max(speed, 1e-3)) + MARGIN_S, LONGEST_S)


class Goals:
    """What every client still wants, by client and target. A field's newest wish wins."""

    def __init__(self) -> None:
        self._until: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}

    def __bool__(self) -> bool:
        return bool(self._until)

    def add(self, source: str, role: RoleConfig, values: Values, now_s: float) -> None:
        """Wish for the positions in `values`; names that are no fields last as long as these."""
        speed = values.get(SPEED, 1.0)
        ends = {n: now_s + longest_s(f, speed) for n, f in role.fields.items() if n in values}
        if not ends:
            return
        wishes = self._until.setdefault((source, role.target), {})
        if SPEED not in values:
            wishes.pop(SPEED, None)  # of the command before
        last_s = max(ends.values())
        wishes.update({name: (value, ends.get(name, last_s)) for name, value in values.items()})

    def drop(self, source: str) -> None:
        """The client has gone."""
        for key in [key for key in self._until if key[0] == source]:
            del self._until[key]

    def clear(self) -> None:
        """Forget all of them: after a stop or a stall nothing is wanted any more."""
        self._until.clear()

    def due(self, now_s: float) -> Iterable[tuple[str, str, Values]]:
        """Source, target and values of everything to be sent again."""
        for key, wishes in list(self._until.items()):
            for name in [name for name, (_, until_s) in wishes.items() if until_s <= now_s]:
                del wishes[name]
            if wishes:
                yield (*key, {name: value for name, (value, _) in wishes.items()})
            else:
                del self._until[key]
