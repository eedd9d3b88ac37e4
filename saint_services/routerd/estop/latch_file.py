"""The file of the e-stop latch: fixed size, two slots, overwritten in place, so that a full disk
cannot lose a stop. Each record carries a sequence number and a checksum; it is read back after
writing. Not here: the format of a record (state.py), when it is written (latch_store.py).
"""

import contextlib
import errno
import hashlib
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...lib.errors import Code, SaintError

NAME = "estop.latch"
SLOT_BYTES = 65_536  # holds the longest texts of all presses
_SLOTS = 2
_HEAD = struct.Struct(">8sQI32s")  # magic, sequence, length, checksum
_MAGIC = b"SAINTES1"
LARGEST_BYTES = SLOT_BYTES - _HEAD.size
_FLAGS = os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class LatchContent:
    """The newest valid record (None: both are damaged), and what is wrong with the file."""

    payload: bytes | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Slot:
    sequence: int = -1  # the slot holds no valid record
    payload: bytes = b""


class LatchFile:
    """Calls block: from a coroutine use asyncio.to_thread."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / NAME

    def read(self) -> LatchContent:
        """Read both slots. A damaged one is a problem even beside a valid one: the record that
        cannot be read may be the newer. Raises FileNotFoundError without a file.
        """
        try:
            with self._opened(os.O_RDONLY) as file:
                slots = _slots(file)
        except FileNotFoundError:
            raise
        except OSError as err:
            return LatchContent(None, f"{self.path} cannot be read: {err.strerror}")
        newest = max(slots, key=lambda each: each.sequence)
        if newest.sequence < 0:
            return LatchContent(None, f"{self.path} is damaged")
        if min(each.sequence for each in slots) < 0:
            return LatchContent(newest.payload, f"one of the two records in {self.path} is damaged")
        return LatchContent(newest.payload)

    def write(self, payload: bytes) -> None:
        """Store a record and read it back. Raises SaintError when it is not on the disk."""
        try:
            self._write(payload)
        except OSError as err:
            raise SaintError(
                Code.INTERNAL,
                f"{self.path} cannot be written: {err.strerror}",
                fix="Check the disk or the card of this machine, and replace it.",
            ) from err

    def spoil(self) -> None:
        """Remove a file that still records "not stopped": without it the next start is stopped."""
        with contextlib.suppress(OSError):
            self.path.unlink()
            _sync(self.path.parent)

    def _write(self, payload: bytes) -> None:
        if len(payload) > LARGEST_BYTES:
            raise OSError(errno.EFBIG, f"a record of {len(payload)} bytes does not fit")
        try:
            with self._opened(os.O_RDWR) as file:
                if os.fstat(file).st_size == _SLOTS * SLOT_BYTES:
                    _overwrite(file, payload)
                    return
        except FileNotFoundError:
            pass
        self._create(payload)

    def _create(self, payload: bytes) -> None:
        """Create the file with allocated blocks behind every byte, and rename it into place."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        aside = self.path.with_name(f".{NAME}.new")
        slots = [_record(number + 1, payload) for number in range(_SLOTS)]
        whole = b"".join(each.ljust(SLOT_BYTES, b"\0") for each in slots)
        try:
            file = os.open(aside, os.O_RDWR | os.O_CREAT | os.O_TRUNC | _FLAGS, 0o640)
            try:
                os.posix_fallocate(file, 0, len(whole))
                _write_all(file, whole, 0)
                os.fsync(file)
                _check(file, whole, 0)
            finally:
                os.close(file)
            aside.replace(self.path)
        except OSError:
            with contextlib.suppress(OSError):
                aside.unlink()
            raise
        _sync(self.path.parent)

    @contextlib.contextmanager
    def _opened(self, mode: int) -> Iterator[int]:
        file = os.open(self.path, mode | _FLAGS)
        try:
            yield file
        finally:
            os.close(file)


def _overwrite(file: int, payload: bytes) -> None:
    """Overwrite the older record, a damaged one first; if that block is broken, the other one."""
    slots = _slots(file)
    order = sorted(range(_SLOTS), key=lambda number: slots[number].sequence)
    record = _record(max(0, slots[order[-1]].sequence) + 1, payload)
    failure = OSError(errno.EIO, "no slot could be written")
    for number in order:
        try:
            _write_all(file, record, number * SLOT_BYTES)
            os.fdatasync(file)
            _check(file, record, number * SLOT_BYTES)
        except OSError as err:
            failure = err
        else:
            return
    raise failure


def _slots(file: int) -> list[_Slot]:
    return [_slot(_read_all(file, SLOT_BYTES, n * SLOT_BYTES)) for n in range(_SLOTS)]


def _slot(raw: bytes) -> _Slot:
    if len(raw) != SLOT_BYTES:
        return _Slot()
    magic, sequence, length, checksum = _HEAD.unpack_from(raw)
    payload = raw[_HEAD.size : _HEAD.size + length]
    if magic != _MAGIC or length > LARGEST_BYTES or checksum != _checksum(sequence, payload):
        return _Slot()
    return _Slot(sequence, payload)


def _record(sequence: int, payload: bytes) -> bytes:
    return _HEAD.pack(_MAGIC, sequence, len(payload), _checksum(sequence, payload)) + payload


def _checksum(sequence: int, payload: bytes) -> bytes:
    return hashlib.sha256(sequence.to_bytes(8, "big") + payload).digest()


def _check(file: int, expected: bytes, offset: int) -> None:
    """Read back what was written, from the disk if the kernel allows it."""
    with contextlib.suppress(OSError):
        os.posix_fadvise(file, offset, len(expected), os.POSIX_FADV_DONTNEED)
    if _read_all(file, len(expected), offset) != expected:
        raise OSError(errno.EIO, "it reads back with other contents")


def _read_all(file: int, size: int, offset: int) -> bytes:
    parts = b""
    while len(parts) < size and (more := os.pread(file, size - len(parts), offset + len(parts))):
        parts += more
    return parts


def _write_all(file: int, data: bytes, offset: int) -> None:
    rest = memoryview(data)
    while rest:
        written = os.pwrite(file, rest, offset)
        rest, offset = rest[written:], offset + written


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
