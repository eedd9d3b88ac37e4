"""A stretch of the recorded disk as a cut leaves it, quickly for one cut after the other.

A `Stretch` goes forward with what is sure, lays the unsure writes over it and takes them back. Not
here: which writes (cuts.py), what the bytes mean.
"""

import contextlib
import os
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path

from .cuts import Piece
from .layout import Place
from .recording import SECTOR_BYTES, Recording

_CHUNK_BYTES = 1 << 20
Key = tuple[int, tuple[Piece, ...]]


class Stretch:
    """One place of the disk, in a sparse file of its own."""

    def __init__(self, recording: Recording, place: Place, file: Path) -> None:
        assert recording.base is not None, "a recording without its disk"
        self.place = place
        self.file = file
        self._recording = recording
        self._touching = touching(recording, place)
        self._descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        self._done = 0  # how many of _touching are in the file
        copy_stretch(recording.base, place, self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)
        self.file.unlink(missing_ok=True)

    def key(self, sure: int, pieces: Sequence[Piece]) -> Key:
        """Equal keys mean equal bytes, also between two cuts."""
        mine = set(self._touching[bisect_left(self._touching, sure) :])
        rest = tuple(piece for piece in pieces if piece.index in mine)
        return bisect_left(self._touching, sure), rest

    @contextlib.contextmanager
    def at(self, key: Key) -> Iterator[int]:
        """The file's descriptor, while the file holds this state. Keys only ever go forward."""
        sure, pieces = key
        assert sure >= self._done, "cuts must come in order"
        while self._done < sure:
            self._write(Piece(self._touching[self._done]), [])
            self._done += 1
        undo: list[tuple[int, bytes]] = []
        try:
            for piece in pieces:
                self._write(piece, undo, is_undoable=True)
            yield self._descriptor
        finally:
            for offset, old in reversed(undo):
                os.pwrite(self._descriptor, old, offset)

    def _write(
        self, piece: Piece, undo: list[tuple[int, bytes]], *, is_undoable: bool = False
    ) -> None:
        for offset, data in fragments(self._recording, piece, self.place):
            if is_undoable:
                undo.append((offset, os.pread(self._descriptor, len(data), offset)))
            os.pwrite(self._descriptor, data, offset)


def touching(recording: Recording, place: Place) -> list[int]:
    """Which of the requests change something there."""
    return [
        index
        for index, request in enumerate(recording.requests)
        if request.is_change
        and request.offset < place.end
        and request.offset + request.length > place.start
    ]


def fragments(recording: Recording, piece: Piece, place: Place) -> Iterator[tuple[int, memoryview]]:
    """What a piece writes inside of a place: offsets from the place's beginning, and bytes."""
    request = recording.requests[piece.index]
    payload = recording.payload(request)
    for first, last in _runs(piece, request.length):
        start = max(request.offset + first, place.start)
        end = min(request.offset + last, place.end)
        if start < end:
            yield start - place.start, payload[start - request.offset : end - request.offset]


def _runs(piece: Piece, length: int) -> Iterator[tuple[int, int]]:
    if piece.sectors is None:
        yield 0, length
        return
    for sector in sorted(piece.sectors):
        yield sector * SECTOR_BYTES, min((sector + 1) * SECTOR_BYTES, length)


def copy_stretch(source: Path, place: Place, target: int) -> None:
    """Copy a place of an image into a file, leaving holes holes."""
    with source.open("rb") as file:
        os.ftruncate(target, place.length)
        for start, end in _data_runs(file.fileno(), place.start, place.end):
            for at in range(start, end, _CHUNK_BYTES):
                data = os.pread(file.fileno(), min(_CHUNK_BYTES, end - at), at)
                os.pwrite(target, data, at - place.start)


def copy_sparse(source: int, target: Path) -> None:
    """Copy an open file, leaving holes holes."""
    size = os.fstat(source).st_size
    descriptor = os.open(target, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.ftruncate(descriptor, size)
        for start, end in _data_runs(source, 0, size):
            at = start
            while at < end:
                at += os.copy_file_range(source, descriptor, end - at, at, at)
    finally:
        os.close(descriptor)


def _data_runs(descriptor: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    while at < end:
        try:
            begin = os.lseek(descriptor, at, os.SEEK_DATA)
        except OSError:  # nothing but a hole from here on
            return
        if begin >= end:
            return
        at = min(os.lseek(descriptor, begin, os.SEEK_HOLE), end)
        yield begin, at
