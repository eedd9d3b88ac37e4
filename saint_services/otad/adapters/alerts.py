"""Publishes alerts of otad: the console's display and the page's log show them."""

from ...lib.bus import Bus
from ...lib.clock import stamp
from ...lib.errors import SaintError
from ...lib.generated import topics
from ...lib.generated.saint_msgs import ConsoleAlert

_LONGEST = 300


class Alerts:
    """Publisher of /saint/console/alerts."""

    def __init__(self, bus: Bus) -> None:
        self._publisher = bus.publisher(topics.CONSOLE_ALERTS)

    def news(self, text: str) -> None:
        """Report a success."""
        self._publish("info", "", text)

    def fault(self, text: str) -> None:
        """Report a failure that needs attention."""
        self._publish("error", "", text)

    def refusal(self, what: str, error: SaintError) -> None:
        """Report a refusal; `code` names its kind."""
        self._publish("error", error.code.value, f"{what}: {error.message}")

    def _publish(self, severity: str, code: str, text: str) -> None:
        self._publisher.publish(
            ConsoleAlert(stamp=stamp(), severity=severity, code=code, text=text[:_LONGEST])
        )
