"""What the console's display shows: the status page, unless something told it to show more; when a
button's order is carried out.
"""

from dataclasses import dataclass, field

from saint_services.lib.generated.saint_msgs import EStop

ALERT_S = 10.0  # an alert stays so long; the worst kind stays until the next one
_SEVERITIES = ("info", "warning", "error", "critical")
_FOREVER = float("inf")


def trigger(action: str) -> str:
    """The event of a button that carries out its order. What ends a stop must not be done by
    leaning on the console.
    """
    return "held" if action == "clear" else "pressed"


@dataclass(frozen=True, slots=True)
class Stop:
    """The e-stop as the display shows it; the generation is sent with a clear."""

    why: str = ""  # who pressed last and why, and how many did before
    generation: int = 0


def shown_stop(message: EStop) -> Stop:
    """The newest press first: it is the one that a person may not know yet."""
    if not message.active or not message.source:
        return Stop(generation=message.generation if message.active else 0)
    newest = message.presses[-1] if message.presses else message
    others = max(0, len(message.presses) - 1) + message.presses_left_out
    count = f"+{others} more. " if others else ""
    return Stop(f"{count}{newest.source}: {newest.reason}", message.generation)


@dataclass(frozen=True, slots=True)
class Status:
    """The facts of the status page."""

    robot: str
    node_id: str
    target: str
    is_estop: bool
    has_router: bool
    stop: Stop = field(default_factory=Stop)


@dataclass(frozen=True, slots=True)
class Page:
    """Lines that stand before the status page until a time."""

    lines: tuple[str, ...] = ()
    until_s: float = 0.0
    rank: int = -1


@dataclass(slots=True)
class Screen:
    """Chooses what is shown. Alerts stand before pages of programs, those before the status."""

    rows: int
    columns: int
    _page: Page = field(default_factory=Page)
    _alert: Page = field(default_factory=Page)

    def display(self, lines: tuple[str, ...], duration_s: float, now_s: float) -> bool:
        """A program's page; False when it cannot be shown. No lines: back to the status page."""
        if len(lines) > self.rows or not duration_s >= 0.0:
            return False
        until_s = now_s + duration_s if duration_s else _FOREVER
        self._page = Page(tuple(line[: self.columns] for line in lines), until_s)
        if not lines:
            self._page = Page()
        return True

    def alert(self, severity: str, code: str, text: str, now_s: float) -> bool:
        """Something happened; a lesser alert does not hide a worse one. False: unknown kind."""
        if severity not in _SEVERITIES:
            return False
        rank = _SEVERITIES.index(severity)
        if rank < self._alert.rank and now_s < self._alert.until_s:
            return True
        until_s = _FOREVER if severity == "critical" else now_s + ALERT_S
        lines = (severity.upper(), code, *_wrapped(text, self.columns))
        self._alert = Page(lines[: self.rows], until_s, rank)
        return True

    def is_alarming(self, now_s: float) -> bool:
        """An error, or worse, waits for a person."""
        is_shown = bool(self._alert.lines) and now_s < self._alert.until_s
        return is_shown and self._alert.rank >= _SEVERITIES.index("error")

    def acknowledge(self) -> bool:
        """A person has seen the alert; True when there was one."""
        was_shown = bool(self._alert.lines)
        self._alert = Page()
        return was_shown

    def lines(self, status: Status, now_s: float) -> tuple[str, ...]:
        """What the display shows now."""
        if status.is_estop:
            return self._status(status)
        for page in (self._alert, self._page):
            if page.lines and now_s < page.until_s:
                return page.lines
        return self._status(status)

    def _status(self, status: Status) -> tuple[str, ...]:
        state = "running" if status.has_router else "no router"
        if status.is_estop:
            state = "*** E-STOP ***"
        text = status.stop.why if status.is_estop else ""
        why = _wrapped(text, self.columns) if text else ()
        lines = (status.robot, status.node_id, status.target, "", state, *why)[: self.rows]
        return tuple(line[: self.columns] for line in lines)


def _wrapped(text: str, columns: int) -> list[str]:
    """Lines of whole words; a word that is too long is cut."""
    lines = [""]
    for word in text[:1000].split():
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if len(joined) <= columns:
            lines[-1] = joined
        else:
            lines.append(word[:columns])
    return lines
