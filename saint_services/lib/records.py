"""A file of numbers that several processes map: what a simulated output was set to. Like a real pin
it keeps its value when the process that wrote it dies. Standard library only: the guard writes it.

A record holds two slots and a count of writes that says which of them is valid: the writer fills
the other slot, then raises the count. So a reader never sees half of a write, and a writer that is
killed in between leaves the old value standing. Words are 8 bytes, written by one store each.
"""

import mmap
import os
from time import monotonic_ns
from typing import NamedTuple

WORDS = 16  # per record: count, 2 x (value, stamp), kind, owner, spare, 8 words of text
TEXT_AT, TEXT_BYTES = 8, 64
_COUNT, _SLOTS, _KIND, _OWNER = 0, 1, 5, 6


class Reading(NamedTuple):
    """The newest write of a record."""

    value: float
    writes: int
    stamp_ns: int  # CLOCK_MONOTONIC


class Records:
    """`count` records in a file that is made when it is missing."""

    def __init__(self, path: "str | os.PathLike[str]", count: int) -> None:
        self._map = map_file(path, count * WORDS * 8)
        view = memoryview(self._map)
        self._words = view.cast("Q")
        self._numbers = view.cast("d")
        self.count = count

    def write(self, index: int, value: float) -> None:
        """Set the value now."""
        base = index * WORDS
        count = self._words[base] + 1
        slot = base + _SLOTS + 2 * (count & 1)
        self._numbers[slot] = value
        self._words[slot + 1] = monotonic_ns()
        self._words[base] = count

    def read(self, index: int) -> Reading:
        """The newest complete write."""
        base = index * WORDS
        while True:  # ends: a writer would have to overtake us twice in every pass
            count = self._words[base]
            slot = base + _SLOTS + 2 * (count & 1)
            reading = Reading(self._numbers[slot], count, self._words[slot + 1])
            if self._words[base] == count:
                return reading

    def label(self, index: int, kind: int, owner: int, text: str) -> None:
        """Say what the record is and which process holds it."""
        base = index * WORDS
        self._words[base + _KIND] = kind
        self._words[base + _OWNER] = owner
        start = (base + TEXT_AT) * 8
        self._map[start : start + TEXT_BYTES] = text.encode()[:TEXT_BYTES].ljust(TEXT_BYTES, b"\0")

    def labels(self, index: int) -> tuple[int, int, str]:
        """Kind, owner and text of a record."""
        base = index * WORDS
        start = (base + TEXT_AT) * 8
        text = self._map[start : start + TEXT_BYTES].rstrip(b"\0").decode(errors="replace")
        return self._words[base + _KIND], self._words[base + _OWNER], text

    def close(self) -> None:
        """Give the mapping back; the file stays."""
        self._words.release()
        self._numbers.release()
        self._map.close()


def map_file(path: "str | os.PathLike[str]", size: int) -> mmap.mmap:
    """Map a file of exactly `size` bytes, zeroes where it is new."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o660)
    try:
        if os.fstat(descriptor).st_size < size:
            os.ftruncate(descriptor, size)
        return mmap.mmap(descriptor, size)
    finally:
        os.close(descriptor)
