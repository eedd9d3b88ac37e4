"""Which states a power cut can leave: what was surely on the disk, and what may or may not be.

A write is sure once a flush that covers it was answered, or when it was itself forced (FUA) and
answered. Of all others any may be missing, any may be torn between two sectors. Pure: the same
seed gives the same cuts. Not here: the bytes (disk.py), what makes a state bad (judge.py).
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from .recording import SECTOR_BYTES, Kind, Request


class Shape(StrEnum):
    """What becomes of the writes that are not sure."""

    ALL = "all"  # the cut came right after an answer; everything is on the disk
    NONE = "none"  # the disk kept nothing that it had not promised
    TORN = "torn"  # everything, but the last write only in part
    LOST = "lost"  # everything but one
    ONLY = "only"  # one alone
    SOME = "some"  # any
    SHREDS = "shreds"  # any, and each in part


@dataclass(frozen=True, slots=True)
class Cut:
    """After `position` requests, of which the first `settled` had been answered."""

    position: int
    settled: int
    shape: Shape
    number: int = 0

    def __str__(self) -> str:
        return f"{self.position}.{self.settled}.{self.shape}.{self.number}"

    @classmethod
    def parse(cls, text: str) -> "Cut":
        position, settled, shape, number = text.split(".")
        return cls(int(position), int(settled), Shape(shape), int(number))


@dataclass(frozen=True, slots=True)
class Piece:
    """A change that reached the disk; `sectors`: only these of it, None for all."""

    index: int
    sectors: frozenset[int] | None = None


class Timeline:
    """What is sure at each moment of a recording."""

    def __init__(self, requests: Sequence[Request]) -> None:
        self.requests = requests
        self._covered = [0]  # by the flushes among the first n
        for request in requests:
            covers = request.settled if request.kind is Kind.FLUSH else 0
            self._covered.append(max(self._covered[-1], covers))

    def sure(self, settled: int) -> int:
        """All changes before this one are on the disk when `settled` requests were answered."""
        return self._covered[settled]

    def open(self, position: int, settled: int) -> tuple[list[int], list[int]]:
        """Of the changes after that: the forced ones, which are sure as well; and those that may
        be missing."""
        forced: list[int] = []
        unsure: list[int] = []
        for index in range(self.sure(settled), position):
            request = self.requests[index]
            if not request.is_change:
                continue
            (forced if request.is_fua and index < settled else unsure).append(index)
        return forced, unsure

    def pieces(self, cut: Cut, seed: int) -> tuple[int, list[Piece]]:
        """(n, rest): the disk holds the first n requests and then, in order, the rest."""
        forced, unsure = self.open(cut.position, cut.settled)
        kept = self._kept(cut, unsure, seed)
        pieces = [Piece(index) for index in forced] + kept
        return self.sure(cut.settled), sorted(pieces, key=lambda piece: piece.index)

    def _kept(self, cut: Cut, unsure: list[int], seed: int) -> list[Piece]:
        chance = random.Random(f"{seed} {cut}")
        whole = [Piece(index) for index in unsure]
        match cut.shape:
            case Shape.ALL:
                return whole
            case Shape.NONE:
                return []
            case Shape.TORN:
                return whole[:-1] + [self._torn(index, chance) for index in unsure[-1:]]
            case Shape.LOST:
                lost = chance.randrange(len(whole)) if whole else 0
                return whole[:lost] + whole[lost + 1 :]
            case Shape.ONLY:
                return [chance.choice(whole)] if whole else []
            case Shape.SOME:
                share = chance.choice((0.1, 0.5, 0.9))
                return [piece for piece in whole if chance.random() < share]
            case Shape.SHREDS:
                some = [index for index in unsure if chance.random() < 0.7]
                return [self._torn(index, chance) for index in some]

    def _torn(self, index: int, chance: random.Random) -> Piece:
        count = self.requests[index].length // SECTOR_BYTES
        if count <= 1:
            return Piece(index)  # a sector is written whole or not at all
        edge = chance.randrange(1, count)
        order = chance.choice(("front", "back", "any"))
        if order == "any":
            kept = frozenset(n for n in range(count) if chance.random() < 0.5)
        else:
            kept = frozenset(range(edge) if order == "front" else range(edge, count))
        return Piece(index, kept)


def every_cut(timeline: Timeline, wanted: int, seed: int) -> list[Cut]:
    """At least every moment of the recording, and more shapes of each up to `wanted` cuts.

    Moments with something at stake get the further shapes in turn, so that long runs of the same
    kind of write do not take all.
    """
    cuts: dict[Cut, None] = {}
    moments = list(_moments(timeline.requests))
    for position, settled in moments:
        cuts[Cut(position, settled, Shape.ALL)] = None
    # The moments that lie thin first: each flush, and what is around it.
    rest = [m for m in moments if len(timeline.open(*m)[1]) > 0]
    chance = random.Random(f"{seed} order")
    chance.shuffle(rest)
    number = 0
    while rest and len(cuts) < wanted:
        for shape in _FURTHER:
            for position, settled in rest:
                if len(cuts) >= wanted:
                    break
                cuts[Cut(position, settled, shape, number)] = None
        number += 1
    return sorted(cuts, key=lambda cut: (cut.settled, cut.position, cut.shape, cut.number))


_FURTHER = (Shape.NONE, Shape.TORN, Shape.SOME, Shape.LOST, Shape.SHREDS, Shape.ONLY)


def _moments(requests: Sequence[Request]) -> Iterator[tuple[int, int]]:
    """While a request is under way, and after its answer."""
    yield 0, 0
    for position, request in enumerate(requests, start=1):
        if request.is_change:
            yield position, request.settled
        yield position, position
