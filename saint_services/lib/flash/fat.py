"""Reads and writes single files in the root folder of a FAT32 volume held in memory: this puts
settings onto a card that is not mounted. Not here: folders below the root, FAT12 and FAT16, and
finding the volume on its disk (preset.py). Layout: Microsoft's "FAT File System Specification" of
2000, whose field names stand in comments.
"""

import struct
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from ..errors import Code, SaintError

_ENTRY_BYTES = 32
_FREE, _END = 0xE5, 0x00  # first byte of an entry: deleted; never used, and none after it
_LONG_NAME = 0x0F
_VOLUME_LABEL = 0x08
_ARCHIVE = 0x20
_LAST_PART = 0x40
_CLUSTER = 0x0FFF_FFFF  # the upper four bits of a FAT entry are reserved
_CHAIN_END = 0x0FFF_FFF8
_FEWEST_CLUSTERS = 65_525  # with fewer the same fields mean FAT16
_LONG_CHARS = 13  # UTF-16 units in one entry of a long name
_LONG_PLACES = (slice(1, 11), slice(14, 26), slice(28, 32))
_LARGEST_BYTES = 1 << 20  # of a written file: settings, never more


@dataclass(frozen=True, slots=True)
class _Found:
    """A file's entries: offsets of all of them in the volume, the short one last."""

    offsets: tuple[int, ...]
    cluster: int
    size_bytes: int


