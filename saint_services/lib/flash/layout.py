"""Reads the first sector of an image: its partitions, and the disk size that it needs. MBR only."""

import struct
from dataclasses import dataclass

from ..errors import Code, SaintError

SECTOR_BYTES = 512
_TABLE, _ENTRY_BYTES = 446, 16
_FAT32 = (0x0B, 0x0C)


@dataclass(frozen=True, slots=True)
class Partition:
    """One primary partition."""

    start_bytes: int
    size_bytes: int
    kind: int

    @property
    def end_bytes(self) -> int:
        """The first byte behind it."""
        return self.start_bytes + self.size_bytes

    @property
    def is_fat32(self) -> bool:
        """Whether its type in the table says so; the volume itself is checked when it is opened."""
        return self.kind in _FAT32


def partitions(first_sector: bytes) -> list[Partition]:
    """Return the used entries of the partition table, in their order."""
    if len(first_sector) < SECTOR_BYTES or first_sector[510:512] != b"\x55\xaa":
        raise SaintError(
            Code.REQUEST_INVALID,
            "the file is not a disk image: it has no partition table",
            fix="Give the image (saint-os-<version>.img.zst), not its slot (.rootfs.img).",
        )
    found = []
    for number in range(4):
        entry = first_sector[_TABLE + number * _ENTRY_BYTES :][:_ENTRY_BYTES]
        start, sectors = struct.unpack_from("<II", entry, 8)
        if sectors:
            found.append(Partition(start * SECTOR_BYTES, sectors * SECTOR_BYTES, entry[4]))
    if not found:
        raise SaintError(Code.REQUEST_INVALID, "the image's partition table is empty")
    return found


def needed_bytes(found: list[Partition]) -> int:
    """Return the size of the smallest disk that holds them."""
    return max(partition.end_bytes for partition in found)
