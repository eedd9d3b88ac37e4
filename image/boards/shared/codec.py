"""Packs and unpacks the messages of the generated tables."""

import struct
from math import isfinite

FORMAT, MAGIC, ALLOWED, SCALES, SIZES = 1, 2, 3, 4, 5


def pack(row: tuple, *values) -> bytes:
    """Return the bytes of a message. Raises ValueError for a value that cannot be carried."""
    if len(values) != len(row[SCALES]):
        raise ValueError(f"{len(values)} values where {len(row[SCALES])} are needed")
    raw = []
    for value, scale, allowed in zip(values, row[SCALES], row[ALLOWED]):
        number = round(value * scale) if scale != 1 else value
        if not _may(number, allowed):
            raise ValueError(f"{value} cannot be sent")
        raw.append(number)
    data = row[MAGIC] + struct.pack(row[FORMAT], *raw)
    return data + bytes(row[SIZES][-1] - len(data))


def unpack(row: tuple, data: bytes) -> "tuple | None":
    """Return the values of a message, or None for what cannot be one."""
    magic = row[MAGIC]
    if len(data) not in row[SIZES] or data[: len(magic)] != magic:
        return None
    size = struct.calcsize(row[FORMAT])
    raw = struct.unpack(row[FORMAT], data[len(magic) : len(magic) + size])
    for number, allowed in zip(raw, row[ALLOWED]):
        if not _may(number, allowed):
            return None
    return tuple(n if scale == 1 else n / scale for n, scale in zip(raw, row[SCALES]))


def _may(number, allowed) -> bool:
    """Return whether a number is finite, and among the allowed ones."""
    if isinstance(number, float):
        return isfinite(number)
    if allowed is None:
        return True
    least, most, step = allowed
    return least <= number <= most and (number - least) % step == 0
