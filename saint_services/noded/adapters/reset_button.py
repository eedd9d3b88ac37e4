"""The button that takes a node's role away: it closes its pin to ground, for 5 s. Not here: what
counts as held (lib/hw/button.py), what a reset does (logic.py).
"""

import asyncio
from collections.abc import Callable, Iterable

from ...lib.errors import SaintError
from ...lib.hw.pins.button import Button
from ...lib.hw.ports import Board, EdgeInput
from ...lib.role_config.model import RoleConfig
from ...lib.role_config.resources import pins


class ResetButton:
    """Watches its pin while no role wants that pin for itself."""

    def __init__(self, pin: int | None, on_held: Callable[[], None]) -> None:
        self.problem = ""
        self._pin = pin
        self._on_held = on_held
        self._edges: EdgeInput | None = None
        self._button: Button | None = None
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, board: Board | None, roles: Iterable[RoleConfig]) -> None:
        """From now on, beside these roles. A pin that cannot be had is no fault of the node."""
        pin = self._pin
        if pin is None or board is None or any(_uses(role, pin) for role in roles):
            self.close()
            return
        if self._edges is not None:
            return
        try:
            self._edges = board.edges((pin,), "reset button", pull_up=True)
            # A line that something else pulls to ground was never released: no button hangs there.
            self._button = Button() if self._edges.levels()[pin] else None
            self._edges.listen(self._on_edge)
        except (SaintError, OSError) as err:
            self.problem = str(err)
            self.close()

    def close(self) -> None:
        """Give the pin back."""
        if self._timer:
            self._timer.cancel()
        if self._edges:
            self._edges.close()
        self._edges = self._button = self._timer = None

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


def _uses(role: RoleConfig, pin: int) -> bool:
    """Any setting of the role that is about this pin."""
    named = (*role.gpio_mapping.values(), *role.spi_devices.values())
    return any(pin in pins(spec) for spec in named)
