"""Writes an image to a card or a file, and reads it back. The first megabyte, which holds the
partition table, is cleared first and written last, when all else has been read back: a card that
was removed early does not boot half a system. Not here: which disk may be written (disks.py).
"""

import errno
import fcntl
import hashlib
import itertools
import mmap
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import Code, SaintError
from .block_map import BlockMap
from .layout import needed_bytes, partitions
from .source import CHUNK_BYTES

HEAD_BYTES = 1 << 20
_OLD_TABLE_BYTES = 33 * 512  # a GPT keeps a second copy in the last 33 sectors
EVERYTHING = BlockMap()
_FLUSH_BUFFERS = 0x1261  # BLKFLSBUF, linux/fs.h: drop the buffers of the device

Progress = Callable[[int], None]


@dataclass(slots=True)
class Written:
    """What was written: its size and the hash of every chunk, in order; empty where none was."""

    size_bytes: int = 0
    hashes: list[bytes] = field(default_factory=list)
    whole: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    @property
    def sha256(self) -> str:
        """The checksum of the whole image with its settings."""
        return self.whole.hexdigest()


class Target:
    """An open disk or regular file that is about to be overwritten."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            # On a disk O_EXCL fails while any of its partitions is in use by the kernel.
            is_disk = path.is_block_device()
            self._file = os.open(path, os.O_RDWR | (os.O_EXCL if is_disk else os.O_CREAT), 0o600)
        except OSError as err:
            raise _cannot_open(path, err) from err
        self.is_disk = stat.S_ISBLK(os.fstat(self._file).st_mode)
        self.size_bytes = os.lseek(self._file, 0, os.SEEK_END) if self.is_disk else None

    def __enter__(self) -> "Target":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def write(
        self, chunks: Iterator[bytes], progress: Progress, block_map: BlockMap = EVERYTHING
    ) -> Written:
        """Write all but the partition table, which stays empty until finish()."""
        whole = _whole_chunks(chunks)
        first = next(whole, b"")
        self._must_hold(needed_bytes(partitions(first)))
        self._clear()
        self._head = first[:HEAD_BYTES]
        written = Written()
        for chunk in itertools.chain((first,), whole):
            self._must_hold(written.size_bytes + len(chunk))
            skipped = HEAD_BYTES if not written.size_bytes else 0
            is_needed = not block_map.may_skip(written.size_bytes, chunk)
            if is_needed:
                self._put(chunk[skipped:], written.size_bytes + skipped)
            written.size_bytes += len(chunk)
            written.hashes.append(hashlib.sha256(chunk).digest() if is_needed else b"")
            written.whole.update(chunk)
            progress(written.size_bytes)
        if not self.is_disk:
            os.ftruncate(self._file, written.size_bytes)
        self._sync()
        return written

    def verify(self, written: Written, progress: Progress) -> None:
        """Read everything back from the medium; then the card may become bootable."""
        self._forget()
        done = 0
        for number, expected in enumerate(written.hashes):
            length = min(CHUNK_BYTES, written.size_bytes - done)
            found = self._get(done, length) if expected else b""
            if number == 0:
                found = self._head + found[len(self._head) :]
            if expected and hashlib.sha256(found).digest() != expected:
                raise self._differs(done)
            done += length
            progress(done)
        self._put(self._head, 0)
        self._sync()
        self._forget()
        if self._get(0, len(self._head)) != self._head:
            raise self._differs(0)

    def _clear(self) -> None:
        """Wipe old partition tables, so that no program uses them with the new content."""
        if not self.is_disk:
            os.ftruncate(self._file, 0)
        self._put(bytes(HEAD_BYTES), 0)
        if self.size_bytes:
            self._put(bytes(_OLD_TABLE_BYTES), self.size_bytes - _OLD_TABLE_BYTES)
        self._sync()

    def _must_hold(self, size_bytes: int) -> None:
        if self.size_bytes is not None and size_bytes > self.size_bytes:
            raise SaintError(
                Code.DISK_REFUSED,
                f"{self.path} has {_gb(self.size_bytes)}, the image needs {_gb(size_bytes)}",
                fix="Use a larger card.",
            )

    def _put(self, content: bytes, offset: int) -> None:
        if not self.is_disk and not content.strip(b"\0"):
            return  # a file stays sparse
        rest = memoryview(content)
        try:
            while rest:
                count = os.pwrite(self._file, rest, offset)
                rest, offset = rest[count:], offset + count
        except OSError as err:
            raise self._failed("written", offset, err) from err

    def _sync(self) -> None:
        try:
            os.fsync(self._file)
        except OSError as err:
            raise self._failed("written", 0, err) from err

    def _forget(self) -> None:
        """Drop the kernel's cache, or reading would return the cache instead of the medium."""
        if self.is_disk:
            fcntl.ioctl(self._file, _FLUSH_BUFFERS)
        os.posix_fadvise(self._file, 0, 0, os.POSIX_FADV_DONTNEED)

    def _get(self, offset: int, length: int) -> bytes:
        """Read from the medium itself where possible (O_DIRECT), else through the kernel."""
        with mmap.mmap(-1, CHUNK_BYTES) as aligned:
            try:
                count = self._read_direct(aligned, offset)
            except OSError as err:
                if err.errno != errno.EINVAL:  # this file system has no O_DIRECT
                    raise self._failed("read", offset, err) from err
                count = os.preadv(self._file, [aligned], offset)
            return aligned[: min(count, length)]

    def _read_direct(self, aligned: mmap.mmap, offset: int) -> int:
        direct = os.open(self.path, os.O_RDONLY | os.O_DIRECT)
        try:
            return os.preadv(direct, [aligned], offset)
        finally:
            os.close(direct)

    def _failed(self, verb: str, offset: int, err: OSError) -> SaintError:
        return SaintError(
            Code.HARDWARE_FAULT,
            f"{self.path} cannot be {verb} at {offset >> 20} MiB: {err.strerror}",
            fix="Try another card or card reader.",
        )

    def _differs(self, offset: int) -> SaintError:
        return SaintError(
            Code.HARDWARE_FAULT,
            f"{self.path} returns other data than was written at {offset >> 20} MiB",
            fix="The card is worn out or smaller than it claims: use another one.",
        )


def _whole_chunks(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Yield chunks of the same size: the check is made per chunk."""
    held = bytearray()
    for part in parts:
        held += part
        while len(held) >= CHUNK_BYTES:
            yield bytes(held[:CHUNK_BYTES])
            del held[:CHUNK_BYTES]
    if held:
        yield bytes(held)


def _cannot_open(path: Path, err: OSError) -> SaintError:
    if err.errno == errno.EBUSY:
        what, fix = f"{path} is in use", "Unmount its partitions and try again."
        return SaintError(Code.DISK_REFUSED, what, fix=fix)
    if err.errno in (errno.EACCES, errno.EPERM):
        what = f"this user may not write to {path}"
        return SaintError(Code.DISK_REFUSED, what, fix="Run the command with sudo.")
    return SaintError(Code.NOT_FOUND, f"{path} cannot be opened: {err.strerror}")


def _gb(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:.2f} GB"
