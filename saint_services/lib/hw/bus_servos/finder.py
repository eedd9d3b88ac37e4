"""Finds packets in a byte stream, however it is cut into reads. Pure. Not here: what a packet of a
maker is.
"""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

P = TypeVar("P")


class PacketSearch(ABC, Generic[P]):
    """Searches a stream. After a broken packet the search goes on one byte further.

    `rejected` counts broken packets where a packet was due: after a good one, and where a broken
    one would have ended. False starts met while searching are only discarded bytes.
    """

    def __init__(self) -> None:
        self.frames = 0
        self.rejected = 0
        self.discarded_bytes = 0
        self._held = b""
        self._is_due = True
        self._until_due = 0  # bytes to where the broken packet would have ended

    @abstractmethod
    def _look(self, data: bytes, start: int) -> tuple[P | None, bool, int]:
        """Return the packet that begins here, whether one is broken, and how many bytes it
        claims."""

    @property
    def is_waiting(self) -> bool:
        """Whether the beginning of a packet waits for its end."""
        return bool(self._held)

    @property
    def held_bytes(self) -> int:
        """How many bytes wait for more."""
        return len(self._held)

    def feed(self, data: bytes) -> list[P]:
        """Return the packets that are complete."""
        self._held += data
        return self._scan(is_final=False)

    def flush(self) -> list[P]:
        """Search what is held once more: nothing follows."""
        found = self._scan(is_final=True)
        self._is_due, self._until_due = True, 0
        return found

    def _scan(self, *, is_final: bool) -> list[P]:
        found: list[P] = []
        data, start = self._held, 0
        while start < len(data):
            packet, is_broken, claimed = self._look(data, start)
            if packet is not None:
                found.append(packet)
                self.frames += 1
                self._is_due, self._until_due = True, 0
                start += claimed
                continue
            if claimed > len(data) - start:
                if not is_final:
                    break
                is_broken = False
            self._skip(claimed if is_broken else 0, is_broken=is_broken)
            start += 1
        self._held = data[start:]
        return found

    def _skip(self, claimed: int, *, is_broken: bool) -> None:
        self.discarded_bytes += 1
        if self._is_due:
            self.rejected += is_broken
            self._is_due = False
            self._until_due = claimed
        if self._until_due:
            self._until_due -= 1
            self._is_due = not self._until_due
