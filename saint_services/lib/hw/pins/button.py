"""Debounces a push button and detects its events: pressed, released, held. Contacts bounce, so
edges are ignored for a while after one that counted; then the level is read again. Pure.
"""

from dataclasses import dataclass

BOUNCE_S = 0.02
HELD_S = 5.0  # specification: hold 5 s to reset


@dataclass(frozen=True, slots=True)
class ButtonEvent:
    """Event of a button; `value` is how long it was held, in seconds."""

    event: str  # "pressed", "released", "held"
    value: float = 0.0


class Button:
    """State of one button; call `level` for edges and `tick` at `due_s`."""

    __slots__ = ("_down", "_is_held", "_level", "_quiet_until_s", "_since_s")

    def __init__(self) -> None:
        self._down = False
        self._level = False
        self._is_held = False
        self._since_s = 0.0
        self._quiet_until_s = 0.0

    @property
    def is_down(self) -> bool:
        """True while it counts as pressed."""
        return self._down

    def level(self, is_down: bool, now_s: float) -> list[ButtonEvent]:
        """Follow a contact that closed or opened."""
        self._level = is_down
        return self.tick(now_s)

    def tick(self, now_s: float) -> list[ButtonEvent]:
        """Follow the time."""
        events: list[ButtonEvent] = []
        if self._level != self._down and now_s >= self._quiet_until_s:
            events.append(self._change(now_s))
        if self._down and not self._is_held and now_s - self._since_s >= HELD_S:
            self._is_held = True
            events.append(ButtonEvent("held", HELD_S))
        return events

    def due_s(self) -> float | None:
        """Return when to call `tick` next; None: not before the next edge."""
        if self._level != self._down:
            return self._quiet_until_s
        return self._since_s + HELD_S if self._down and not self._is_held else None

    def _change(self, now_s: float) -> ButtonEvent:
        self._down = self._level
        self._quiet_until_s = now_s + BOUNCE_S
        if self._down:
            self._since_s, self._is_held = now_s, False
            return ButtonEvent("pressed")
        return ButtonEvent("released", now_s - self._since_s)
