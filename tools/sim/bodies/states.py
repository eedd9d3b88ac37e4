"""Stores the last state of a role's bodies in a mapped file, from which a later process resumes and
others compute the present state. Two slots and a count, as in records.py: a reader never sees half
of a state. Not here: how bodies move (plant.py).
"""

from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

from saint_services.lib.records import map_file

FILE = "motion"  # and the role: each is moved by its own process
_HEAD = 2  # words: which bodies, count of writes


class States:
    """State file of a role; one with other `names` of numbers counts as empty."""

    def __init__(self, directory: Path, role: str, names: Sequence[str]) -> None:
        self._size = len(names)
        self._key = crc32("\n".join(names).encode()) or 1
        self._map = map_file(directory / f"{FILE}.{role}", 8 * (_HEAD + 2 * (1 + self._size)))
        self._words = memoryview(self._map).cast("Q")
        self._numbers = memoryview(self._map).cast("d")

    def store(self, stamp_ns: int, values: Sequence[float]) -> None:
        """Store the state of a moment."""
        words, numbers = self._words, self._numbers
        count = words[1] + 1 if words[0] == self._key else 1
        at = self._slot(count)
        words[at] = stamp_ns
        for index, value in enumerate(values, at + 1):
            numbers[index] = value
        words[1] = count
        words[0] = self._key

    def load(self) -> tuple[int, tuple[float, ...]] | None:
        """Load the newest state: CLOCK_MONOTONIC and values."""
        while self._words[0] == self._key and (count := self._words[1]):
            at = self._slot(count)
            stamp_ns = self._words[at]
            values = tuple(self._numbers[at + 1 : at + 1 + self._size])
            if self._words[1] == count:
                return stamp_ns, values
        return None

    def close(self) -> None:
        """Unmap; the state stays."""
        self._words.release()
        self._numbers.release()
        self._map.close()

    def _slot(self, count: int) -> int:
        return _HEAD + (count & 1) * (1 + self._size)
