"""Tells people what they did not stand beside: the console's display and the page's log show it."""

from ...lib.bus import Bus
from ...lib.clock import stamp
from ...lib.errors import SaintError
from ...lib.generated import topics
from ...lib.generated.saint_msgs import ConsoleAlert

_LONGEST = 300


class Alerts:
    """/saint/console/alerts"""

    def __init__(self, bus: Bus) -> None:
        self._publisher = bus.publisher(topics.CONSOLE_ALERTS)

    def news(self, text: str) -> None:
        """Something went well."""
        self._tell("info", "", text)

    def fault(self, text: str) -> None:
        """Somebody should look."""
        self._tell("error", "", text)

    def refusal(self, what: str, error: SaintError) -> None:
        """Somebody should look; `code` tells of what kind it is."""
        self._tell("error", error.code.value, f"{what}: {error.message}")

    def _tell(self, severity: str, code: str, text: str) -> None:
        self._publisher.publish(
            ConsoleAlert(stamp=stamp(), severity=severity, code=code, text=text[:_LONGEST])
        )
