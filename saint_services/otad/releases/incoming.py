"""Writes a bundle that is being received to a file beside the repository, complete or not at all.
Calls block: run them in a thread. Not here: whether the content is good (bundle.py).
"""

import contextlib
import errno
import hashlib
import os
import shutil
from pathlib import Path

from ...lib.errors import Code, SaintError

IMAGE = "saint_node.img"


class IncomingBundle:
    """Accepts exactly the announced number of bytes. After open() comes drop(), whatever happens in
    between."""

    def __init__(self, folder: Path, size_bytes: int, reserve_bytes: int) -> None:
        self.folder = folder
        self.path = folder / IMAGE
        self.size_bytes = size_bytes
        self._reserve_bytes = reserve_bytes
        self._digest = hashlib.sha256()
        self._taken = 0
        self._file = -1

    def open(self) -> None:
        """Reserve the disk space first: a full disk is reported before the upload, not in the
        middle."""
        try:
            shutil.rmtree(self.folder, ignore_errors=True)  # left by a killed process
            self.folder.mkdir(parents=True)
            free = shutil.disk_usage(self.folder).free
            if free < self.size_bytes + self._reserve_bytes:
                raise _full(self.size_bytes, max(0, free - self._reserve_bytes))
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self._file = os.open(self.path, flags, 0o640)
            os.posix_fallocate(self._file, 0, self.size_bytes)
        except OSError as err:
            raise _fault(err, self.path, self.size_bytes) from err

    def write(self, chunk: bytes) -> None:
        """Append the next bytes."""
        self._taken += len(chunk)
        if self._taken > self.size_bytes:
            raise _wrong_length(self._taken, self.size_bytes, "at least ")
        self._digest.update(chunk)
        rest = memoryview(chunk)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as err:
            raise _fault(err, self.path, self.size_bytes) from err

    def finish(self) -> str:
        """Check that all bytes have come and sync them; return the SHA-256."""
        if self._taken != self.size_bytes:
            raise _wrong_length(self._taken, self.size_bytes)
        try:
            os.fsync(self._file)
        except OSError as err:
            raise _fault(err, self.path, self.size_bytes) from err
        return self._digest.hexdigest()

    def adopt(self, path: Path) -> None:
        """Take a file that was received whole and lies on the same disk, instead of open()."""
        try:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            path.rename(self.path)
        except OSError as err:
            raise _fault(err, self.path, self.size_bytes) from err

    def drop(self) -> None:
        """Remove what is left. Harmless after the bundle was stored."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.close(self._file)
            self._file = -1
        shutil.rmtree(self.folder, ignore_errors=True)


def _wrong_length(got: int, wanted: int, more: str = "") -> SaintError:
    message = f"{more}{got} bytes received instead of the announced {wanted}"
    return SaintError(Code.RELEASE_INVALID, message, fix="Send the file again.")


def _full(wanted: int, free: int) -> SaintError:
    message = f"not enough disk space: the bundle needs {mib(wanted)}, {mib(free)} are free for it"
    return SaintError(Code.DISK_FULL, message)


def mib(size_bytes: int) -> str:
    return f"{size_bytes / (1 << 20):.1f} MiB"


def _fault(err: OSError, path: Path, size_bytes: int) -> SaintError:
    if err.errno in (errno.ENOSPC, errno.EDQUOT):
        message = f"not enough disk space: the bundle needs {mib(size_bytes)}"
        return SaintError(Code.DISK_FULL, message)
    return SaintError(
        Code.INTERNAL, f"{path} cannot be written: {err.strerror}", fix="Check the disk."
    )
