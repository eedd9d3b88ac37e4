"""A roll-out at work: hears of machines, keeps the plan on the disk before anybody is asked, asks.
Not here: the rules (logic.py, orders.py), how a machine is asked (adapters/nodes.py, own.py).
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from ...lib import log
from ...lib.api.firmware import RolloutState
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.health import Health
from ...lib.state import Store
from ..adapters.alerts import Alerts
from ..state import SavedFirmware, SavedPlan
from . import logic
from .logic import Ask, Limits, Machines, Rollout

TICK_S = 1.0
_SILENT = (Code.BUS_TIMEOUT, Code.DAEMON_UNREACHABLE)
_log = log.get("otad")

# Asks a machine to begin; returns its words. Raises refused, or bus_timeout when it is silent.
Asker = Callable[[Ask], Awaitable[str]]
Spawn = Callable[[Coroutine[Any, Any, None], str], object]


class Conductor:
    """The plan, one step after the other."""

    def __init__(
        self,
        store: Store[SavedFirmware],
        limits: Limits,
        machines: Callable[[], Machines],
        asker: Asker,
        alerts: Alerts,
        health: Health,
    ) -> None:
        self.rollout = Rollout()
        self.on_change: Callable[[], None] = lambda: None
        self._store = store
        self._limits = limits
        self._machines = machines
        self._asker = asker
        self._alerts = alerts
        self._health = health
        self._written = SavedFirmware()
        self._turn = asyncio.Lock()  # saving takes time: one change after the other
        self._nudged = asyncio.Event()

    async def load(self) -> None:
        """A damaged file is set aside: no roll-out runs then, and nothing is offered."""
        try:
            self._written = await asyncio.to_thread(self._store.load)
        except SaintError as err:
            self._health.raise_issue(err.code, err.message)
        if self._store.problem:
            self._health.raise_issue(Code.STATE_DAMAGED, self._store.problem.message)
        self.rollout = Rollout(saved=self._written)

    def nudge(self) -> None:
        """Something was heard."""
        self._nudged.set()

    async def order(self, change: Callable[[Rollout], Rollout]) -> SavedPlan:
        """What a person wants; raises SaintError when it makes no sense or cannot be kept."""
        async with self._turn:
            changed = change(self.rollout)
            await self._keep(changed)
            self.rollout = changed
        self._told(changed.plan)
        self.nudge()
        if changed.plan is None:  # every order is about a plan
            raise SaintError(Code.INTERNAL, "there is no roll-out")
        return changed.plan

    async def conduct(self, spawn: Spawn) -> None:
        """For ever."""
        while True:
            for ask in await self._advance():
                spawn(self._ask(ask), f"ask {ask.node_id}")
            try:
                async with asyncio.timeout(TICK_S):
                    await self._nudged.wait()
            except TimeoutError:
                pass
            self._nudged.clear()

    async def _advance(self) -> tuple[Ask, ...]:
        async with self._turn:
            before = self.rollout
            changed, asks = logic.advance(before, self._machines(), monotonic_s(), self._limits)
            try:
                await self._keep(changed)
            except SaintError as err:
                self._health.raise_issue(err.code, err.message)
                return ()  # nobody is asked for what would be forgotten; tried again soon
            self.rollout = changed
        if changed.plan and changed.plan != before.plan:
            self._tell(before.plan, changed.plan)
        return asks

    async def _ask(self, ask: Ask) -> None:
        try:
            words, is_agreed = await self._asker(ask), True
        except SaintError as err:
            words, is_agreed = err.message, False
            if err.code in _SILENT:
                async with self._turn:
                    self.rollout = logic.unanswered(self.rollout, ask.node_id, monotonic_s())
                self.nudge()
                return
        _log.info("machine asked", node=ask.node_id, version=ask.version, agreed=is_agreed)
        async with self._turn:
            self.rollout = logic.answered(
                self.rollout, ask.node_id, is_agreed, words, monotonic_s()
            )
        self.nudge()

    async def _keep(self, rollout: Rollout) -> None:
        if rollout.saved == self._written:
            return
        await asyncio.to_thread(self._store.save, rollout.saved)
        self._written = rollout.saved
        self._health.clear(Code.INTERNAL)
        self.on_change()

    def _tell(self, before: SavedPlan | None, plan: SavedPlan) -> None:
        known = {step.node_id: step for step in before.steps} if before else {}
        for step in plan.steps:
            was = known.get(step.node_id)
            if was is None or was.step is not step.step:
                _log.info("roll-out step", node=step.node_id, step=step.step, reason=step.reason)
        if before is None or before.state is not plan.state:
            self._told(plan)

    def _told(self, plan: SavedPlan | None) -> None:
        if plan is None:
            return
        say = _log.warning if plan.state is RolloutState.HALTED else _log.info
        say("roll-out", version=plan.version, state=plan.state, reason=plan.reason)
        what = f"The {'way back to' if plan.is_rollback else 'roll-out of'} {plan.version}"
        if plan.state is RolloutState.HALTED:
            self._alerts.fault(f"{what} halted: {plan.reason}")
        elif plan.state is RolloutState.DONE:
            self._alerts.news(f"{what} is done")
