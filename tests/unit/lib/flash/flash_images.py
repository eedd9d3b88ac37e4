"""Small disk images for the tests of flashing: a partition table, a FAT32, some content."""

import random
import struct

MIB = 1 << 20
FAT_START, FAT_BYTES = 4 * MIB, 34 * MIB  # hardly more than a FAT32 must have
SECTOR = 512


def fat32(size_bytes: int = FAT_BYTES) -> bytearray:
    """An empty FAT32 volume, one sector per cluster, as mkfs.fat -F 32 -s 1 lays it out."""
    sectors = size_bytes // SECTOR
    reserved, fat_sectors = 32, -(-sectors * 4 // SECTOR)
    data = bytearray(size_bytes)
    struct.pack_into("<3s8sHBHBHHBHHHII", data, 0, b"\xeb\x58\x90", b"saint   ", SECTOR, 1,
                     reserved, 2, 0, 0, 0xF8, 0, 32, 2, 0, sectors)  # fmt: skip
    struct.pack_into("<IHHIHH", data, 36, fat_sectors, 0, 0, 2, 1, 6)
    struct.pack_into("<BBBI11s8s", data, 64, 0x80, 0, 0x29, 1, b"NO NAME    ", b"FAT32   ")
    data[510:512] = b"\x55\xaa"
    data[6 * SECTOR : 7 * SECTOR] = data[:SECTOR]
    for info in (1, 7):
        struct.pack_into("<I480xIII", data, info * SECTOR, 0x41615252, 0x61417272, 0xFFFFFFFF, 2)
        data[info * SECTOR + 510 : info * SECTOR + 512] = b"\x55\xaa"
    for copy in range(2):
        place = (reserved + copy * fat_sectors) * SECTOR
        struct.pack_into("<III", data, place, 0x0FFFFFF8, 0x0FFFFFFF, 0x0FFFFFFF)
    return data


def disk_image(*, small: bool = False) -> bytes:
    """FAT32 from 4 MiB, a second partition with arbitrary content, some of it zeros. `small`:
    the first partition is a mebibyte of noise, where a test does not need it.
    """
    noise = random.Random(1)
    tail_bytes = 5 * MIB + 1536
    tail = noise.randbytes(tail_bytes // 2).ljust(tail_bytes, b"\0")
    first = noise.randbytes(MIB) if small else fat32()
    image = bytearray(noise.randbytes(MIB)).ljust(FAT_START, b"\0") + first + tail
    table = bytearray(64)
    for number, (start, size, kind) in enumerate(
        ((FAT_START, len(first), 0x0C), (FAT_START + len(first), tail_bytes, 0x83))
    ):
        entry = (0, kind, start // SECTOR, size // SECTOR)
        struct.pack_into("<B3xB3xII", table, 16 * number, *entry)
    image[446:510] = table
    image[510:512] = b"\x55\xaa"
    return bytes(image)
