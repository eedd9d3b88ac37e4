"""Audit entries of what webd itself carries out or refuses: one entry for each request, written
after its outcome. Not here: what other daemons carry out (lib/audit.py), the file (audit_file.py).
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ...lib.access.audit import AuditRecord
from ...lib.access.person import Person
from ...lib.clock import wall_s
from ...lib.errors import SaintError
from ..robot.daemon_clients import AnsweredError

PAUSE_S = 10.0  # a repeated request that pauses for so long begins again
MOST_KEPT = 256
UNFINISHED = "webd did not finish the request, so it may be done or not"


@dataclass(slots=True)
class Outcome:
    """Result of a request: `reply` when it was done, `refusal` when it was not."""

    reply: Any = None
    refusal: str = UNFINISHED
    is_logged: bool = False  # by the daemon that has refused it


@contextlib.contextmanager
def watched(write: Callable[[Outcome], None]) -> Iterator[Outcome]:
    """Call `write` with the outcome of the block. The block may set the refusal itself, for a
    request whose refusal is no exception.
    """
    outcome = Outcome()
    try:
        yield outcome
        outcome.refusal = "" if outcome.refusal is UNFINISHED else outcome.refusal
    except SaintError as err:
        outcome.refusal = err.message
        outcome.is_logged = outcome.is_logged or isinstance(err, AnsweredError)
        raise
    finally:
        write(outcome)


@contextlib.contextmanager
def recorded(
    add: Callable[[AuditRecord], None], person: Person, what: str, text: str, severity: str = "INFO"
) -> Iterator[Outcome]:
    """Write the entry of a request that is no action, such as an upload; `text` is its sentence for
    the activity log.
    """

    def write(outcome: Outcome) -> None:
        sentence = "" if outcome.refusal else text
        add(entry(person, what, sentence, severity, outcome.refusal))

    with watched(write) as outcome:
        yield outcome


def entry(
    person: Person, what: str, text: str = "", severity: str = "INFO", refused: str = ""
) -> AuditRecord:
    """Return an entry of webd about a request without parameters."""
    return AuditRecord(
        time_s=wall_s(),
        who=person.name,
        level=person.level,
        address=person.address,
        source=person.source,
        what=what,
        text=text,
        severity=severity,
        refused=refused,
        daemon="webd",
    )


@dataclass(slots=True)
class Repeats:
    """Requests that clients repeat many times a second, so that the log has only their begin."""

    _last_s: dict[tuple[str, ...], float] = field(default_factory=dict)

    def begins(self, key: tuple[str, ...], now_s: float) -> bool:
        """Count one request more; return whether it is the first one after a pause."""
        last_s = self._last_s.pop(key, None)
        if last_s is None and len(self._last_s) >= MOST_KEPT:
            self._last_s.pop(next(iter(self._last_s)))  # the oldest
        self._last_s[key] = now_s
        return last_s is None or now_s - last_s > PAUSE_S

    def forget(self, source: str) -> None:
        """Forget the requests of a client that has disconnected."""
        for key in [key for key in self._last_s if key[0] == source]:
            del self._last_s[key]
