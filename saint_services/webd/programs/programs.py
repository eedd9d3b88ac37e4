"""Adds, starts, stops and removes programs, one request at a time: folder, token and unit belong
together. A program's token lives from its start to its stop; without it the program can do nothing,
even if its process lives on.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from ...lib.api.programs import ProgramInfo, ProgramList
from ...lib.api.users import Role
from ...lib.programs.folders import ProgramFolders
from ...lib.programs.manifest import ProgramManifest
from ..accounts.access import PROGRAM_PREFIX
from ..accounts.vault import Vault
from . import units
from .store import ProgramStore
from .units import UnitState

_ROLES: dict[str, Role] = {"read": "viewer", "drive": "operator"}
_SECRETS = "programs"

States = Callable[[Sequence[str]], Awaitable[dict[str, UnitState]]]


class Programs:
    """The owner's programs."""

    def __init__(self, vault: Vault, state: Path, read_states: States | None = None) -> None:
        self._vault = vault
        self.store = ProgramStore(ProgramFolders.from_environment(), state / _SECRETS)
        self._read_states = read_states or units.states
        self._lock = asyncio.Lock()

    async def list(self) -> ProgramList:
        """List all programs with the states of their units."""
        is_possible = await asyncio.to_thread(lambda: self.store.is_possible)
        infos = await asyncio.to_thread(self.store.infos)
        found = await self._read_states([info.name for info in infos])
        return ProgramList(
            programs=[_with_unit(info, found.get(info.name, UnitState())) for info in infos],
            is_possible=is_possible,
        )

    async def add(self, file: Path) -> ProgramManifest:
        """Add the program of an archive, or replace it; one that was to run starts again."""
        found = await asyncio.to_thread(self.store.unpack, file)
        async with self._lock:  # not before: a stop never waits for a slow card
            await asyncio.to_thread(self.store.put, found.name)
            if found.name in await asyncio.to_thread(self.store.folders.started_names):
                await self._start(found)
        return found

    async def start(self, name: str) -> None:
        """Start a program, again if it runs."""
        async with self._lock:
            await self._start(await asyncio.to_thread(self.store.known, name))

    async def _start(self, found: ProgramManifest) -> None:
        name = found.name
        secret = await self._vault.renew_program(PROGRAM_PREFIX + name, _ROLES[found.access])
        await asyncio.to_thread(self.store.set_started, name, secret)
        await asyncio.to_thread(self.store.folders.request, "start", name)

    async def stop(self, name: str) -> None:
        """Take a program's access, then stop its process."""
        async with self._lock:
            await asyncio.to_thread(self.store.require, name)
            await self._stop(name)

    async def _stop(self, name: str) -> None:
        await self._vault.revoke_program(PROGRAM_PREFIX + name)
        await asyncio.to_thread(self.store.set_stopped, name)
        await asyncio.to_thread(self.store.folders.request, "stop", name)

    async def remove(self, name: str) -> None:
        """Stop a program and delete it."""
        async with self._lock:
            await asyncio.to_thread(self.store.require, name)
            await self._stop(name)
            await asyncio.to_thread(self.store.remove, name)


def _with_unit(info: ProgramInfo, unit: UnitState) -> ProgramInfo:
    facts = {"state": unit.state, "restarts": unit.restarts, "memory_bytes": unit.memory_bytes}
    return info.model_copy(update=facts)
