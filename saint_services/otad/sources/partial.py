"""Stores a download until it is whole, over cuts, pauses and restarts. The length of the file is
how far it came. Calls block: run them in a thread. Not here: judging the content (releases/).
"""

import contextlib
import errno
import hashlib
import os
import shutil
from pathlib import Path

from ...lib.errors import Code, SaintError
from ...lib.state import StateStore
from ...lib.strict import StrictModel
from ..releases.incoming import mib
from .fetch_order import FetchHead
from .remote_manifest import RemoteRelease

# Beginnings of one release from its first byte on: a server without ranges, or with other bytes
# than its manifest says, is not loaded from without end.
MOST_BEGINNINGS = 5
# Never more than this is on its way to the card when a robot begins to move.
_SYNC_BYTES = 4 << 20
_FILE = "saint_node.img.part"
_VERSION = 1


class SavedDownload(StrictModel):
    """download.json: the release that is being downloaded, or was last."""

    version: str = ""
    checksum_sha256: str = ""
    size_bytes: int = 0
    validator: str = ""  # of the file on the server, to go on with the same one
    beginnings: int = 0
    refused: str = ""  # why this release is not downloaded again


class PartialDownload:
    """One download at a time."""

    def __init__(self, folder: Path, reserve_bytes: int) -> None:
        self.path = folder / _FILE
        self._store = StateStore(folder / "download.json", SavedDownload, _VERSION)
        self._reserve_bytes = reserve_bytes
        self._file = -1
        self._unsynced = 0
        self.saved = SavedDownload()

    def load(self) -> None:
        """Load what was downloaded before; a damaged record begins again."""
        with contextlib.suppress(SaintError):
            self.saved = self._store.load()

    def refusal(self, release: RemoteRelease) -> str:
        """Return why this release is not downloaded again; empty: it may be."""
        return self.saved.refused if self._is_same(release) else ""

    def offset(self, release: RemoteRelease) -> int:
        """Return how many bytes of this release are here."""
        if not self._is_same(release):
            return 0
        try:
            return min(self.path.stat().st_size, release.size_bytes)
        except OSError:
            return 0

    def forgive(self) -> None:
        """Let a user's request try again what was refused, or began too often."""
        if self.saved.refused or self.saved.beginnings:
            self._save(self.saved.model_copy(update={"refused": "", "beginnings": 0}))

    def prepare(self, release: RemoteRelease) -> int:
        """Return from which byte on the release is needed. Raises disk_full."""
        if not self._is_same(release):
            self.path.unlink(missing_ok=True)
            facts = release.model_dump()
            self._save(SavedDownload.model_validate(facts))
        offset = self.offset(release)
        if rest := release.size_bytes - offset:
            self._check_space(rest)
        return offset

    def begin(self, head: FetchHead) -> None:
        """Open the file for what comes: its rest, or all of it. Raises refused after too many
        beginnings."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        if not head.offset:
            if self.saved.beginnings >= MOST_BEGINNINGS:
                text = f"its download began {MOST_BEGINNINGS} times and never was whole"
                self.refuse(text)
                raise SaintError(Code.REFUSED, f"release {self.saved.version}: {text}")
            beginnings = self.saved.beginnings + 1
            update = {"validator": head.validator, "beginnings": beginnings}
            self._save(self.saved.model_copy(update=update))
            flags |= os.O_TRUNC
        self._file = os.open(self.path, flags, 0o640)
        os.ftruncate(self._file, head.offset)
        os.lseek(self._file, head.offset, os.SEEK_SET)
        self._unsynced = 0

    def write(self, chunk: bytes) -> None:
        """Append. Raises disk_full; then nothing of it stays."""
        rest = memoryview(chunk)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
            self._unsynced += len(chunk)
            if self._unsynced >= _SYNC_BYTES:
                self._unsynced = 0
                os.fdatasync(self._file)
                self._check_space(0)
        except OSError as err:
            self.drop()
            if err.errno in (errno.ENOSPC, errno.EDQUOT):
                raise SaintError(Code.DISK_FULL, "not enough disk space for the download") from err
            text = f"{self.path} cannot be written: {err.strerror}"
            raise SaintError(Code.INTERNAL, text, fix="Check the disk.") from err

    def close(self) -> None:
        """Have everything so far on the disk."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.fdatasync(self._file)
            os.close(self._file)
            self._file = -1

    def checksum(self) -> str:
        """Return the SHA-256 of the file."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def drop(self) -> None:
        """Remove the bytes; the next try begins again."""
        self.close()
        self.path.unlink(missing_ok=True)

    def refuse(self, reason: str) -> None:
        """Remember that this very release was judged and refused."""
        self.drop()
        self._save(self.saved.model_copy(update={"refused": reason[:400]}))

    def _is_same(self, release: RemoteRelease) -> bool:
        saved = self.saved
        return (saved.version, saved.checksum_sha256, saved.size_bytes) == (
            release.version, release.checksum_sha256, release.size_bytes,
        )  # fmt: skip

    def _check_space(self, needed: int) -> None:
        folder = self.path.parent
        free = max(0, shutil.disk_usage(folder).free - self._reserve_bytes)
        if free < max(needed, 1):
            self.drop()
            text = f"not enough disk space: the download needs {mib(needed)}, {mib(free)} are free"
            raise SaintError(Code.DISK_FULL, f"{text} for it")

    def _save(self, saved: SavedDownload) -> None:
        self._store.save(saved)
        self.saved = saved