class Fat32:
    """The volume in `data`, which is changed in place."""

    def __init__(self, data: bytearray) -> None:
        self._data = data
        self._sector_bytes = _word(data, 11)  # BPB_BytsPerSec
        per_cluster = data[13] if len(data) > 512 else 0  # BPB_SecPerClus
        fat16_sectors, fat_sectors = _word(data, 22), _long(data, 36)  # BPB_FATSz16, BPB_FATSz32
        plausible = self._sector_bytes in (512, 1024, 2048, 4096) and per_cluster
        if not plausible or fat16_sectors or not fat_sectors or data[510:512] != b"\x55\xaa":
            raise SaintError(Code.REQUEST_INVALID, "the image's first partition is not FAT32")
        self._cluster_bytes = per_cluster * self._sector_bytes
        reserved, copies = _word(data, 14), data[16]  # BPB_RsvdSecCnt, BPB_NumFATs
        fat_bytes = fat_sectors * self._sector_bytes
        first = reserved * self._sector_bytes
        self._fats = [first + copy * fat_bytes for copy in range(copies)]
        self._start = first + copies * fat_bytes
        sectors = _long(data, 32)  # BPB_TotSec32
        count = (sectors * self._sector_bytes - self._start) // self._cluster_bytes
        self._info = _word(data, 48) * self._sector_bytes  # BPB_FSInfo
        is_whole = sectors * self._sector_bytes <= len(data) and self._info < first and copies
        if count < _FEWEST_CLUSTERS or not is_whole:
            raise SaintError(Code.REQUEST_INVALID, "the image's first partition is not FAT32")
        self._last = count + 1  # clusters are counted from 2
        self._root = _long(data, 44)  # BPB_RootClus

    def read(self, name: str) -> bytes | None:
        """Return the content of a file in the root folder; None when there is none."""
        found = self._find(name)
        if found is None:
            return None
        clusters = self._chain(found.cluster) if found.cluster else []
        content = b"".join(bytes(self._cluster(number)) for number in clusters)
        return content[: found.size_bytes]

    def write(self, name: str, content: bytes, when: datetime) -> None:
        """Make or replace a file in the root folder."""
        if len(content) > _LARGEST_BYTES:
            raise SaintError(Code.TOO_LARGE, f"{name} has {len(content)} bytes; the limit is 1 MiB")
        self.remove(name)
        chain = self._allocate(-(-len(content) // self._cluster_bytes))
        for place, number in enumerate(chain):
            part = content[place * self._cluster_bytes :][: self._cluster_bytes]
            self._cluster(number)[:] = part.ljust(self._cluster_bytes, b"\0")
        first = chain[0] if chain else 0
        entries = _entries(name, self._short_name(name), first, len(content), when)
        offsets = self._room(len(entries))
        for offset, entry in zip(offsets, entries, strict=True):
            self._data[offset : offset + _ENTRY_BYTES] = entry
        self._write_free_count()

    def remove(self, name: str) -> None:
        """Remove a file and wipe its content, which may have been a secret."""
        found = self._find(name)
        if found is None:
            return
        for offset in found.offsets:
            self._data[offset] = _FREE
        for number in self._chain(found.cluster) if found.cluster else []:
            self._cluster(number)[:] = bytes(self._cluster_bytes)
            self._set(number, 0)
        self._write_free_count()

    def _find(self, name: str) -> _Found | None:
        for found_name, found in self._files():
            if found_name.casefold() == name.casefold():
                return found
        return None

    def _files(self) -> Iterator[tuple[str, _Found]]:
        """Yield every entry but deleted ones and the label, by its long name if it has one."""
        parts: list[tuple[int, str]] = []
        for offset in self._slots():
            entry = self._data[offset : offset + _ENTRY_BYTES]
            if entry[0] == _END:
                return
            if entry[0] == _FREE:
                parts = []
            elif entry[11] == _LONG_NAME:
                units = b"".join(entry[place] for place in _LONG_PLACES)
                parts.append((offset, units.decode("utf-16-le", "replace")))
            else:
                long = "".join(text for _, text in reversed(parts)).split("\0")[0]
                offsets = (*(place for place, _ in parts), offset)
                cluster = _word(entry, 20) << 16 | _word(entry, 26)
                if not entry[11] & _VOLUME_LABEL:
                    yield long or _shown(entry), _Found(offsets, cluster, _long(entry, 28))
                parts = []

    def _slots(self) -> Iterator[int]:
        """Yield the offset of every entry of the root folder, used or not."""
        for number in self._chain(self._root):
            start = self._offset(number)
            yield from range(start, start + self._cluster_bytes, _ENTRY_BYTES)

    def _room(self, count: int) -> list[int]:
        """Return offsets of `count` unused entries in a row; the folder grows when needed."""
        run: list[int] = []
        for offset in self._slots():
            run = [*run, offset] if self._data[offset] in (_FREE, _END) else []
            if len(run) == count:
                return run
        last = self._chain(self._root)[-1]
        (new,) = self._allocate(1)
        self._set(last, new)
        self._cluster(new)[:] = bytes(self._cluster_bytes)
        return self._room(count)

    def _short_name(self, name: str) -> bytes:
        """Return a free 8.3 name: SAINT~1.YAM for saint.yaml."""
        stem, _, ending = name.rpartition(".") if "." in name else (name, "", "")
        base, short_ending = _plain(stem)[:6] or "FILE", _plain(ending)[:3]
        shorts = (found.offsets[-1] for _, found in self._files())
        taken = {bytes(self._data[offset : offset + 11]) for offset in shorts}
        for number in range(1, 1000):
            short = f"{base[: 7 - len(str(number))]}~{number}".ljust(8) + short_ending.ljust(3)
            if short.encode("ascii") not in taken:
                return short.encode("ascii")
        raise SaintError(Code.DISK_FULL, f"the card's first partition has no short name for {name}")

    def _allocate(self, count: int) -> list[int]:
        """Allocate `count` clusters, chained in order."""
        table = self._table()
        chain: list[int] = []
        for _ in range(count):
            try:
                chain.append(table.index(0, chain[-1] + 1 if chain else 2))
            except ValueError:
                what = "the image's first partition is full"
                raise SaintError(Code.DISK_FULL, what) from None
        for place, number in enumerate(chain):
            self._set(number, chain[place + 1] if place + 1 < count else _CLUSTER)
        return chain

    def _table(self) -> "array[int]":
        """The first FAT: the successor of each cluster, 0 for a free one."""
        start = self._fats[0]
        table = array("I", self._data[start : start + 4 * (self._last + 1)])
        if sys.byteorder == "big":
            table.byteswap()
        return table

    def _chain(self, first: int) -> list[int]:
        chain: list[int] = []
        following = first
        while following < _CHAIN_END:
            if not 2 <= following <= self._last or len(chain) > self._last:
                raise SaintError(Code.REQUEST_INVALID, "the image's first partition is damaged")
            chain.append(following)
            following = self._get(following)
        return chain

    def _get(self, number: int) -> int:
        return _long(self._data, self._fats[0] + 4 * number) & _CLUSTER

    def _set(self, number: int, following: int) -> None:
        for fat in self._fats:
            place = fat + 4 * number
            kept = _long(self._data, place) & ~_CLUSTER
            struct.pack_into("<I", self._data, place, kept | following)

    def _offset(self, number: int) -> int:
        return self._start + (number - 2) * self._cluster_bytes

    def _cluster(self, number: int) -> memoryview:
        offset = self._offset(number)
        return memoryview(self._data)[offset : offset + self._cluster_bytes]

    def _write_free_count(self) -> None:
        """Write FSInfo: the number of free clusters (FSI_Free_Count), where to search
        (FSI_Nxt_Free)."""
        table = self._table()
        count = table[2:].count(0)
        hint = table.index(0, 2) if count else 0xFFFF_FFFF
        struct.pack_into("<II", self._data, self._info + 488, count, hint)


def _entries(name: str, short: bytes, cluster: int, size: int, when: datetime) -> list[bytes]:
    """Return a file's directory entries: the long name's parts, last part first, then the short
    one."""
    checksum = 0
    for byte in short:
        checksum = ((checksum & 1) << 7) + (checksum >> 1) + byte & 0xFF
    units = name.encode("utf-16-le")
    parts = -(-len(name) // _LONG_CHARS)
    if len(name) % _LONG_CHARS:
        units += b"\0\0"
    units = units.ljust(parts * _LONG_CHARS * 2, b"\xff")
    entries = []
    for number in range(parts, 0, -1):
        part = units[(number - 1) * _LONG_CHARS * 2 :][: _LONG_CHARS * 2]
        order = number | (_LAST_PART if number == parts else 0)
        head = struct.pack("<B10sBBB", order, part[:10], _LONG_NAME, 0, checksum)
        entries.append(head + part[10:22] + b"\0\0" + part[22:26])
    date = max(0, when.year - 1980) << 9 | when.month << 5 | when.day
    time = when.hour << 11 | when.minute << 5 | when.second // 2
    high, low = cluster >> 16, cluster & 0xFFFF
    fields = (short, _ARCHIVE, 0, 0, time, date, date, high, time, date, low, size)
    entries.append(struct.pack("<11sBBBHHHHHHHI", *fields))
    return entries


def _plain(text: str) -> str:
    """Keep the characters that every 8.3 name may have."""
    return "".join(char for char in text.upper() if char.isascii() and char.isalnum())


def _shown(entry: bytes | bytearray) -> str:
    """Return a short entry's name in its usual form."""
    stem = entry[:8].decode("cp437").rstrip()
    ending = entry[8:11].decode("cp437").rstrip()
    return f"{stem}.{ending}" if ending else stem


def _word(data: bytes | bytearray, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 2], "little")


def _long(data: bytes | bytearray, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 4], "little")
