"""What webd itself writes into the audit log: who came in, who stopped the robot, what its own
actions change. Pure. Not here: what other daemons do (they send it: lib/audit.py), the file
(adapters/audit_file.py).
"""

from dataclasses import dataclass, field

from pydantic import BaseModel

from ..lib.api.endpoint import hidden
from ..lib.audit import Entry, detail
from ..lib.person import Person

# What is told beside everything that only an admin may do.
_TOLD = {
    ("management", "adopt_node"), ("management", "reset_node"), ("management", "replace_node"),
    ("users", "change_password"), ("users", "end_session"),
}  # fmt: skip
_READING = ("list_", "get_")
DRIVING_PAUSE_S = 10.0  # a client that moved nothing for so long begins anew
MOST_TARGETS = 32


def is_told(group: str, action: str, needs_admin: bool) -> bool:
    """Whether a call of this action belongs into the log."""
    return (group, action) in _TOLD or (needs_admin and not action.startswith(_READING))


def told() -> frozenset[tuple[str, str]]:
    """The actions that are named one by one."""
    return frozenset(_TOLD)


def entry_of(
    person: Person, what: str, params: BaseModel, now_s: float, refusal: str = ""
) -> Entry:
    """Of a call that was done, or refused; `what` is group and action."""
    return Entry(
        now_s, person.name, person.level, person.address, what, detail(hidden(params)),
        person.source, refused=refusal, daemon="webd",
    )  # fmt: skip


@dataclass(slots=True)
class Driving:
    """When a client moved what, so that the log tells of the beginning alone."""

    _last_s: dict[str, float] = field(default_factory=dict)

    def begins(self, target: str, now_s: float) -> bool:
        """One motion command more."""
        last_s = self._last_s.get(target)
        if last_s is None and len(self._last_s) >= MOST_TARGETS:
            self._last_s.clear()
        self._last_s[target] = now_s
        return last_s is None or now_s - last_s > DRIVING_PAUSE_S
