"""A file of numbers that several processes map: the values of simulated outputs. Like a real pin, a
value outlives the process that wrote it. Standard library only: the guard writes it.

A record has two slots and a count of writes that says which slot is valid: the writer fills the
other slot, then raises the count. So a reader never sees a partial write, and a writer that is
killed in between leaves the old value valid. Words are 8 bytes, each written by one store.
"""

import mmap
import os
from time import monotonic_ns
from typing import NamedTuple

WORDS = 16  # per record: count, 2 x (value, stamp), kind, owner, unused, 8 words of text
TEXT_AT, TEXT_BYTES = 8, 64
_COUNT, _SLOTS, _KIND, _OWNER = 0, 1, 5, 6


class RecordReading(NamedTuple):
    """The newest complete write of a record."""

    value: float
    writes: int
    stamp_ns: int  # CLOCK_MONOTONIC


class Records:
    """`count` records in a file, which is created if missing."""

    def __init__(self, path: "str | os.PathLike[str]", count: int) -> None:
        self._map = map_file(path, count * WORDS * 8)
        view = memoryview(self._map)
        self._words = view.cast("Q")
        self._numbers = view.cast("d")
        self.count = count

    def write(self, index: int, value: float) -> None:
        """Write a value."""
        base = index * WORDS
        count = self._words[base] + 1
        slot = base + _SLOTS + 2 * (count & 1)
        self._numbers[slot] = value
        self._words[slot + 1] = monotonic_ns()
        self._words[base] = count

    def read(self, index: int) -> RecordReading:
        """Read the newest complete write."""
        base = index * WORDS
        while True:  # ends unless a writer overtakes the reader twice in every pass
            count = self._words[base]
            slot = base + _SLOTS + 2 * (count & 1)
            reading = RecordReading(self._numbers[slot], count, self._words[slot + 1])
            if self._words[base] == count:
                return reading

    def label(self, index: int, kind: int, owner: int, text: str) -> None:
        """Set kind, owner and text of a record."""
        base = index * WORDS
        self._words[base + _KIND] = kind
        self._words[base + _OWNER] = owner
        start = (base + TEXT_AT) * 8
        self._map[start : start + TEXT_BYTES] = text.encode()[:TEXT_BYTES].ljust(TEXT_BYTES, b"\0")

    def labels(self, index: int) -> tuple[int, int, str]:
        """Return kind, owner and text of a record."""
        base = index * WORDS
        start = (base + TEXT_AT) * 8
        text = self._map[start : start + TEXT_BYTES].rstrip(b"\0").decode(errors="replace")
        return self._words[base + _KIND], self._words[base + _OWNER], text

    def close(self) -> None:
        """Unmap the file; the file remains."""
        self._words.release()
        self._numbers.release()
        self._map.close()


def map_file(path: "str | os.PathLike[str]", size: int) -> mmap.mmap:
    """Map a file of `size` bytes; a new file is zero."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o660)
    try:
        if os.fstat(descriptor).st_size < size:
            os.ftruncate(descriptor, size)
        return mmap.mmap(descriptor, size)
    finally:
        os.close(descriptor)
