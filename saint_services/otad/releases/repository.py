"""Stores the releases on the disk: archive/v<version>/ with bundle, checksum, changelog and
description. A folder appears whole, by a rename, and is removed whole. Calls block: run them in a
thread. Not here: which release is offered (state.py), which may be removed (versions.py).
"""

import os
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ...lib.api.firmware import Release
from ...lib.errors import Code, SaintError
from ...lib.state import write_atomic
from ..views import StoredRelease
from . import bundle
from .bundle import Manifest
from .incoming import IMAGE, IncomingBundle

CHECKSUM = f"{IMAGE}.sha256"
CHANGELOG = "changelog.md"
FILES = (IMAGE, CHECKSUM, CHANGELOG)  # what is served
_FACTS = "release.json"
_PREFIX = "v"


class ReleaseFacts(BaseModel):
    """release.json"""

    model_config = ConfigDict(extra="ignore", frozen=True)  # newer programs may write more fields

    version: str
    release_date: str
    compatible: str
    checksum_sha256: str
    size_bytes: int
    changelog: str = ""
    min_hardware_rev: str = ""


class Repository:
    """The stored releases."""

    def __init__(self, root: Path, reserve_bytes: int) -> None:
        self._archive = root / "archive"
        self._incoming = root / "incoming"
        self._removed = root / "removed"
        self._reserve_bytes = reserve_bytes
        self._stored: dict[str, StoredRelease] = {}

    @property
    def stored(self) -> Mapping[str, StoredRelease]:
        """Releases by version. The mapping is never changed in place: a reader keeps a consistent
        one."""
        return self._stored

    def open(self) -> list[str]:
        """Load the stored releases; return a sentence for each problem. Damaged releases stay where
        they are and are not offered."""
        for leftover in (self._incoming, self._removed):
            shutil.rmtree(leftover, ignore_errors=True)
        self._archive.mkdir(parents=True, exist_ok=True)
        problems: list[str] = []
        for folder in sorted(self._archive.glob(f"{_PREFIX}*")):
            try:
                self._stored[folder.name.removeprefix(_PREFIX)] = _read(folder)
            except (OSError, ValueError, SaintError) as err:
                reason = err.message if isinstance(err, SaintError) else _reason(err)
                problems.append(f"the release in {folder} cannot be used: {reason}")
        return problems

    def free_bytes(self) -> int:
        """Return the free space for releases; 0 on a disk that cannot be read."""
        try:
            return max(0, shutil.disk_usage(self._archive).free - self._reserve_bytes)
        except OSError:
            return 0

    def intake(self, size_bytes: int) -> IncomingBundle:
        """Return the file for a bundle of this size. Does not block: nothing is opened yet."""
        return IncomingBundle(self._incoming, size_bytes, self._reserve_bytes)

    def store(self, intake: IncomingBundle, manifest: Manifest, checksum: str) -> Release:
        """Make a received bundle a release. Storing the same bundle again is not an error."""
        if known := self._stored.get(manifest.version):
            if known.release.checksum_sha256 == checksum:
                return known.release
            raise _conflict(manifest.version)
        facts = _facts(intake, manifest, checksum)
        folder = self._archive / f"{_PREFIX}{manifest.version}"
        try:
            write_atomic(intake.folder / CHECKSUM, f"{checksum}  {IMAGE}\n".encode())
            write_atomic(intake.folder / CHANGELOG, f"{manifest.changelog}\n".encode())
            write_atomic(intake.folder / _FACTS, f"{facts.model_dump_json(indent=1)}\n".encode())
            if folder.exists():  # a damaged one, see open()
                self._set_aside(folder)
            intake.folder.rename(folder)
            _sync(self._archive)
        except OSError as err:
            message = f"{folder} cannot be written: {err.strerror}"
            raise SaintError(Code.INTERNAL, message, fix="Check the disk.") from err
        stored = _stored(facts)
        self._stored = {**self._stored, manifest.version: stored}
        return stored.release

    def remove(self, version: str) -> None:
        """Remove a release. A crash in between leaves a folder that the next start removes."""
        self._stored = {known: kept for known, kept in self._stored.items() if known != version}
        folder = self._archive / f"{_PREFIX}{version}"
        try:
            folder.rename(self._removed)
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(self._removed, ignore_errors=True)

    def file(self, version: str, name: str) -> Path | None:
        """Return the path of a file to serve; None when there is no such file."""
        if version not in self._stored or name not in FILES:
            return None
        return self._archive / f"{_PREFIX}{version}" / name

    def _set_aside(self, folder: Path) -> None:
        number = 1
        while (aside := folder.with_name(f"damaged-{number}-{folder.name}")).exists():
            number += 1
        folder.rename(aside)


def _facts(intake: IncomingBundle, manifest: Manifest, checksum: str) -> ReleaseFacts:
    return ReleaseFacts(
        version=manifest.version,
        release_date=manifest.release_date or datetime.now(UTC).strftime("%Y-%m-%d"),
        compatible=manifest.compatible,
        checksum_sha256=checksum,
        size_bytes=intake.size_bytes,
        changelog=manifest.changelog,
        min_hardware_rev=manifest.min_hardware_rev,
    )


def _read(folder: Path) -> StoredRelease:
    facts = ReleaseFacts.model_validate_json((folder / _FACTS).read_bytes())
    if f"{_PREFIX}{facts.version}" != folder.name:
        raise ValueError(f"the folder holds {facts.version[:40]}")
    bundle.check_version(facts.version)
    size = (folder / IMAGE).stat().st_size
    if size != facts.size_bytes:
        raise ValueError(f"{IMAGE} has {size} bytes instead of {facts.size_bytes}")
    return _stored(facts)


def _stored(facts: ReleaseFacts) -> StoredRelease:
    return StoredRelease(Release(**facts.model_dump()))


def _conflict(version: str) -> SaintError:
    return SaintError(
        Code.CONFLICT,
        f"there already is a release {version}, and this bundle differs from it",
        fix="Give the new release another version, or remove the stored one first.",
    )


def _reason(err: OSError | ValueError) -> str:
    if isinstance(err, ValidationError):
        return f"{_FACTS} is damaged"
    return str(err.strerror) if isinstance(err, OSError) else str(err)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
