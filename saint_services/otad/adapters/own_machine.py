"""The machine that we run on, when it is only a server: its update, done by lib/update as noded
does a node's. Its role is to answer: the registry and the router must, or a release is not healthy.
Not here: when it is its turn (logic.py).
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
from ...lib.update.events import Limits, Part, Wanted
from ...lib.update.updater import Spawn, Updater, Work, World
from ..rollout.logic import UpdateRequest

_LOOK_BUSY_S = 1.0
_LOOK_IDLE_S = 30.0
_ANSWER_LIMIT_S = 2.0
_REGISTRY_STARTS_S = 30.0  # one that says nothing may be what is wrong with a release
_PARTS = ("adoptiond", "routerd")  # without them this is no server

Hear = Callable[[str, FirmwareStatus, float], bool]


class OwnMachine:
    """One among the machines, but asked without the bus."""

    def __init__(
        self,
        name: str,
        directories: tuple[Path, Path],
        spawn: Spawn,
        limits: Limits,
        world: World,
        hear: Hear,
    ) -> None:
        """`directories`: for our record, and where the daemons' sockets are."""
        state, runtime = directories
        self._name = name
        self._hear = hear
        self._spawn = spawn
        self._daemons = {each: Client(runtime / f"{each}.sock") for each in _PARTS}
        self._work = Work(parts=tuple(Part(each, "not looked at yet") for each in _PARTS))
        self._updater = Updater(name, self, state / "own", spawn, limits, world)
        self._updater.block("it is not known yet whether outputs are live")
        self._is_registry_heard = False
        self._unheard_until_s = monotonic_s() + _REGISTRY_STARTS_S

    async def start(self) -> None:
        """It tells of itself from now on."""
        await self._look()
        await self._updater.start()
        self.tell(self._updater.status())
        self._spawn(self._watch(), "own machine")

    async def close(self) -> None:
        """Give the connections back."""
        for client in self._daemons.values():
            await client.close()

    async def request(self, ask: UpdateRequest, checksum: str, path: str) -> str:
        """Begin with a release that lies in the repository, or go back."""
        await self._look()
        answer: Answer
        if ask.is_rollback:
            answer = await self._updater.rollback()
        else:
            wanted = Wanted(ask.version, path, checksum)
            answer = await self._updater.install(wanted, force=ask.is_forced)
        if not answer.success:
            raise SaintError(Code.REFUSED, answer.message)
        return answer.message

    @property
    def problem(self) -> str:
        """Of the file with our record; known after start()."""
        return self._updater.problem

    def hear_registry(self, live: str | None) -> None:
        """Which outputs are live, so that this machine may not be disturbed; empty: none. None
        while the registry is silent: then what it said last counts."""
        if live is None and (self._is_registry_heard or monotonic_s() < self._unheard_until_s):
            return
        self._is_registry_heard = True
        self._updater.block(live or "")

    # what lib/update asks of us

    def work(self) -> Work:
        """How it was at the last look."""
        return self._work

    def hold(self) -> None:
        """Nothing to stop: nodes are safe by themselves when the router falls silent."""

    def resume(self) -> None:
        """Nothing was held."""

    def tell(self, status: FirmwareStatus) -> None:
        """Heard like any other machine."""
        self._hear(self._name, status, monotonic_s())

    async def _watch(self) -> None:
        while True:
            is_idle = self._updater.update.state is UpdateState.IDLE
            await asyncio.sleep(_LOOK_IDLE_S if is_idle else _LOOK_BUSY_S)
            await self._look()

    async def _look(self) -> None:
        """A daemon that starts is asked again at the next look."""
        parts = []
        for name, client in self._daemons.items():
            problem = ""
            try:
                await client.get("/health", HealthReport, timeout_s=_ANSWER_LIMIT_S)
            except SaintError as err:
                problem = err.message
            parts.append(Part(name, problem, f"saint-{name}.service"))
        self._work = Work(parts=tuple(parts))
