"""Accepts bundles, one at a time: each is checked whole and stored, or refused. Not here: where
they come from (adapters/uploads.py, api.py), the disk (repository.py).
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

from ...lib import log
from ...lib.api.firmware import Release
from ...lib.errors import Code, SaintError
from ...lib.health import Health
from ...lib.machine.root_access import fix_in_settings
from ..adapters.alerts import Alerts
from ..adapters.removable_media import opened_below
from ..config import Config
from . import bundle
from .incoming import IncomingBundle
from .repository import Repository
from .versions import retained

_CHUNK_BYTES = 1 << 20
_log = log.get("otad")
T = TypeVar("T")


class SignedManifest(Protocol):
    """The content that a signature vouches for."""

    @property
    def version(self) -> str: ...

    @property
    def compatible(self) -> str: ...


class Inspector(Protocol):
    """Checks signatures: the installer of this machine."""

    async def inspect(self, source: str) -> SignedManifest:
        """Return the signed content. Raises release_invalid, or daemon_unreachable where no
        installer can judge it now."""


class ReleaseIngest:
    """Accepts and removes releases."""

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
        self._needed = needed  # versions that must not be removed
        self._alerts = alerts
        self._health = health
        self._busy = asyncio.Lock()
        self.on_change: Callable[[], None] = lambda: None

    async def add(
        self, chunks: AsyncIterator[bytes], size_bytes: int, wanted_checksum: str = ""
    ) -> Release:
        """Check and store a bundle of so many bytes. Raises SaintError with the reason for a
        refusal."""
        return await self._accepted(self._received(chunks, size_bytes, wanted_checksum), size_bytes)

    async def add_downloaded(self, path: Path, size_bytes: int, checksum: str) -> Release:
        """Check and store a bundle that lies whole beside the archive; the file is gone then,
        whether it was accepted or not."""
        return await self._accepted(self._adopted(path, size_bytes, checksum), size_bytes)

    @property
    def is_busy(self) -> bool:
        """Whether another bundle is being stored."""
        return self._busy.locked()

    async def check_installer(self, path: Path) -> None:
        """Raise daemon_unreachable where no installer can judge a bundle now."""
        try:
            await self._inspector.inspect(str(path))
        except SaintError as err:
            if err.code is Code.DAEMON_UNREACHABLE:
                raise

    async def _accepted(self, work: Coroutine[Any, Any, Release], size_bytes: int) -> Release:
        if self._busy.locked():
            work.close()
            raise SaintError(Code.CONFLICT, "another bundle is being stored", fix="Wait for it.")
        async with self._busy:
            try:
                release = await work
            except SaintError as err:
                self.report_refusal(err)
                raise
            await self._remove_old(release.version)
        self._health.clear(Code.DISK_FULL)
        self._health.counters["releases_taken"] += 1
        _log.info("release accepted", version=release.version, size_bytes=size_bytes)
        self._alerts.news(f"Release {release.version} is on the server")
        self.on_change()
        return release

    async def add_file(self, path: Path) -> Release:
        """Check and store a bundle that lies on this machine, e.g. on a USB stick."""
        folders = [Path(folder) for folder in self._config.import_folders]
        with await asyncio.to_thread(opened_below, folders, path) as file:
            return await self.add(_read(file, path), os.fstat(file.fileno()).st_size)

    async def add_shipped(self, path: Path) -> Release:
        """Check and store the bundle that came with this card. Raises daemon_unreachable before it
        is copied while no installer can check it."""
        await self._inspector.inspect(str(path))
        with await asyncio.to_thread(opened_below, [path.parent], path) as file:
            return await self.add(_read(file, path), os.fstat(file.fileno()).st_size)

    async def remove(self, version: str) -> None:
        """Remove a release that is not in use; waits for a bundle that is being stored."""
        async with self._busy:
            if version not in self._repository.stored:
                raise SaintError(Code.NOT_FOUND, f"there is no release {version[:40]!r}")
            if version in self._needed():
                message = f"{version} is offered to nodes, or is the release to roll back to"
                raise SaintError(Code.REFUSED, message, fix="Roll out another release first.")
            await asyncio.to_thread(self._repository.remove, version)
        _log.info("release removed", version=version)
        self.on_change()

    def report_refusal(self, error: SaintError) -> None:
        """Count a release that is not accepted, and alert users."""
        self._health.counters["releases_refused"] += 1
        _log.warning("bundle refused", code=error.code.value, text=error.message)
        self._alerts.refusal("A release was refused", error)
        if error.code is Code.DISK_FULL:
            self._health.raise_issue(Code.DISK_FULL, error.message)

    async def _received(
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
                message = f"the checksum is {checksum}, not the announced {wanted_checksum}"
                raise SaintError(Code.RELEASE_INVALID, message, fix="Send the file again.")
            return await self._checked(intake, checksum)
        finally:
            await _ended(intake.drop)

    async def _adopted(self, path: Path, size_bytes: int, checksum: str) -> Release:
        self._check_size(size_bytes)
        intake = self._repository.intake(size_bytes)
        try:
            await _ended(partial(intake.adopt, path))
            return await self._checked(intake, checksum)
        finally:
            await _ended(intake.drop)

    async def _checked(self, intake: IncomingBundle, checksum: str) -> Release:
        manifest = await asyncio.to_thread(bundle.read, intake.path, self._config.compatible)
        claims = await self._inspector.inspect(str(intake.path))
        if (claims.version, claims.compatible) != (manifest.version, manifest.compatible):
            raise bundle.refusal("the signature is for another manifest")
        return await _ended(partial(self._repository.store, intake, manifest, checksum))

    def _check_size(self, size_bytes: int) -> None:
        largest = self._config.largest_bundle_bytes
        if size_bytes > largest:
            message = f"the bundle has {size_bytes} bytes; the limit is {largest} bytes"
            fix = fix_in_settings("Raise largest_bundle_bytes in", "otad")
            raise SaintError(Code.TOO_LARGE, message, fix=fix)
        if size_bytes <= 0:
            raise bundle.refusal("the bundle is empty")

    async def _remove_old(self, newest: str) -> None:
        """Remove old releases beyond the configured number."""
        versions = list(self._repository.stored)
        needed = self._needed() | {newest}
        stay = retained(versions, self._config.keep_releases, needed)
        for version in versions:
            if version not in stay:
                await asyncio.to_thread(self._repository.remove, version)
                _log.info("old release removed", version=version)


async def _ended(work: Callable[[], T]) -> T:
    """Run in a thread. When cancelled, wait for the thread's end: its files are dropped next."""
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
