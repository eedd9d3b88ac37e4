"""Follows the owner's address: looks at it, downloads a newer release, hands it to the same checks
as an upload. Only at rest: a robot whose outputs are live, or of which nobody knows, has neither
the network nor the card busy with it. Not here: when (schedule.py), the network (fetch_job.py).
"""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ...lib import log
from ...lib.access import audit
from ...lib.access.audit import AuditRecord
from ...lib.access.person import Person
from ...lib.api.firmware import DOWNLOAD, Release
from ...lib.api.update_policy import AddressFile, FetchState, SourceStatus
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ..adapters.fetch_socket import FetchSocket, RangeRefusedError
from ..policy import OwnerPolicy, PolicyStore
from ..releases.versions import is_newer, version_key
from ..rollout.offers import UNKNOWN
from . import address, remote_manifest, schedule, sentences
from .fetch_order import FetchOrder
from .partial import PartialDownload
from .remote_manifest import RemoteRelease
from .schedule import ImportAct, ImportSituation, WaitReason

_SENDER = "the owner's address"
_REQUEST_LIMIT_S = 90.0
_log = log.get("otad")


class ReleaseIntake(Protocol):
    """Judges and stores bundles (releases/ingest.py)."""

    @property
    def is_busy(self) -> bool: ...

    async def check_installer(self, path: Path) -> None: ...

    async def add_downloaded(self, path: Path, size_bytes: int, checksum: str) -> Release: ...


@dataclass(frozen=True, slots=True)
class ImportEnvironment:
    """What the import reads of otad, and reports to it."""

    versions: Callable[[], Mapping[str, object]]  # in the archive
    running: Callable[[], set[str]]  # on the machines
    is_window_open: Callable[[], bool]
    largest_bytes: int
    add_entry: Callable[[AuditRecord], None]
    on_change: Callable[[], None]
    roll: Callable[[], float] = field(default=random.random)


class _PausedError(Exception):
    """The download goes on later; nothing failed."""


