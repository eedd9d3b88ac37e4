"""Adds files to the image's first partition while the image streams by, before it is written: no
mounting, no second write, and the verified content is the final one. Not here: the content of the
files (setup's settings), the file system itself (fat.py).
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from ..errors import Code, SaintError
from .fat import Fat32
from .layout import Partition, partitions

_LARGEST_BYTES = 512 << 20  # of a first partition: it is held in memory


def with_files(
    chunks: Iterator[bytes], files: Mapping[str, bytes], when: datetime
) -> Iterator[bytes]:
    """Yield the same image with `files` in the root folder of its first partition."""
    if not files:
        yield from chunks
        return
    first = next(chunks, b"")
    partition = _first_partition(first)
    held = bytearray()
    position = 0
    for chunk in _again(first, chunks):
        inside = slice(*(_clip(edge - position, len(chunk)) for edge in _edges(partition)))
        yield chunk[: inside.start]
        held += chunk[inside]
        if len(held) == partition.size_bytes and inside.stop > inside.start:
            _put(held, files, when)
            yield bytes(held)
        yield chunk[inside.stop :]
        position += len(chunk)
    if len(held) < partition.size_bytes:
        raise SaintError(Code.RELEASE_INVALID, "the image ends within its first partition")


def _first_partition(first: bytes) -> Partition:
    partition = partitions(first)[0]
    if not partition.is_fat32 or partition.size_bytes > _LARGEST_BYTES:
        raise SaintError(
            Code.REQUEST_INVALID,
            "the image's first partition cannot hold settings: it is not the FAT32 of this system",
            fix="Leave out --role, --hostname, --wifi-ssid, --ssh-key and --claim-file.",
        )
    return partition


def _put(volume: bytearray, files: Mapping[str, bytes], when: datetime) -> None:
    fat = Fat32(volume)
    for name, content in files.items():
        fat.write(name, content, when)


def _edges(partition: Partition) -> tuple[int, int]:
    return partition.start_bytes, partition.end_bytes


def _clip(edge: int, length: int) -> int:
    return max(0, min(edge, length))


def _again(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest
