"""A second implementation of the wire format of protocol buffers: tags, varints, fixed 32 bits and
nested messages, typed from the public encoding guide. It knows no message."""

import struct
from collections.abc import Iterable

Value = int | float | bytes | list[float]


def varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; negative numbers as 64 bits."""
    number &= (1 << 64) - 1
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes(found + bytes([number]))


def message(fields: Iterable[tuple[int, Value]]) -> bytes:
    """Encode fields in this order; zero is left out, as proto3 does, an empty message is not."""
    return b"".join(_field(number, value) for number, value in fields)


def _field(number: int, value: Value) -> bytes:
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, list):
        packed = b"".join(struct.pack("<f", each) for each in value)
        return varint(number << 3 | 2) + varint(len(packed)) + packed if value else b""
    if isinstance(value, float):
        data = struct.pack("<f", value)
        return varint(number << 3 | 5) + data if data != bytes(4) else b""
    return varint(number << 3) + varint(value) if value else b""
