"""Whether a slot holds a whole image, decided sector by sector as writes come and go.

Nothing is hashed again for each cut: per known image one byte per sector says whether the slot has
it. Not here: which slot is booted (environment.py).
"""

import mmap
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

from .cuts import Piece
from .disk import fragments, touching
from .layout import Place
from .recording import SECTOR_BYTES, Recording

_BLOCK_BYTES = 1 << 16
_EQUAL, _OTHER = 0, 1


class Slot:
    """One slot of the recorded disk, compared with all images that it may hold."""

    def __init__(self, recording: Recording, place: Place, images: dict[str, Path]) -> None:
        assert recording.base is not None, "a recording without its disk"
        self.place = place
        self._recording = recording
        self._touching = touching(recording, place)
        self._done = 0
        self._images = {name: _Image(path) for name, path in images.items()}
        for image in self._images.values():
            image.compare(recording.base, place)

    def holds(self, sure: int, pieces: Sequence[Piece]) -> str:
        """The name of the image that the slot holds at a cut; empty when it is none, whole."""
        count = bisect_left(self._touching, sure)
        assert count >= self._done, "cuts must come in order"
        while self._done < count:
            self._write(Piece(self._touching[self._done]), [])
            self._done += 1
        mine = set(self._touching[count:])
        undo: list[tuple[_Image, int, bytes]] = []
        for piece in pieces:
            if piece.index in mine:
                self._write(piece, undo)
        held = next((name for name, image in self._images.items() if image.is_held), "")
        for image, first, flags in reversed(undo):
            image.flags[first : first + len(flags)] = flags
        return held

    def _write(self, piece: Piece, undo: "list[tuple[_Image, int, bytes]]") -> None:
        for offset, data in fragments(self._recording, piece, self.place):
            for image in self._images.values():
                undo.append((image, *image.write(offset, data)))


class _Image:
    """One known image, and which sectors of the slot differ from it."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._bytes = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        self.flags = bytearray(len(self._bytes) // SECTOR_BYTES)

    @property
    def is_held(self) -> bool:
        return _OTHER not in self.flags

    def compare(self, disk: Path, place: Place) -> None:
        """Begin with what lies in the slot."""
        with disk.open("rb") as file:
            file.seek(place.start)
            for offset in range(0, len(self._bytes), _BLOCK_BYTES):
                size = min(_BLOCK_BYTES, len(self._bytes) - offset)
                self.write(offset, memoryview(file.read(size)))

    def write(self, offset: int, data: memoryview) -> tuple[int, bytes]:
        """The slot gets this; returns what the flags were."""
        end = min(offset + len(data), len(self._bytes))
        if end <= offset:  # behind the image: a slot is larger than what it holds
            return 0, b""
        data = data[: end - offset]
        first, last = offset // SECTOR_BYTES, -(-end // SECTOR_BYTES)
        old = bytes(self.flags[first:last])
        if data == self._bytes[offset:end]:
            self.flags[first:last] = bytes(last - first)
            return first, old
        for at in range(offset, end, SECTOR_BYTES):
            stop = min(at + SECTOR_BYTES, end)
            same = data[at - offset : stop - offset] == self._bytes[at:stop]
            self.flags[at // SECTOR_BYTES] = _EQUAL if same else _OTHER
        return first, old
