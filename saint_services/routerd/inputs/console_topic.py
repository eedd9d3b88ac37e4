"""Obeys the buttons of the robot's own console, as they arrive on their topic, and shows refusals
on its display. Not here: what the buttons do (console.py), the clear itself (estop/latch_store.py).
"""

import asyncio
from collections.abc import Callable

from ...lib.bus import Bus, Sample
from ...lib.clock import monotonic_s, stamp
from ...lib.errors import Code, SaintError
from ...lib.generated import topics
from ...lib.generated.saint_msgs import ConsoleAlert, ConsoleOverride
from ...lib.stall import StallWatch
from ..estop.latch_store import LatchClearing
from ..estop.proven_roles import ProvenRoles
from ..logic import Router
from .console import REPEAT_S, ConsoleButtons
from .late_requests import check_in_time

_LONGEST = 200  # characters of a refusal on the display


class ConsoleTopic:
    """Receives the buttons. `settle` acts on what a button changed in the router."""

    def __init__(
        self,
        bus: Bus,
        router: Router,
        proven: ProvenRoles,
        clearing: LatchClearing,
        stalls: StallWatch,
        settle: Callable[[], None],
    ) -> None:
        self._proven = proven
        self._clearing = clearing
        self._stalls = stalls
        self._settle = settle
        self._buttons = ConsoleButtons(router)
        self._clears: asyncio.Queue[int] = asyncio.Queue(maxsize=1)
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._alerts = bus.publisher(topics.CONSOLE_ALERTS)
        bus.subscribe(topics.CONSOLE_OVERRIDE, self._receive)

    def _receive(self, sample: Sample[ConsoleOverride]) -> None:
        """Obey a button. Any participant may stop the robot; the rest needs a proven console."""
        order, now = sample.message, sample.received_s
        if order.action != "stop" and not self._proven.is_console(sample.origin, now):
            action = order.action[:16].capitalize()
            self._refuse(
                f"{action} was refused: no node of this robot has signed for this console."
            )
            return
        if order.action != "stop":
            try:
                check_in_time(self._stalls, f"{order.action[:16]} was refused. Press it again.")
            except SaintError as err:
                self._refuse(err.message)
                return
        if order.action == "clear":
            if not self._clears.full():
                self._clears.put_nowait(order.generation)
            return
        self._refuse(self._buttons.act(order.target, order.action, now))
        self._schedule()
        self._settle()

    async def work(self) -> None:
        """Clear the e-stop for the console, as a request would, until stopped."""
        while True:
            generation = await self._clears.get()
            try:
                await self._clearing.clear("console", generation)
            except SaintError as err:
                self._refuse(err.message)

    def _refuse(self, refusal: str) -> None:
        if refusal:
            alert = ConsoleAlert(stamp(), "warning", Code.REFUSED.value, refusal[:_LONGEST])
            self._alerts.publish(alert)

    def _schedule(self) -> None:
        if self._buttons.is_homing and self._timer is None:
            self._timer = self._loop.call_later(REPEAT_S, self._step)

    def _step(self) -> None:
        self._timer = None
        if self._stalls.is_stalled(monotonic_s()):
            self._buttons.forget()
        self._buttons.step(monotonic_s())
        self._schedule()
        self._settle()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
