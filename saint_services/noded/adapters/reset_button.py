"""The button that resets a node: it closes its pin to ground for 5 s. Not here: when a button
counts as held (lib/hw/button.py), what a reset does (lifecycle).
"""

import asyncio
from collections.abc import Callable, Iterable

from ...lib.errors import SaintError
from ...lib.hw.pins.button import Button
from ...lib.hw.ports import Board, EdgeInput
from ...lib.role_config.model import RoleConfig
from ...lib.role_config.resources import pins


class ResetButton:
    """Watches its pin while no role uses that pin."""

    def __init__(self, pin: int | None, on_held: Callable[[], None]) -> None:
        self.problem = ""
        self._pin = pin
        self._on_held = on_held
        self._roles: tuple[RoleConfig, ...] = ()
        self._is_yielded = False  # a role uses the pin
        self._edges: EdgeInput | None = None
        self._button: Button | None = None
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, board: Board | None, roles: Iterable[RoleConfig]) -> None:
        """Watch the pin beside these roles; call this after every event, so that a pin which
        cannot be opened yet is tried again. Such a pin is no fault of the node."""
        pin = self._pin
        if pin is None or board is None:
            self._release()
            return
        held = tuple(roles)
        if len(held) != len(self._roles) or any(map(_is_other, held, self._roles)):
            self._roles = held
            self._is_yielded = any(_uses(role, pin) for role in held)
        if self._is_yielded:
            self._release()
        elif self._edges is None:
            self._open(board, pin)

    def close(self) -> None:
        """Release the pin for good: events that come late must not open it again."""
        self._pin = None
        self._release()

    def _release(self) -> None:
        if self._timer:
            self._timer.cancel()
        if self._edges:
            self._edges.close()
        self._edges = self._button = self._timer = None

    def _open(self, board: Board, pin: int) -> None:
        try:
            self._edges = board.edges((pin,), "reset button", pull_up=True)
            # A line that is low from the start has no button: something else pulls it to ground.
            self._button = Button() if self._edges.levels()[pin] else None
            self._edges.listen(self._on_edge)
        except (SaintError, OSError) as err:
            self.problem = str(err)
            self._release()

    def _on_edge(self, pin: int, is_high: bool, stamp_ns: int) -> None:
        if self._button is None:
            self._button = Button() if is_high else None
        else:
            self._step(self._button, not is_high)

    def _step(self, button: Button, is_down: bool | None = None) -> None:
        loop = asyncio.get_running_loop()
        now_s = loop.time()
        events = button.tick(now_s) if is_down is None else button.level(is_down, now_s)
        if self._timer:
            self._timer.cancel()
        due_s = button.due_s()
        self._timer = loop.call_at(due_s, self._step, button) if due_s is not None else None
        if any(event.event == "held" for event in events):
            self._on_held()


def _is_other(one: RoleConfig, other: RoleConfig) -> bool:
    """Compare by identity: comparing the models would take as long as searching them."""
    return one is not other


def _uses(role: RoleConfig, pin: int) -> bool:
    named = (*role.gpio_mapping.values(), *role.spi_devices.values())
    return any(pin in pins(spec) for spec in named)
