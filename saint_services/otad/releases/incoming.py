"""A bundle on its way in: a file beside the repository that is entirely there or not at all.
Calls block: run them in a thread. Not here: whether what it holds is good (bundle.py).
"""

import contextlib
import errno
import hashlib
import os
import shutil
from pathlib import Path

from ...lib.errors import Code, SaintError

IMAGE = "saint_node.img"


class Intake:
    """Takes so many bytes as were announced, no more and no fewer. After open() comes drop(),
    whatever happens in between."""

    def __init__(self, folder: Path, size_bytes: int, reserve_bytes: int) -> None:
        self.folder = folder
        self.path = folder / IMAGE
        self.size_bytes = size_bytes
        self._reserve_bytes = reserve_bytes
        self._digest = hashlib.sha256()
        self._taken = 0
        self._file = -1

    def open(self) -> None:
        """Takes the place on the disk at once: a full one is told before, not in the middle."""
        try:
            shutil.rmtree(self.folder, ignore_errors=True)  # a killed predecessor's
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
        """The next bytes."""
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
        """It is all there and on the disk; returns its SHA-256."""
        if self._taken != self.size_bytes:
            raise _wrong_length(self._taken, self.size_bytes)
        try:
            os.fsync(self._file)
        except OSError as err:
            raise _fault(err, self.path, self.size_bytes) from err
        return self._digest.hexdigest()

    def drop(self) -> None:
        """Whatever became of it: nothing is left. Harmless after it was stored."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.close(self._file)
            self._file = -1
        shutil.rmtree(self.folder, ignore_errors=True)


def _wrong_length(got: int, wanted: int, more: str = "") -> SaintError:
    message = f"{more}{got} bytes came instead of the announced {wanted}"
    return SaintError(Code.RELEASE_INVALID, message, fix="Send the file again.")


def _full(wanted: int, free: int) -> SaintError:
    message = (
        f"there is not enough room: the bundle needs {mib(wanted)}, {mib(free)} are free for it"
    )
    return SaintError(Code.DISK_FULL, message)


def mib(size_bytes: int) -> str:
    """For people."""
    return f"{size_bytes / (1 << 20):.1f} MiB"


def _fault(err: OSError, path: Path, size_bytes: int) -> SaintError:
    if err.errno in (errno.ENOSPC, errno.EDQUOT):
        message = f"there is not enough room: the bundle needs {mib(size_bytes)}"
        return SaintError(Code.DISK_FULL, message)
    return SaintError(
        Code.INTERNAL, f"{path} cannot be written: {err.strerror}", fix="Check the disk."
    )
