"""Backups of the robot's settings, made of what each daemon exports. A restore is stored before it
begins, so that a power cut or a daemon that does not answer only delays its end: what is left is
retried at the next start and until it is done. Not here: the file's format (lib/backup/archive.py),
the requests (backup_files.py).
"""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ...lib import log
from ...lib.access.person import Person
from ...lib.api import keys
from ...lib.api.backup import BackupInfo, DaemonBackup, RestoreNotes, RestoreReply, RestoreState
from ...lib.api.keys import KeyImport, Passphrase, SealedKey
from ...lib.backup import archive
from ...lib.backup.archive import Content
from ...lib.backup.sealed_key import key_in, with_key
from ...lib.errors import Code, SaintError
from ...lib.ipc import Client
from ...lib.state import StateStore, write_atomic
from ...lib.strict import StrictModel

_VERSION = 1
_LIMIT_S = 30.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 2.0, 60.0
_log = log.get("webd")


class Unfinished(StrictModel):
    """Content of restore.json: what is left to do; a daemon without content has to reset."""

    daemons: dict[str, DaemonBackup | None] = {}
    since: str = ""


class DaemonState(Protocol):
    """The state of one daemon that backups contain."""

    async def export(self) -> DaemonBackup: ...

    async def check(self, given: DaemonBackup) -> RestoreNotes: ...

    async def restore(self, given: DaemonBackup) -> list[str]: ...

    async def check_forget(self) -> None: ...

    async def forget(self) -> None: ...


class RemoteState:
    """The state of a daemon behind its socket."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def export(self) -> DaemonBackup:
        return await self._client.get("/backup", DaemonBackup, timeout_s=_LIMIT_S)

    async def check(self, given: DaemonBackup) -> RestoreNotes:
        client = self._client
        return await client.post("/backup/check", given, RestoreNotes, timeout_s=_LIMIT_S)

    async def restore(self, given: DaemonBackup) -> list[str]:
        reply = await self._client.put("/backup", given, RestoreNotes, timeout_s=_LIMIT_S)
        return reply.notes

    async def check_forget(self) -> None:
        await self._client.post("/backup/check-reset", None, RestoreNotes, timeout_s=_LIMIT_S)

    async def forget(self) -> None:
        await self._client.delete("/backup", RestoreNotes, timeout_s=_LIMIT_S)


class SealedServerKey(Protocol):
    """The server's key, which its daemon exports only sealed."""

    async def seal(self, passphrase: str, person: Person) -> SealedKey: ...

    async def restore(self, sealed: SealedKey, passphrase: str, person: Person) -> None: ...


class RemoteKey:
    """The key of adoptiond, which logs the person who exports or imports it."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def seal(self, passphrase: str, person: Person) -> SealedKey:
        given = Passphrase(passphrase=passphrase)
        return await self._client.request(keys.EXPORT, given, person)

    async def restore(self, sealed: SealedKey, passphrase: str, person: Person) -> None:
        given = KeyImport(sealed=sealed.sealed, passphrase=passphrase)
        await self._client.request(keys.IMPORT, given, person)


@dataclass(frozen=True, slots=True)
class KeyAccess:
    """A passphrase for the server's key, and the person who has sent it."""

    passphrase: str = field(repr=False)
    person: Person