class AddressImport:
    """The look at the address and its download; one at a time."""

    def __init__(
        self,
        policy: PolicyStore,
        fetch: FetchSocket,
        partial: PartialDownload,
        intake: ReleaseIntake,
        around: ImportEnvironment,
    ) -> None:
        self._policy = policy
        self._fetch = fetch
        self._partial = partial
        self._intake = intake
        self._around = around
        self._wake = asyncio.Event()
        self._looked = asyncio.Event()
        self._live = UNKNOWN
        self._rest_since_s: float | None = None
        self._followed = ("", "")  # address and authority
        self._found: RemoteRelease | None = None  # to be downloaded
        self._checked_s: float | None = None
        self._begin_again(monotonic_s() + schedule.first_s(around.roll()))

    def rest_reported(self, live: str | None) -> None:
        """Take in why the robot does not rest: empty: it does; None: nobody knows."""
        self._live = UNKNOWN if live is None else live
        if bool(self._live) is (self._rest_since_s is None):
            return
        self._rest_since_s = None if self._live else monotonic_s()
        self._stir()

    def policy_changed(self) -> None:
        """Follow another address at once."""
        policy = self._policy.in_force
        if self._followed != (policy.releases_from, policy.authority):
            self._follow(policy)
            self._due_s = monotonic_s()
        self._stir()

    async def check(self, *, force: bool) -> SourceStatus:
        """Look now, on a user's request; what was refused or given up gets another try."""
        if not self._policy.in_force.releases_from:
            text = "no address of releases is set"
            raise SaintError(Code.REFUSED, text, fix="Set one: saintctl firmware settings --from")
        self._is_requested, self._is_forced = True, force
        self._retry_s = 0.0
        self._looked.clear()
        self._stir()
        if not self._live:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_REQUEST_LIMIT_S):
                    await self._looked.wait()
        return self.shown()

    def shown(self) -> SourceStatus:
        """Return the state for users."""
        policy, now_s, found = self._policy.in_force, monotonic_s(), self._found
        if not policy.releases_from:
            return SourceStatus(text=sentences.OFF)
        checked_s = None if self._checked_s is None else now_s - self._checked_s
        facts = sentences.ImportFacts(
            state=self._state,
            version=found.version if found else self._offered,
            size_bytes=found.size_bytes if found else 0,
            received_bytes=self._received if found else 0,
            problem=self._problem,
            waits_for=self._waits_for(),
            checked_s=checked_s,
            next_s=max(0.0, self._next_s() - now_s),
        )
        return SourceStatus(
            address=policy.releases_from,
            state=facts.shown_state,
            version=facts.version,
            size_bytes=facts.size_bytes,
            received_bytes=facts.received_bytes,
            checked_min=None if checked_s is None else int(checked_s // 60),
            next_min=int(-(-facts.next_s // 60)),
            text=sentences.text(facts),
        )

    async def run(self) -> None:
        """Follow the address until stopped."""
        await asyncio.to_thread(self._partial.load)
        self._follow(self._policy.in_force)
        while True:
            self._wake.clear()
            step = schedule.next_step(self._situation())
            self._reason = step.reason
            if step.act is ImportAct.LOOK:
                await self._look()
            elif step.act is ImportAct.DOWNLOAD:
                await self._download()
            else:
                if step.act is ImportAct.OFF:
                    await self._drop()
                self._around.on_change()
                await self._wait(step.until_s)

    async def _drop(self) -> None:
        """Remove the bytes of a download that is not needed; others report a failing disk."""
        with contextlib.suppress(OSError):
            await asyncio.to_thread(self._partial.drop)

    async def _wait(self, until_s: float | None) -> None:
        left_s = None if until_s is None else max(0.0, until_s - monotonic_s())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(left_s):
                await self._wake.wait()

    def _situation(self) -> ImportSituation:
        return ImportSituation(
            now_s=monotonic_s(),
            is_on=bool(self._policy.in_force.releases_from),
            due_s=self._due_s,
            is_requested=self._is_requested,
            has_found=self._found is not None,
            is_wanted=self._is_wanted,
            retry_s=self._retry_s,
            is_window_open=self._around.is_window_open(),
            rest_since_s=self._rest_since_s,
        )

    async def _look(self) -> None:
        policy = self._policy.in_force
        is_user, self._is_requested = self._is_requested, False
        if not is_user and self._found is None:
            self._is_wanted = self._is_forced = False
        self._change(FetchState.CHECKING)
        try:
            found = await self._manifest(policy)
            if is_user:
                await asyncio.to_thread(self._partial.forgive)
            await self._take(found, is_user=is_user)
        except SaintError as err:
            self._failed(err)
            self._due_s = monotonic_s() + self._pause_s()
        else:
            self._failures, self._checked_s = 0, monotonic_s()
            roll = self._around.roll()
            self._due_s = monotonic_s() + schedule.period_s(policy.check_every_h, roll)
        self._change(FetchState.IDLE)
        self._looked.set()

    async def _manifest(self, policy: OwnerPolicy) -> RemoteRelease | None:
        target = address.manifest(policy.releases_from)
        order = FetchOrder(
            address=target, authority=policy.authority, most_bytes=remote_manifest.LARGEST_BYTES
        )
        return remote_manifest.read(await self._fetch.read(order), target)

    async def _take(self, found: RemoteRelease | None, *, is_user: bool) -> None:
        """Decide whether what the address offers is fetched."""
        self._found, self._problem = None, ""
        self._offered = found.version if found else ""
        self._is_wanted = self._is_wanted or is_user
        if found is None or not self._is_needed(found):
            await self._drop()
            return
        if found.size_bytes > self._around.largest_bytes:
            text = f"release {found.version} has {found.size_bytes} bytes; the limit is "
            raise SaintError(Code.TOO_LARGE, f"{text}{self._around.largest_bytes}")
        if refusal := self._partial.refusal(found):
            self._problem = f"release {found.version} is not downloaded again: {refusal}"
            return
        self._received = await asyncio.to_thread(self._partial.offset, found)
        self._found = found

    def _is_needed(self, found: RemoteRelease) -> bool:
        here = set(self._around.versions())
        if found.version in here:
            return False
        known = {*here, *self._around.running()} - {""}
        newest = max(known, key=version_key, default="")
        return self._is_forced or not newest or is_newer(found.version, newest)

    async def _download(self) -> None:
        found = self._found
        assert found is not None  # as next_step has seen it
        policy = self._policy.in_force
        self._problem = ""
        self._change(FetchState.DOWNLOADING)
        try:
            await self._receive(found, policy)
            await self._hand_over(found, policy)
        except _PausedError:
            pass
        except (SaintError, OSError) as err:
            self._failed(err)
            self._retry_s = monotonic_s() + self._pause_s()
            if self._partial.refusal(found):
                self._found = None
        else:
            self._found, self._failures, self._problem = None, 0, ""
            self._is_forced = self._is_wanted = False
        self._change(FetchState.IDLE)

    async def _receive(self, found: RemoteRelease, policy: OwnerPolicy) -> None:
        """Get the bytes that are missing. Raises _PausedError when the robot begins to move."""
        partial = self._partial
        self._received = await asyncio.to_thread(partial.prepare, found)
        if self._received == found.size_bytes:
            return
        order = FetchOrder(
            address=address.bundle(policy.releases_from, found.version),
            authority=policy.authority,
            offset=self._received,
            validator=partial.saved.validator if self._received else "",
            most_bytes=found.size_bytes,
        )
        try:
            async with self._fetch.open(order) as fetched:
                _check_size(fetched.head.size_bytes, found)
                await asyncio.to_thread(partial.begin, fetched.head)
                self._received = fetched.head.offset
                while chunk := await self._next(fetched.chunks, policy):
                    await asyncio.to_thread(partial.write, chunk)
                    before, self._received = self._received, self._received + len(chunk)
                    if 100 * before // found.size_bytes < 100 * self._received // found.size_bytes:
                        self._around.on_change()
        except RangeRefusedError:
            await asyncio.to_thread(partial.drop)
            raise
        finally:
            await asyncio.to_thread(partial.close)
        if self._received < found.size_bytes:
            percent = 100 * self._received // found.size_bytes
            text = (
                f"the download of {found.version} was cut after {percent} %; it goes on from there"
            )
            raise SaintError(Code.REFUSED, text)

    async def _next(self, chunks: AsyncIterator[bytes], policy: OwnerPolicy) -> bytes:
        """Return the next bytes, empty at their end. Raises _PausedError as soon as the robot
        begins to move, or another address counts."""
        reading = asyncio.ensure_future(_next_of(chunks))
        try:
            while not reading.done():
                self._wake.clear()
                self._check_held(policy)
                waking = asyncio.ensure_future(self._wake.wait())
                await asyncio.wait({reading, waking}, return_when=asyncio.FIRST_COMPLETED)
                waking.cancel()
            return reading.result()
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _hand_over(self, found: RemoteRelease, policy: OwnerPolicy) -> None:
        """Have the bundle judged like an upload."""
        partial = self._partial
        self._check_held(policy)
        self._change(FetchState.VERIFYING)
        checksum = await asyncio.to_thread(partial.checksum)
        if checksum != found.checksum_sha256:
            await asyncio.to_thread(partial.drop)
            text = f"the bundle of {found.version} has other bytes than its manifest.json says"
            raise SaintError(Code.RELEASE_INVALID, text)
        await self._intake.check_installer(partial.path)
        if self._intake.is_busy:  # last: what is refused below is not loaded again
            raise SaintError(Code.CONFLICT, "another bundle is being stored")
        about = AddressFile(address=policy.releases_from, **found.model_dump())
        who = Person(_SENDER, "", address=address.host(policy.releases_from), source="address")
        taking = self._intake.add_downloaded(partial.path, found.size_bytes, checksum)
        try:
            await audit.recorded(self._around.add_entry, DOWNLOAD, who, about, taking)
        except SaintError as err:
            if err.code not in (Code.RELEASE_INVALID, Code.CONFLICT):
                raise
            await asyncio.to_thread(partial.refuse, err.message)
            raise

    def _check_held(self, policy: OwnerPolicy) -> None:
        """Raise _PausedError where the download must not go on now."""
        now = self._policy.in_force
        is_other = (now.releases_from, now.authority) != (policy.releases_from, policy.authority)
        is_closed = not self._is_wanted and not self._around.is_window_open()
        if self._live or is_other or is_closed:
            raise _PausedError

    def _follow(self, policy: OwnerPolicy) -> None:
        before, self._followed = self._followed, (policy.releases_from, policy.authority)
        if before != ("", ""):
            self._begin_again(monotonic_s())

    def _begin_again(self, due_s: float) -> None:
        """Know nothing of the address yet."""
        self._due_s, self._retry_s = due_s, 0.0
        self._state, self._reason = FetchState.IDLE, WaitReason.NONE
        self._found, self._checked_s = None, None
        self._offered, self._problem = "", ""
        self._failures, self._received = 0, 0
        self._is_requested = self._is_wanted = self._is_forced = False

    def _failed(self, err: SaintError | OSError) -> None:
        self._failures += 1
        text = err.message if isinstance(err, SaintError) else str(err.strerror)
        if text != self._problem:
            _log.warning("no release from the owner's address", reason=text)
        self._problem = text

    def _pause_s(self) -> float:
        hours = self._policy.in_force.check_every_h
        return schedule.pause_s(self._failures, hours, self._around.roll())

    def _next_s(self) -> float:
        return max(self._retry_s, monotonic_s()) if self._found else self._due_s

    def _waits_for(self) -> str:
        if self._reason is WaitReason.REST:
            return self._live or "the robot has rested for half a minute"
        return "the maintenance window" if self._reason is WaitReason.WINDOW else ""

    def _change(self, state: FetchState) -> None:
        self._state = state
        self._around.on_change()

    def _stir(self) -> None:
        self._wake.set()


def _check_size(size_bytes: int, found: RemoteRelease) -> None:
    if size_bytes not in (-1, found.size_bytes):
        text = f"the bundle of {found.version} has {size_bytes} bytes, its manifest.json says "
        raise SaintError(Code.RELEASE_INVALID, f"{text}{found.size_bytes}")


async def _next_of(chunks: AsyncIterator[bytes]) -> bytes:
    return await anext(chunks, b"")
