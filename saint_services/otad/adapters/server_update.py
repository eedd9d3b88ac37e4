"""Updates the machine that otad runs on, when that is only a server; lib/update does the work, as
for noded on a node. Its health check: the registry and the router must answer, or the release is
not healthy. Not here: when its turn is (rollout/logic.py).
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

from ...lib.api.firmware import UpdateState
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.generated.saint_msgs import FirmwareStatus
from ...lib.health import HealthReport
from ...lib.ipc import Client
from ...lib.state_machine import Answer
from ...lib.update.events import UpdateLimits, WantedRelease, WorkPart
from ...lib.update.updater import Spawn, UpdateEnvironment, Updater, WorkState
from ..rollout.logic import UpdateRequest
from ..rollout.offers import REST_S

RECORD_FOLDER = "own"  # in the state folder; the initrd reads the record there
_BUSY_INTERVAL_S = 1.0
_IDLE_INTERVAL_S = 30.0
_ANSWER_LIMIT_S = 2.0
_REGISTRY_STARTS_S = 30.0  # a registry that does not answer may be the release's fault
_PARTS = ("adoptiond", "routerd")  # without them this machine is not a server

Receive = Callable[[str, FirmwareStatus, float], bool]


class ServerUpdate:
    """One of the machines of a roll-out, requested without the bus."""

    def __init__(
        self,
        name: str,
        directories: tuple[Path, Path],
        spawn: Spawn,
        limits: UpdateLimits,
        world: UpdateEnvironment,
        receive: Receive,
    ) -> None:
        """`directories`: for the update record, and where the daemons' sockets are."""
        state, runtime = directories
        self._name = name
        self._receive = receive
        self._spawn = spawn
        self._daemons = {each: Client(runtime / f"{each}.sock") for each in _PARTS}
        self._work = WorkState(parts=tuple(WorkPart(each, "not checked yet") for each in _PARTS))
        self._updater = Updater(name, self, state / RECORD_FOLDER, spawn, limits, world)
        self._updater.block("whether outputs are live is not known yet")
        self._has_registry_answered = False
        self._live_s = monotonic_s()  # when outputs were live, or unknown, for the last time
        self._unknown_until_s = self._live_s + _REGISTRY_STARTS_S

    async def start(self) -> None:
        """Start the update's state machine and report from now on."""
        await self._check()
        await self._updater.start()
        self.publish(self._updater.status())
        self._spawn(self._watch(), "own machine")

    async def close(self) -> None:
        """Close the connections."""
        for client in self._daemons.values():
            await client.close()

    async def request(self, request: UpdateRequest, checksum: str, path: str) -> str:
        """Begin to install a release of the repository, or to roll back; return the message."""
        await self._check()
        answer: Answer
        if request.is_rollback:
            answer = await self._updater.rollback()
        else:
            wanted = WantedRelease(request.version, path, checksum)
            answer = await self._updater.install(wanted, force=request.is_forced)
        if not answer.success:
            raise SaintError(Code.REFUSED, answer.message)
        return answer.message

    @property
    def problem(self) -> str:
        """What is wrong with the update record's file; known after start()."""
        return self._updater.problem

    def registry_reported(self, live: str | None) -> None:
        """Block the update while outputs are live; empty: none are. None while the registry does
        not answer: its last answer counts then."""
        now_s, was_blocked = monotonic_s(), bool(self._updater.update.blocked)
        if live is not None or (not self._has_registry_answered and now_s >= self._unknown_until_s):
            self._has_registry_answered = True
            self._updater.block(live or "")
        if was_blocked or self._updater.update.blocked:
            self._live_s = now_s
        elif self._updater.update.was_live and now_s - self._live_s >= REST_S:
            self._updater.rest(is_resting=True)

    # Called by lib/update.

    def work(self) -> WorkState:
        """Return the result of the last check."""
        return self._work

    def hold(self) -> None:
        """Stop nothing: nodes are safe by themselves when the router times out."""

    def resume(self) -> None:
        """Resume nothing: nothing was stopped."""

    def publish(self, status: FirmwareStatus) -> None:
        """Report like any other machine."""
        self._receive(self._name, status, monotonic_s())

    async def _watch(self) -> None:
        while True:
            is_idle = self._updater.update.state is UpdateState.IDLE
            await asyncio.sleep(_IDLE_INTERVAL_S if is_idle else _BUSY_INTERVAL_S)
            await self._check()

    async def _check(self) -> None:
        """Check the daemons. One that is starting is checked again next time."""
        parts = []
        for name, client in self._daemons.items():
            problem = ""
            try:
                await client.get("/health", HealthReport, timeout_s=_ANSWER_LIMIT_S)
            except SaintError as err:
                problem = err.message
            parts.append(WorkPart(name, problem, f"saint-{name}.service"))
        self._work = WorkState(parts=tuple(parts))
