"""Takes a bundle in, from whichever door: one at a time, checked whole, stored or not at all.
Not here: the doors (adapters/uploads.py, questions.py), the disk (adapters/repository.py).
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol, TypeVar

from ...lib import log
from ...lib.api.firmware import Release
from ...lib.errors import Code, SaintError
from ...lib.health import Health
from .. import offers
from ..adapters.alerts import Alerts
from ..adapters.removable_media import opened_below
from ..config import Config
from . import bundle
from .incoming import Intake
from .repository import Repository

_CHUNK_BYTES = 1 << 20
_log = log.get("otad")
T = TypeVar("T")


class Claims(Protocol):
    """What a signature vouches for."""

    @property
    def version(self) -> str: ...

    @property
    def compatible(self) -> str: ...


class Inspector(Protocol):
    """Checks signatures; the installer of this machine."""

    async def inspect(self, source: str) -> Claims:
        """Raises release_invalid, or daemon_unreachable where there is no installer."""


class ReleaseIngest:
    """Everything that comes in goes through here."""

    def __init__(
        self,
        config: Config,
        repository: Repository,
        inspector: Inspector,
        needed: Callable[[], set[str]],
        alerts: Alerts,
        health: Health,
    ) -> None:
        self._config = config
        self._repository = repository
        self._inspector = inspector
        self._needed = needed  # versions that must stay
        self._alerts = alerts
        self._health = health
        self._busy = asyncio.Lock()
        self.on_change: Callable[[], None] = lambda: None

    async def add(
        self, chunks: AsyncIterator[bytes], size_bytes: int, wanted_checksum: str = ""
    ) -> Release:
        """A bundle of so many bytes."""
        if self._busy.locked():
            raise SaintError(Code.CONFLICT, "another bundle is being taken in", fix="Wait for it.")
        async with self._busy:
            try:
                release = await self._taken(chunks, size_bytes, wanted_checksum)
            except SaintError as err:
                self._refused(err)
                raise
            await self._tidy(release.version)
        self._health.clear(Code.DISK_FULL)
        self._health.counters["releases_taken"] += 1
        _log.info("release taken", version=release.version, size_bytes=size_bytes)
        self._alerts.news(f"Release {release.version} is here")
        self.on_change()
        return release

    async def add_file(self, path: Path) -> Release:
        """A bundle that lies on this machine, e.g. on a stick."""
        folders = [Path(folder) for folder in self._config.import_folders]
        with await asyncio.to_thread(opened_below, folders, path) as file:
            return await self.add(_read(file, path), os.fstat(file.fileno()).st_size)

    async def remove(self, version: str) -> None:
        """A release that nobody needs; waits for a bundle that is being taken in."""
        async with self._busy:
            if version not in self._repository.stored:
                raise SaintError(Code.NOT_FOUND, f"there is no release {version[:40]!r}")
            if version in self._needed():
                message = f"{version} is offered to nodes, or is the way back"
                raise SaintError(Code.REFUSED, message, fix="Roll out another release first.")
            await asyncio.to_thread(self._repository.remove, version)
        _log.info("release removed", version=version)
        self.on_change()

    async def _taken(
        self, chunks: AsyncIterator[bytes], size_bytes: int, wanted_checksum: str
    ) -> Release:
        self._check_size(size_bytes)
        intake = self._repository.intake(size_bytes)
        try:
            await _ended(intake.open)
            async for chunk in chunks:
                await _ended(partial(intake.write, chunk))
            checksum = await _ended(intake.finish)
            if wanted_checksum and checksum != wanted_checksum:
                message = f"its checksum is {checksum}, announced was {wanted_checksum}"
                raise SaintError(Code.RELEASE_INVALID, message, fix="Send the file again.")
            return await self._judged(intake, checksum)
        finally:
            await _ended(intake.drop)

    async def _judged(self, intake: Intake, checksum: str) -> Release:
        manifest = await asyncio.to_thread(bundle.read, intake.path, self._config.compatible)
        claims = await self._inspector.inspect(str(intake.path))
        if (claims.version, claims.compatible) != (manifest.version, manifest.compatible):
            raise bundle.refusal("the signature is for another manifest")
        return await _ended(partial(self._repository.store, intake, manifest, checksum))

    def _check_size(self, size_bytes: int) -> None:
        largest = self._config.largest_bundle_bytes
        if size_bytes > largest:
            message = f"the bundle has {size_bytes} bytes, at most {largest} are taken"
            raise SaintError(
                Code.TOO_LARGE, message, fix="Raise largest_bundle_bytes in otad.yaml."
            )
        if size_bytes <= 0:
            raise bundle.refusal("the bundle is empty")

    def _refused(self, error: SaintError) -> None:
        self._health.counters["releases_refused"] += 1
        _log.warning("bundle refused", code=error.code.value, text=error.message)
        self._alerts.refusal("A release was refused", error)
        if error.code is Code.DISK_FULL:
            self._health.raise_issue(Code.DISK_FULL, error.message)

    async def _tidy(self, newcomer: str) -> None:
        """Old releases go when there are too many."""
        versions = list(self._repository.stored)
        needed = self._needed() | {newcomer}
        stay = offers.kept(versions, self._config.keep_releases, needed)
        for version in versions:
            if version not in stay:
                await asyncio.to_thread(self._repository.remove, version)
                _log.info("old release removed", version=version)


async def _ended(work: Callable[[], T]) -> T:
    """In a thread. Who gives up meanwhile waits for its end: what it works on is dropped next."""
    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.gather(running, return_exceptions=True)
        raise


async def _read(file: BinaryIO, path: Path) -> AsyncIterator[bytes]:
    try:
        while chunk := await asyncio.to_thread(file.read, _CHUNK_BYTES):
            yield chunk
    except OSError as err:
        raise SaintError(Code.NOT_FOUND, f"{path} cannot be read: {err.strerror}") from err
