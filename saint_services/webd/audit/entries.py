"""What webd itself writes into the audit log: who came in, who stopped the robot, what its own
actions change. Pure. Not here: what other daemons do (they send it: lib/access/audit.py), the file
(adapters/audit_file.py).
"""

from dataclasses import dataclass, field

from pydantic import BaseModel

from ...lib.access.audit import AuditRecord, detail
from ...lib.access.person import Person
from ...lib.api.endpoint import hidden
from ...lib.clock import wall_s

DRIVING_PAUSE_S = 10.0  # a client that moved nothing for so long begins anew
MOST_TARGETS = 32


def entry_of(
    person: Person, what: str, params: BaseModel, text: str, severity: str, refusal: str
) -> AuditRecord:
    """Of a call that webd has carried out, or refused; `what` is group and action."""
    return AuditRecord(
        time_s=wall_s(),
        who=person.name,
        level=person.level,
        address=person.address,
        source=person.source,
        what=what,
        detail=detail(hidden(params)),
        text="" if refusal else text,
        severity=severity,
        refused=refusal,
        daemon="webd",
    )


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
