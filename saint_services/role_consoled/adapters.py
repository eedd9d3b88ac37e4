"""The console's hardware, as its manifest names it: a display and buttons to ground."""

from collections.abc import Callable

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.displays.opening import open_display
from saint_services.lib.hw.pins.button import Button, ButtonEvent
from saint_services.lib.hw.ports import Board, Display, EdgeInput
from saint_services.lib.role.timers import Clock, Handle
from saint_services.lib.role_config.model import RoleConfig


class Panel:
    """Everything that a person sees and touches."""

    def __init__(self, board: Board, config: RoleConfig, clock: Clock) -> None:
        self.display = _display(board, config)
        self._clock = clock
        self._buttons: list[_Key] = []
        for name, spec in config.gpio_mapping.items():
            if spec.type != "button" or spec.pin is None:
                self.close()
                raise SaintError(
                    Code.CONFIG_INVALID, f"gpio_mapping.{name} is no button with a pin"
                )
            edges = board.edges((spec.pin,), name, pull_up=True)
            self._buttons.append(_Key(name, edges, spec.pin, spec.reversed, clock))

    def listen(self, callback: Callable[[str, ButtonEvent], None]) -> None:
        """Tell what is done with the buttons from now on."""
        for key in self._buttons:
            key.listen(callback)

    def close(self) -> None:
        """Give the pins back."""
        for key in self._buttons:
            key.close()


class _Key:
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

    def listen(self, callback: Callable[[str, ButtonEvent], None]) -> None:
        self._callback = callback
        self._edges.listen(self._on_edge)
        level = self._edges.levels()[self._pin]
        if level == self._is_high_pressed:
            self._on_edge(self._pin, level, 0)  # held while the role started

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._edges.close()

    def _on_edge(self, pin: int, level: bool, stamp_ns: int) -> None:
        self._tell(self._button.level(level == self._is_high_pressed, self._clock.time()))

    def _on_time(self) -> None:
        self._timer = None
        self._tell(self._button.tick(self._clock.time()))

    def _tell(self, events: list[ButtonEvent]) -> None:
        for event in events:
            if self._callback:
                self._callback(self._name, event)
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if (due_s := self._button.due_s()) is not None:
            self._timer = self._clock.call_at(due_s, self._on_time)


def _display(board: Board, config: RoleConfig) -> Display:
    display = open_display(board, config)
    if display is None:
        message = "the role console needs a display in i2c_devices or spi_devices"
        raise SaintError(Code.CONFIG_INVALID, message)
    return display
