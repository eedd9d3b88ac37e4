"""Where things lie on the disk: the two copies of the boot environment and the four partitions.

The partition table is read from the disk itself, because the first boot changes it. Not here: what
the places hold.
"""

import struct
from dataclasses import dataclass

from .recording import SECTOR_BYTES

ENV_BYTES = 0x4000
ENV_OFFSETS = (0x100000, 0x110000)
DISK_ID = 0x20240001
TABLE_BYTES = SECTOR_BYTES

_ENTRY = struct.Struct("<B3sB3sII")


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of the disk."""

    name: str
    start: int
    length: int

    @property
    def end(self) -> int:
        return self.start + self.length


class LayoutError(Exception):
    """The partition table is not one of ours."""


FIRMWARE, SLOT_A, SLOT_B, DATA = "firmware", "A", "B", "data"
_NAMES = (FIRMWARE, SLOT_A, SLOT_B, DATA)
ENVIRONMENT = Place("environment", ENV_OFFSETS[0], ENV_OFFSETS[1] + ENV_BYTES - ENV_OFFSETS[0])
TABLE = Place("table", 0, TABLE_BYTES)


def partitions(table: bytes) -> dict[str, Place]:
    """The four partitions by name, from the first sector."""
    if table[510:512] != b"\x55\xaa":
        raise LayoutError("the first sector has no partition table")
    (disk_id,) = struct.unpack_from("<I", table, 440)
    if disk_id != DISK_ID:
        raise LayoutError(f"the disk's id is {disk_id:08x}, not {DISK_ID:08x}")
    places = {}
    for number, name in enumerate(_NAMES):
        *_, start, count = _ENTRY.unpack_from(table, 446 + 16 * number)
        if not count:
            raise LayoutError(f"partition {number + 1} ({name}) is missing")
        places[name] = Place(name, start * SECTOR_BYTES, count * SECTOR_BYTES)
    return places
