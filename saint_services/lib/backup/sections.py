"""The requests of a daemon about backups: GET /backup exports its state, POST /backup/check says
whether another one would be accepted, PUT /backup restores it, DELETE /backup resets it to that of
a new robot, POST /backup/check-reset says whether that would be accepted. Not here: the content of
a section (each daemon's), the file of all of them (archive.py).
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from ..api.backup import DaemonBackup, RestoreNotes, SectionData
from ..config import validation
from ..errors import Code, SaintError
from ..ipc import Api, Call
from ..state import Migration

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Section(Generic[T]):
    """One part of the state. `check` returns sentences about what would be skipped, and raises
    SaintError when nothing would be restored; `apply` has it on disk when it returns. The model
    without arguments is the state of a new robot."""

    name: str
    model: type[T]
    version: int
    current: Callable[[], Awaitable[T]]
    check: Callable[[T], Awaitable[list[str]]]
    apply: Callable[[T], Awaitable[None]]
    migrations: Mapping[int, Migration] | None = None
    # A restore must confirm these by name: it would remove a stop of the robot.
    to_confirm: Callable[[T], Iterable[str]] | None = None
    is_exported: bool = True  # False: other requests add it to a backup

    def read(self, given: SectionData) -> T:
        """Return the value. Raises state_newer or request_invalid."""
        if given.version > self.version:
            raise SaintError(
                Code.STATE_NEWER,
                f"{self.name} has version {given.version}, this release reads {self.version}",
                fix="Update this robot first, then restore.",
            )
        data: dict[str, Any] = given.data
        try:
            for step in range(given.version, self.version):
                data = (self.migrations or {})[step](data)
            return self.model.model_validate(data)
        except ValidationError as err:
            fault = validation.faults(err, self.model, data)[0]
            raise _invalid(f"{self.name}: {fault}") from err
        except (LookupError, TypeError, ValueError, AttributeError) as err:
            text = f"{self.name} of version {given.version} cannot be migrated"
            raise _invalid(text) from err


class Backup:
    """The requests for all sections of one daemon. One restore at a time."""

    def __init__(self, *sections: Section[Any]) -> None:
        self._sections = {section.name: section for section in sections}
        self._restoring = asyncio.Lock()

    def add_to(self, api: Api) -> None:
        """Bind all paths."""
        api.get("/backup", self._export)
        api.post("/backup/check", self._check, DaemonBackup)
        api.put("/backup", self._restore, DaemonBackup, limit_s=20.0)
        api.delete("/backup", self._forget, limit_s=20.0)
        api.post("/backup/check-reset", self._check_forget)

    async def export(self) -> DaemonBackup:
        """Return all sections."""
        found = {}
        for name, section in self._sections.items():
            if not section.is_exported:
                continue
            value = await section.current()
            data = value.model_dump(mode="json", by_alias=True)
            found[name] = SectionData(version=section.version, data=data)
        return DaemonBackup(sections=found)

    async def check(self, given: DaemonBackup) -> RestoreNotes:
        """Check all sections. Raises SaintError unless all of it would be accepted."""
        notes: list[str] = []
        confirm: list[str] = []
        for section, value in self._read(given):
            notes += await section.check(value)
            confirm += section.to_confirm(value) if section.to_confirm else ()
        return RestoreNotes(notes=notes, confirm=confirm)

    async def restore(self, given: DaemonBackup) -> list[str]:
        """Check all sections, then restore all. Repeating it changes nothing."""
        async with self._restoring:
            found = await self.check(given)
            for section, value in self._read(given):
                await section.apply(value)
        return found.notes

    async def check_forget(self) -> None:
        """Check that all sections may be reset now. Raises SaintError."""
        for section in self._sections.values():
            await section.check(section.model())

    async def forget(self) -> None:
        """Reset all sections to the state of a new robot: all, or none."""
        async with self._restoring:
            await self.check_forget()
            for section in self._sections.values():
                await section.apply(section.model())

    def _read(self, given: DaemonBackup) -> list[tuple[Section[Any], BaseModel]]:
        unknown = given.sections.keys() - self._sections.keys()
        if unknown:
            raise SaintError(
                Code.STATE_NEWER,
                f"this release does not know {min(unknown)!r}, which the backup holds",
                fix="Update this robot first, then restore.",
            )
        return [
            (self._sections[name], self._sections[name].read(data))
            for name, data in given.sections.items()
        ]

    async def _export(self, _: Call[None]) -> DaemonBackup:
        return await self.export()

    async def _check(self, call: Call[DaemonBackup]) -> RestoreNotes:
        return await self.check(call.body)

    async def _restore(self, call: Call[DaemonBackup]) -> RestoreNotes:
        return RestoreNotes(notes=await self.restore(call.body))

    async def _check_forget(self, _: Call[None]) -> RestoreNotes:
        await self.check_forget()
        return RestoreNotes()

    async def _forget(self, _: Call[None]) -> RestoreNotes:
        await self.forget()
        return RestoreNotes()


def _invalid(text: str) -> SaintError:
    return SaintError(Code.REQUEST_INVALID, text)
