"""Runs a roll-out: saves the plan before a machine is requested to update, sends the requests,
reports the progress. Not here: the rules (logic.py, requests.py), how a request reaches a machine
(adapters/nodes.py, adapters/own_machine.py).
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from ...lib import log
from ...lib.api.firmware import RolloutState
from ...lib.clock import monotonic_s, wall_s
from ...lib.errors import Code, SaintError
from ...lib.health import Health
from ...lib.state import StateStore
from ...lib.state_machine import Runner
from ..adapters.alerts import Alerts
from ..state import SavedFirmware, SavedPlan
from .logic import (
    Advanced,
    Event,
    MachineAnswered,
    Machines,
    MachineSilent,
    Requested,
    Rollout,
    RolloutLimits,
    UpdateRequest,
    step,
)

TICK_S = 1.0
_SILENT = (Code.BUS_TIMEOUT, Code.DAEMON_UNREACHABLE)
_log = log.get("otad")

# Requests a machine to update and returns its message. Raises refused, or bus_timeout.
Send = Callable[[UpdateRequest], Awaitable[str]]
Spawn = Callable[[Coroutine[Any, Any, None], str], object]


class Conductor:
    """Carries out the plan."""

    def __init__(
        self,
        store: StateStore[SavedFirmware],
        limits: RolloutLimits,
        machines: Callable[[], Machines],
        send: Send,
        alerts: Alerts,
        health: Health,
        closed: Callable[[], str] = str,
    ) -> None:
        """`closed`: why no machine may update without a user's request."""
        self.on_change: Callable[[], None] = lambda: None
        self._runner: Runner[Rollout, Event, UpdateRequest] = Runner(Rollout(), step)
        self._store = store
        self._limits = limits
        self._machines = machines
        self._send = send
        self._alerts = alerts
        self._health = health
        self._closed = closed
        self._written = SavedFirmware()
        self._changed = asyncio.Event()

    @property
    def rollout(self) -> Rollout:
        """The state of the roll-out."""
        return self._runner.state

    async def load(self) -> None:
        """Load the saved plan. A damaged file is set aside: no roll-out runs then, and nodes are
        offered no release."""
        try:
            self._written = await asyncio.to_thread(self._store.load)
        except SaintError as err:
            self._health.raise_issue(err.code, err.message)
        if self._store.problem:
            self._health.raise_issue(self._store.problem.code, self._store.problem.message)
        self._runner.state = Rollout(saved=self._written)

    def wake(self) -> None:
        """Look at the machines now, not at the next tick."""
        self._changed.set()

    async def request(self, change: Callable[[Rollout], Rollout]) -> SavedPlan:
        """Apply a change that a user requests. Raises SaintError when the change is refused or
        cannot be saved."""
        await self.change(change)
        plan = self.rollout.plan
        if plan is None:  # every request is about a plan
            raise SaintError(Code.INTERNAL, "there is no roll-out")
        self._report(plan)
        return plan

    async def change(self, change: Callable[[Rollout], Rollout]) -> None:
        """Apply a change, and save it. Raises SaintError when it cannot be saved."""
        await self._runner.apply_saved(Requested(change), self._save)
        self.wake()

    async def run(self, spawn: Spawn) -> None:
        """Carry out the plan until stopped."""
        while True:
            for request in await self._advance():
                spawn(self._deliver(request), f"update of {request.node_id}")
            try:
                async with asyncio.timeout(TICK_S):
                    await self._changed.wait()
            except TimeoutError:
                pass
            self._changed.clear()

    async def _advance(self) -> tuple[UpdateRequest, ...]:
        before = self.rollout.plan
        event = Advanced(
            self._machines(), monotonic_s(), self._limits, wall_s(), bool(self._closed())
        )
        try:
            requests = await self._runner.apply_saved(event, self._save)
        except SaintError as err:
            self._health.raise_issue(err.code, err.message)
            return ()  # a request without its plan on the disk could be lost; tried again soon
        plan = self.rollout.plan
        if plan and plan != before:
            self._report_steps(before, plan)
        return requests

    async def _deliver(self, request: UpdateRequest) -> None:
        node_id = request.node_id
        try:
            message, is_accepted = await self._send(request), True
        except SaintError as err:
            message, is_accepted = err.message, False
            if err.code in _SILENT:
                await self._runner.apply_saved(MachineSilent(node_id, monotonic_s()))
                self.wake()
                return
        _log.info("update requested", node=node_id, version=request.version, accepted=is_accepted)
        answer = MachineAnswered(node_id, is_accepted, message, monotonic_s())
        await self._runner.apply_saved(answer)
        self.wake()

    async def _save(self, rollout: Rollout) -> None:
        if rollout.saved == self._written:
            return
        await asyncio.to_thread(self._store.save, rollout.saved)
        self._written = rollout.saved
        self._health.clear(Code.INTERNAL)
        self.on_change()

    def _report_steps(self, before: SavedPlan | None, plan: SavedPlan) -> None:
        known = {step.node_id: step for step in before.steps} if before else {}
        for each in plan.steps:
            was = known.get(each.node_id)
            if was is None or was.step is not each.step:
                _log.info("roll-out step", node=each.node_id, step=each.step, reason=each.reason)
        if before is None or before.state is not plan.state:
            self._report(plan)

    def _report(self, plan: SavedPlan) -> None:
        say = _log.warning if plan.state is RolloutState.HALTED else _log.info
        say("roll-out", version=plan.version, state=plan.state, reason=plan.reason)
        what = f"The {'rollback to' if plan.is_rollback else 'roll-out of'} {plan.version}"
        if plan.state is RolloutState.HALTED:
            self._alerts.fault(f"{what} halted: {plan.reason}")
        elif plan.state is RolloutState.DONE:
            self._alerts.news(f"{what} is done")
