"""A push button of a role: its pin, debounced, with the timer of a long press. Not here: what a
press does (role_consoled, lib/role/parts).
"""

from collections.abc import Callable

from ..hw.pins.button import Button, ButtonEvent
from ..hw.ports import EdgeInput
from .timers import Clock, Handle


class ButtonInput:
    """A button with its pin and its timer. It closes to ground, so low is pressed."""

    def __init__(
        self, name: str, edges: EdgeInput, pin: int, is_high_pressed: bool, clock: Clock
    ) -> None:
        self._name = name
        self._edges = edges
        self._pin = pin
        self._is_high_pressed = is_high_pressed
        self._clock = clock
        self._button = Button()
        self._timer: Handle | None = None
        self._callback: Callable[[str, ButtonEvent], None] | None = None

    @property
    def is_down(self) -> bool:
        """True while it is pressed, without its bouncing."""
        return self._button.is_down

    def listen(self, callback: Callable[[str, ButtonEvent], None]) -> None:
        """Call back with its name for every event from now on."""
        self._callback = callback
        self._edges.listen(self._on_edge)
        level = self._edges.levels()[self._pin]
        if level == self._is_high_pressed:
            self._on_edge(self._pin, level, 0)  # held while the role started

    def close(self) -> None:
        """Release the pin."""
        if self._timer:
            self._timer.cancel()
        self._edges.close()

    def _on_edge(self, pin: int, level: bool, stamp_ns: int) -> None:
        self._send(self._button.level(level == self._is_high_pressed, self._clock.time()))

    def _on_time(self) -> None:
        self._timer = None
        self._send(self._button.tick(self._clock.time()))

    def _send(self, events: list[ButtonEvent]) -> None:
        for event in events:
            if self._callback:
                self._callback(self._name, event)
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if (due_s := self._button.due_s()) is not None:
            self._timer = self._clock.call_at(due_s, self._on_time)
