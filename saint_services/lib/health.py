"""Current issues and counters of a daemon, shown at GET /health. Logs the start and the end of each
issue once.
"""

from collections import Counter

from . import log
from .api import Reply
from .clock import monotonic_s
from .errors import Code
from .generated.errors import INFO


class HealthIssue(Reply):
    """A problem that has lasted for `age_s`."""

    code: Code
    title: str
    text: str
    fix: str
    age_s: float


class HealthReport(Reply):
    """Reply to GET /health of every daemon."""

    daemon: str
    healthy: bool
    uptime_s: float
    issues: list[HealthIssue]
    counters: dict[str, int]


class Health:
    """Issues by code and subject, and counters by name, of one daemon. The subject (a file, a
    route) separates issues with the same code.
    """

    def __init__(self, daemon: str) -> None:
        self.counters: Counter[str] = Counter()
        self._daemon = daemon
        self._log = log.get(daemon)
        self._started_s = monotonic_s()
        self._issues: dict[tuple[Code, str], tuple[str, float]] = {}

    def raise_issue(self, code: Code, text: str, subject: str = "") -> None:
        """Raise an issue; an existing one with the same subject only gets the new text."""
        known = self._issues.get((code, subject))
        self._issues[code, subject] = (text, known[1] if known else monotonic_s())
        if not known:
            self._log.warning("health issue", code=code.value, text=text)

    def clear(self, code: Code, subject: str = "") -> None:
        """Clear an issue, if it is raised."""
        if known := self._issues.pop((code, subject), None):
            self._log.info("health issue is over", code=code.value, text=known[0])

    @property
    def is_healthy(self) -> bool:
        return not self._issues

    def report(self) -> HealthReport:
        """Return the reply to GET /health."""
        now = monotonic_s()
        return HealthReport(
            daemon=self._daemon,
            healthy=self.is_healthy,
            uptime_s=now - self._started_s,
            issues=[
                _issue(code, text, now - since_s)
                for (code, _), (text, since_s) in self._issues.items()
            ],
            counters=dict(self.counters),
        )


def _issue(code: Code, text: str, age_s: float) -> HealthIssue:
    info = INFO[code]
    return HealthIssue(code=code, title=info.title, text=text, fix=info.fix, age_s=age_s)
