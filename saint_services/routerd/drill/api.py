"""Requests of the stop drill, and its reports in drills.json. Nothing here moves the robot. Not
here: what counts as passed (rules.py), which roles confirm a stop (estop/confirmations.py).
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

from pydantic import Field

from ...lib.api import drill
from ...lib.api.drill import DrillInfo, DrillKill, DrillReport, DrillSkip, DrillStep, DrillWait
from ...lib.api.endpoint import Nothing
from ...lib.api.orders import KILL, KillRole
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.health import Health
from ...lib.ipc import Api, Call, Client
from ...lib.machine import computer
from ...lib.state import StateStore
from ...lib.strict import StrictModel
from ..estop.confirmations import Confirmations, holders
from ..logic import Router
from . import rules

VERSION = 1
MOST_REPORTS = 20
FILE = "drills.json"
_KILL_LIMIT_S = KILL.limit_s


class SavedDrills(StrictModel):
    """drills.json, the newest first."""

    reports: list[DrillReport] = Field(default=[], max_length=MOST_REPORTS)


def drills_store(folder: Path) -> StateStore[SavedDrills]:
    """Return the store of the reports; a damaged file falls back to its last good copy."""
    return StateStore(folder / FILE, SavedDrills, VERSION, keeps_last_good=True)


class DrillApi:
    """Runs one drill at a time. `now` returns the time of day in ISO 8601, UTC."""

    def __init__(
        self,
        router: Router,
        confirmations: Confirmations,
        adoptiond: Client,
        store: StateStore[SavedDrills],
        health: Health,
        now: Callable[[], str],
    ) -> None:
        self._router = router
        self._confirmations = confirmations
        self._adoptiond = adoptiond
        self._store = store
        self._health = health
        self._now = now
        self._running: DrillReport | None = None
        self._from_generation = 0
        self._reports: list[DrillReport] = []
        self._disk = asyncio.Lock()
        self._version = ""
        confirmations.watch(self._look)

    async def load(self) -> None:
        """Read the earlier reports; drills work without them too."""
        self._version = await asyncio.to_thread(computer.version)
        try:
            self._reports = (await asyncio.to_thread(self._store.load)).reports
        except SaintError as err:
            self._health.raise_issue(err.code, err.message, FILE)

    def add_to(self, api: Api) -> Api:
        """All paths."""
        api.bind(drill.STATUS, self.status)
        api.bind(drill.BEGIN, self.begin)
        api.bind(drill.WAIT, self.wait)
        api.bind(drill.SKIP, self.skip)
        api.bind(drill.KILL, self.kill)
        api.bind(drill.FINISH, self.finish)
        return api

    async def status(self, _: Call[Nothing]) -> DrillInfo:
        return self._info()

    def _info(self) -> DrillInfo:
        self._look()
        return DrillInfo(running=self._running, reports=self._reports)

    def _look(self) -> None:
        """Judge the press that the drill waits for, if it has come: after each change of the
        outcomes, so that a press that is cleared at once counts too, and at each request.
        """
        way, found = rules.awaited(self._running), self._confirmations.outcomes
        if self._running is None or way is None:
            return
        if not self._router.latch.active:
            waiting = next(each for each in self._running.steps if each.way == way)
            self._running = rules.with_step(self._running, rules.released(waiting))
            return
        for press in self._router.latch.presses:
            is_new = press.generation > self._from_generation
            if is_new and rules.way_of(press.source) == way:
                listed = self._confirmations.listed()
                step = rules.judged(way, press.source, listed, monotonic_s() - found.pressed_s)
                self._running = rules.with_step(self._running, step)
                return

    def _current(self) -> DrillReport:
        if self._running is None:
            raise SaintError(
                Code.REFUSED, "no stop drill is running", fix="Begin a stop drill first."
            )
        return self._running

    async def begin(self, call: Call[Nothing]) -> DrillInfo:
        versions = {"server": self._version}
        versions |= {each.node_id: each.firmware_version for each in self._confirmations.nodes}
        by = call.person.name if call.person else ""
        self._running = rules.begun(self._now(), by, versions)
        return self._info()

    async def wait(self, call: Call[DrillWait]) -> DrillInfo:
        running, latch = self._current(), self._router.latch
        if latch.active:
            raise SaintError(
                Code.REFUSED,
                "the e-stop is active already, so this step would prove nothing",
                fix="Check the robot, clear the e-stop, then begin the step.",
            )
        self._from_generation = latch.generation
        self._running = rules.waiting(running, call.body.way)
        return self._info()

    async def skip(self, call: Call[DrillSkip]) -> DrillInfo:
        step = DrillStep(way=call.body.way, state="skipped", reason=call.body.reason)
        self._running = rules.with_step(self._current(), step)
        return self._info()

    async def kill(self, call: Call[DrillKill]) -> DrillInfo:
        """Have the node kill the role's process; the node measures when its guard has acted."""
        self._current()
        target = call.body.target
        node_id = holders(self._confirmations.nodes).get(target)
        if node_id is None:
            raise SaintError(Code.NOT_FOUND, f"no node holds {target}")
        role, _, instance = target.partition(".")
        order = KillRole(node_id=node_id, role=role, instance=instance)
        found = await self._adoptiond.request(KILL, order)
        step = rules.killed(target, found.after_ms, found.detail, found.failed)
        self._running = rules.with_step(self._current(), step)
        return self._info()

    async def finish(self, _: Call[Nothing]) -> DrillInfo:
        self._look()
        report = rules.ended(self._current(), self._now())
        async with self._disk:
            reports = [report, *self._reports][:MOST_REPORTS]
            await asyncio.to_thread(self._store.save, SavedDrills(reports=reports))
            self._reports, self._running = reports, None
        return self._info()