class Backups:
    """Creates and restores backups. One restore at a time."""

    def __init__(
        self, states: Mapping[str, DaemonState], key: SealedServerKey, folder: Path, version: str
    ) -> None:
        self._states = states  # in the order in which they are restored
        self._key = key
        self._store = StateStore(folder / "restore.json", Unfinished, _VERSION)
        self._before = folder / "before-restore.zip"
        self._version = version
        self._busy = asyncio.Lock()
        self._unfinished = Unfinished()
        self._wake = asyncio.Event()

    async def create(self, robot: str, now: str, key: KeyAccess | None = None) -> bytes:
        """Return the file, with the server's sealed key if a passphrase is given. Raises SaintError
        when one daemon does not answer: half a backup is useless.
        """
        daemons = {name: await state.export() for name, state in self._states.items()}
        if key:
            daemons = with_key(daemons, await self._key.seal(key.passphrase, key.person))
        raw = archive.pack(daemons, robot=robot, version=self._version, created=now)
        if len(raw) > archive.LARGEST_BYTES:
            text = f"the backup would have {len(raw)} bytes, at most {archive.LARGEST_BYTES}"
            raise SaintError(Code.TOO_LARGE, text, fix="Delete unused presets and sequences.")
        return raw

    async def check(self, raw: bytes) -> BackupInfo:
        """Return the content of a backup, and what a restore would leave out. Changes nothing;
        raises SaintError when this robot would refuse the backup.
        """
        content = await asyncio.to_thread(archive.unpack, raw)
        found = await self._checked(content)
        return archive.info(content, found.notes).model_copy(update={"confirm": found.confirm})

    async def restore(
        self,
        raw: bytes,
        robot: str,
        now: str,
        confirm: Collection[str] = (),
        key: KeyAccess | None = None,
    ) -> RestoreReply:
        """Restore a backup after copying the present state; the server's key only with its
        passphrase, and a wrong one changes nothing. Raises stop_changed unless everything that
        would no longer stop the robot is confirmed by name.
        """
        async with self._busy:
            content = await asyncio.to_thread(archive.unpack, raw)
            found = await self._checked(content)
            if missing := [name for name in found.confirm if name not in confirm]:
                text = f"these would no longer stop the robot as they do: {', '.join(missing)}"
                raise SaintError(Code.STOP_CHANGED, text, names=found.confirm)
            before = await self.create(robot, now)
            if key:
                sealed = key_in(content.daemons)
                await self._key.restore(sealed, key.passphrase, key.person)
            await asyncio.to_thread(write_atomic, self._before, before)
            reply = await self._begin(dict(content.daemons), now)
        return reply.model_copy(update={"notes": [*found.notes, *reply.notes]})

    async def undo(self, robot: str, now: str, confirm: Collection[str] = ()) -> RestoreReply:
        """Return to the state before the last restore or reset."""
        try:
            before = await asyncio.to_thread(self._before.read_bytes)
        except OSError as err:
            raise SaintError(Code.NOT_FOUND, "no backup was restored on this robot yet") from err
        return await self.restore(before, robot, now, confirm)

    async def check_forget(self) -> None:
        """Check that every daemon may be reset now. Raises SaintError."""
        for state in self._states.values():
            await state.check_forget()

    async def forget(self, robot: str, now: str) -> RestoreReply:
        """Reset the robot to a new one's state, after copying the present state."""
        async with self._busy:
            before = await self.create(robot, now)
            await asyncio.to_thread(write_atomic, self._before, before)
            return await self._begin(dict.fromkeys(self._states), now)

    def state(self) -> RestoreState:
        """Return which daemons' parts of a restore are pending."""
        return RestoreState(waiting=list(self._unfinished.daemons), since=self._unfinished.since)

    async def run(self) -> None:
        """Finish restores that have begun, until cancelled."""
        self._unfinished = await asyncio.to_thread(self._store.load)
        pause_s = _FIRST_PAUSE_S
        while True:
            if not self._unfinished.daemons:
                self._wake.clear()
                await self._wake.wait()
                pause_s = _FIRST_PAUSE_S
            async with self._busy:
                done, _ = await self._continue()
            if done:
                _log.info("a pending restore is finished", daemons=", ".join(done))
            if self._unfinished.daemons:
                await asyncio.sleep(pause_s)
                pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)

    async def _checked(self, content: Content) -> RestoreNotes:
        if unknown := content.daemons.keys() - self._states.keys():
            raise SaintError(
                Code.STATE_NEWER,
                f"this release does not know {min(unknown)!r}, which the backup holds",
                fix="Update this robot first, then restore.",
            )
        notes: list[str] = []
        confirm: list[str] = []
        for name, given in content.daemons.items():
            found = await self._states[name].check(given)
            notes += found.notes
            confirm += found.confirm
        return RestoreNotes(notes=notes, confirm=confirm)

    async def _begin(self, daemons: dict[str, DaemonBackup | None], now: str) -> RestoreReply:
        await self._write(Unfinished(daemons=daemons, since=now))
        restored, notes = await self._continue()
        self._wake.set()
        return RestoreReply(restored=restored, waiting=list(self._unfinished.daemons), notes=notes)

    async def _continue(self) -> tuple[list[str], list[str]]:
        """Restore the pending parts. Return the daemons that did it, and notes about those that
        refused, which are not retried.
        """
        done: list[str] = []
        notes: list[str] = []
        left = dict(self._unfinished.daemons)
        for name in sorted(left, key=list(self._states).index):
            given = left[name]
            try:
                state = self._states[name]
                await (state.forget() if given is None else state.restore(given))
            except SaintError as err:
                _log.warning("a daemon did not restore its part", daemon=name, reason=err.message)
                if err.code is Code.DAEMON_UNREACHABLE:
                    continue
                notes.append(f"{name} refused its part: {err.message}.")
            else:
                done.append(name)
            del left[name]
        if left != self._unfinished.daemons:
            await self._write(self._unfinished.model_copy(update={"daemons": left}))
        return done, notes

    async def _write(self, unfinished: Unfinished) -> None:
        await asyncio.to_thread(self._store.save, unfinished)
        self._unfinished = unfinished
