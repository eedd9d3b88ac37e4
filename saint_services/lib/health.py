"""What is wrong with a daemon now, and what it has counted. Shown at GET /health. Going wrong and
coming back are logged once each, here.
"""

from collections import Counter

from . import log
from .api import Reply
from .clock import monotonic_s
from .errors import Code
from .generated.errors import INFO


class Issue(Reply):
    """One thing that is wrong, since `age_s`."""

    code: Code
    title: str
    text: str
    fix: str
    age_s: float


class HealthReport(Reply):
    """GET /health of every daemon."""

    daemon: str
    healthy: bool
    uptime_s: float
    issues: list[Issue]
    counters: dict[str, int]


class Health:
    """Issues by code and subject, and counters by name, of one daemon. The subject tells what it is
    about where a code may stand for several things at once: a file, a route.
    """

    def __init__(self, daemon: str) -> None:
        self.counters: Counter[str] = Counter()
        self._daemon = daemon
        self._log = log.get(daemon)
        self._started_s = monotonic_s()
        self._issues: dict[tuple[Code, str], tuple[str, float]] = {}

    def raise_issue(self, code: Code, text: str, subject: str = "") -> None:
        """Something is wrong; the same of the same subject again only replaces the text."""
        known = self._issues.get((code, subject))
        self._issues[code, subject] = (text, known[1] if known else monotonic_s())
        if not known:
            self._log.warning("health issue", code=code.value, text=text)

    def clear(self, code: Code, subject: str = "") -> None:
        """It is well again; harmless when it was."""
        if known := self._issues.pop((code, subject), None):
            self._log.info("health issue is over", code=code.value, text=known[0])

    @property
    def is_healthy(self) -> bool:
        """True when no issue stands."""
        return not self._issues

    def report(self) -> HealthReport:
        """The answer of GET /health."""
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


def _issue(code: Code, text: str, age_s: float) -> Issue:
    info = INFO[code]
    return Issue(code=code, title=info.title, text=text, fix=info.fix, age_s=age_s)
