"""A recording: every request that a disk got, in order, and what the machine promised meanwhile.

A folder holds `base.img` (the disk before), `index.bin` (one row per request), `data.bin` (what was
written), `marks.jsonl` and `info.json`. Not here: who listens (server.py), what a cut makes of it
(cuts.py).
"""

import json
import mmap
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import BinaryIO, Self

SECTOR_BYTES = 512
_ROW = struct.Struct("<BBHIQQQ")
_FUA = 1


class Kind(IntEnum):
    """The kind of a request."""

    WRITE = 1
    ZERO = 2  # write zeroes, or discard: what is read afterwards is zero, or still the old
    FLUSH = 3


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `settled`: how many requests had been answered when this one came.

    Only those can matter to the one who sent it: a flush covers them and no other.
    """

    kind: Kind
    offset: int = 0
    length: int = 0
    is_fua: bool = False
    settled: int = 0
    data_at: int = 0

    @property
    def is_change(self) -> bool:
        return self.kind is not Kind.FLUSH


@dataclass(frozen=True, slots=True)
class Mark:
    """A promise: from request `at` on `fact` may become `value`; once kept, it must have it.

    `value` None: the machine's own choice, until a stored mark shows it.
    """

    at: int
    fact: str
    value: str | None
    is_kept: bool


@dataclass(frozen=True, slots=True)
class Chapter:
    """One scenario of a recording: the requests before `end`, from where the last one ended."""

    name: str
    end: int


@dataclass(frozen=True, slots=True)
class Info:
    """What was recorded, when, on what. Only whole chapters count."""

    name: str
    date: str
    version: str = ""
    images: dict[str, str] = field(default_factory=dict)  # whole slot contents: name -> path
    proven: str = "A"  # slots that may run without a record that they are on trial
    chapters: tuple[Chapter, ...] = ()

    def chapter(self, position: int) -> str:
        """Whose the request before this position is."""
        return next((one.name for one in self.chapters if position <= one.end), "")


class Writer:
    """Appends to a recording."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._index: BinaryIO = (folder / "index.bin").open("wb")
        self._data: BinaryIO = (folder / "data.bin").open("wb")
        self._marks = (folder / "marks.jsonl").open("w", encoding="utf-8")
        self._data_at = 0

    def change(self, request: Request, payload: bytes | memoryview = b"") -> None:
        """One request; a write with its data."""
        row = (request.kind, _FUA if request.is_fua else 0, 0, request.length, request.offset)
        self._index.write(_ROW.pack(*row, self._data_at, request.settled))
        if request.kind is Kind.WRITE:
            self._data.write(payload)
            self._data_at += request.length

    def mark(self, mark: Mark) -> None:
        self._marks.write(json.dumps(asdict(mark)) + "\n")

    def flush(self) -> None:
        """So that what is there can be read while more comes."""
        for file in (self._index, self._data, self._marks):
            file.flush()

    def close(self) -> None:
        for file in (self._index, self._data, self._marks):
            file.close()


class Recording:
    """A finished recording, read."""

    def __init__(
        self,
        requests: Sequence[Request],
        data: bytes | mmap.mmap,
        marks: Sequence[Mark] = (),
        info: Info | None = None,
        base: Path | None = None,
    ) -> None:
        self.requests = requests
        self.marks = marks
        self.info = info or Info("unnamed", "")
        self.base = base
        self._data = memoryview(data)

    @classmethod
    def open(cls, folder: Path) -> Self:
        rows = _ROW.iter_unpack((folder / "index.bin").read_bytes())
        requests = [
            Request(Kind(kind), offset, length, bool(flags & _FUA), settled, data_at)
            for kind, flags, _, length, offset, data_at, settled in rows
        ]
        lines = (folder / "marks.jsonl").read_text(encoding="utf-8").splitlines()
        marks = [Mark(**json.loads(line)) for line in lines]
        info = read_info(folder)
        if info.chapters:
            requests = requests[: info.chapters[-1].end]
        return cls(requests, _mapped(folder / "data.bin"), marks, info, folder / "base.img")

    def payload(self, request: Request) -> memoryview:
        """What a change wrote."""
        if request.kind is Kind.ZERO:
            return memoryview(bytes(request.length))
        return self._data[request.data_at : request.data_at + request.length]


def read_info(folder: Path) -> Info:
    row = json.loads((folder / "info.json").read_text(encoding="utf-8"))
    row["chapters"] = tuple(Chapter(**one) for one in row["chapters"])
    return Info(**row)


def write_info(folder: Path, info: Info) -> None:
    """Written when a chapter has ended: a folder without it holds nothing whole."""
    (folder / "info.json").write_text(json.dumps(asdict(info), indent=1) + "\n", encoding="utf-8")


def _mapped(path: Path) -> bytes | mmap.mmap:
    if path.stat().st_size == 0:
        return b""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
