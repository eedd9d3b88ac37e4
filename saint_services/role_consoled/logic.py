"""Decides what the console's display shows: the status page, or an alert or a program's page before
it; which event of a button carries out its action.
"""

from dataclasses import dataclass, field

from saint_services.lib.generated.saint_msgs import EStop

ALERT_S = 10.0  # an alert stays so long; the worst kind stays until the next one
_SEVERITIES = ("info", "warning", "error", "critical")
_FOREVER = float("inf")


def trigger(action: str) -> str:
    """Return the event of a button that carries out its action. The stop is cleared by a long hold
    alone, so that nobody who leans on the console clears it.
    """
    return "held" if action == "clear" else "pressed"


@dataclass(frozen=True, slots=True)
class ShownStop:
    """The e-stop as the display shows it; the generation is sent with a clear."""

    why: str = ""  # who pressed last and why, and how many did before
    generation: int = 0


def shown_stop(message: EStop) -> ShownStop:
    """Summarize the e-stop, its newest press first: people may not know of that one yet."""
    if not message.active or not message.source:
        return ShownStop(generation=message.generation if message.active else 0)
    newest = message.presses[-1] if message.presses else message
    others = max(0, len(message.presses) - 1) + message.presses_left_out
    count = f"+{others} more. " if others else ""
    return ShownStop(f"{count}{newest.source}: {newest.reason}", message.generation)


@dataclass(frozen=True, slots=True)
class ConsoleStatus:
    """What the status page shows."""

    robot: str
    node_id: str
    target: str
    is_estop: bool
    has_router: bool
    stop: ShownStop = field(default_factory=ShownStop)


@dataclass(frozen=True, slots=True)
class TimedPage:
    """Lines that are shown instead of the status page until a time."""

    lines: tuple[str, ...] = ()
    until_s: float = 0.0
    rank: int = -1


@dataclass(slots=True)
class Screen:
    """Chooses what is shown: an alert, else a program's page, else the status."""

    rows: int
    columns: int
    _page: TimedPage = field(default_factory=TimedPage)
    _alert: TimedPage = field(default_factory=TimedPage)

    def display(self, lines: tuple[str, ...], duration_s: float, now_s: float) -> bool:
        """Show a program's page; without lines, the status page. False for a page too long."""
        if len(lines) > self.rows or not duration_s >= 0.0:
            return False
        until_s = now_s + duration_s if duration_s else _FOREVER
        self._page = TimedPage(tuple(line[: self.columns] for line in lines), until_s)
        if not lines:
            self._page = TimedPage()
        return True

    def alert(self, severity: str, code: str, text: str, now_s: float) -> bool:
        """Show an alert, unless a worse one is shown. False for an unknown severity."""
        if severity not in _SEVERITIES:
            return False
        rank = _SEVERITIES.index(severity)
        if rank < self._alert.rank and now_s < self._alert.until_s:
            return True
        until_s = _FOREVER if severity == "critical" else now_s + ALERT_S
        lines = (severity.upper(), code, *_wrapped(text, self.columns))
        self._alert = TimedPage(lines[: self.rows], until_s, rank)
        return True

    def is_alarming(self, now_s: float) -> bool:
        """Return whether an error, or worse, waits for a person."""
        is_shown = bool(self._alert.lines) and now_s < self._alert.until_s
        return is_shown and self._alert.rank >= _SEVERITIES.index("error")

    @property
    def ends_s(self) -> tuple[float, float]:
        """When the alert and the program's page end; in the past where there is none."""
        return self._alert.until_s, self._page.until_s

    def acknowledge(self) -> bool:
        """Remove the alert, which a person has seen. True when there was one."""
        was_shown = bool(self._alert.lines)
        self._alert = TimedPage()
        return was_shown

    def lines(self, status: ConsoleStatus, now_s: float) -> tuple[str, ...]:
        """Return the lines that the display shows now."""
        if status.is_estop:
            return self._status(status)
        for page in (self._alert, self._page):
            if page.lines and now_s < page.until_s:
                return page.lines
        return self._status(status)

    def _status(self, status: ConsoleStatus) -> tuple[str, ...]:
        state = "running" if status.has_router else "no router"
        if status.is_estop:
            state = "*** E-STOP ***"
        text = status.stop.why if status.is_estop else ""
        why = _wrapped(text, self.columns) if text else ()
        lines = (status.robot, status.node_id, status.target, "", state, *why)[: self.rows]
        return tuple(line[: self.columns] for line in lines)


def _wrapped(text: str, columns: int) -> list[str]:
    """Wrap a text into lines of whole words; a word that is too long is cut."""
    lines = [""]
    for word in text[:1000].split():
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if len(joined) <= columns:
            lines[-1] = joined
        else:
            lines.append(word[:columns])
    return lines
