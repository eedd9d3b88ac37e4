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
    """Issues by code and counters by name of one daemon."""

    def __init__(self, daemon: str) -> None:
        self.counters: Counter[str] = Counter()
        self._daemon = daemon
        self._log = log.get(daemon)
        self._started_s = monotonic_s()
        self._issues: dict[Code, tuple[str, float]] = {}

    def raise_issue(self, code: Code, text: str) -> None:
        """Something is wrong; the same again only replaces the text."""
        known = self._issues.get(code)
        self._issues[code] = (text, known[1] if known else monotonic_s())
        if not known:
            self._log.warning("health issue", code=code.value, text=text)

    def clear(self, code: Code) -> None:
        """It is well again; harmless when it was."""
        if self._issues.pop(code, None):
            self._log.info("health issue is over", code=code.value)

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
            issues=[self._issue(code, now) for code in self._issues],
            counters=dict(self.counters),
        )

    def _issue(self, code: Code, now: float) -> Issue:
        text, since_s = self._issues[code]
        info = INFO[code]
        return Issue(code=code, title=info.title, text=text, fix=info.fix, age_s=now - since_s)
