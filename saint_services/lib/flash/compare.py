"""Compares a card with its image. Writes nothing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import Code, SaintError
from .block_map import BlockMap
from .layout import partitions
from .writer import EVERYTHING


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result. The first partition holds settings, so it is compared apart."""

    first_difference_bytes: int | None
    has_own_settings: bool
    size_bytes: int


def compare(
    chunks: Iterator[bytes],
    card: Path,
    progress: Callable[[int], None],
    block_map: BlockMap = EVERYTHING,
) -> Comparison:
    """Read card and image from front to end; what need not be written may differ."""
    position = 0
    difference: int | None = None
    own_settings = False
    edges = (0, 0)
    try:
        with card.open("rb") as medium:
            for chunk in chunks:
                if position == 0:
                    first = partitions(chunk)[0]
                    edges = (first.start_bytes, first.end_bytes)
                if block_map.may_skip(position, chunk):
                    position = medium.seek(position + len(chunk))
                    progress(position)
                    continue
                found = medium.read(len(chunk))
                for start, stop, is_settings in _pieces(position, len(chunk), edges):
                    piece = slice(start - position, stop - position)
                    if chunk[piece] == found[piece]:
                        continue
                    if is_settings:
                        own_settings = True
                    elif difference is None:
                        difference = start + _first(chunk[piece], found[piece])
                position += len(chunk)
                progress(position)
    except OSError as err:
        what = f"{card} cannot be read: {err.strerror}"
        raise SaintError(
            Code.HARDWARE_FAULT, what, fix="Run the command with sudo, or check the card."
        ) from err
    return Comparison(difference, own_settings, position)


def _pieces(position: int, length: int, edges: tuple[int, int]) -> Iterator[tuple[int, int, bool]]:
    """Yield the parts of a chunk: before, within and behind the first partition."""
    start, stop = (max(position, min(edge, position + length)) for edge in edges)
    yield position, start, False
    yield start, stop, True
    yield stop, position + length, False


def _first(expected: bytes, found: bytes) -> int:
    pairs = zip(expected, found, strict=False)
    same = next((place for place, (a, b) in enumerate(pairs) if a != b), None)
    return len(found) if same is None else same
