"""Packets of Feetech's servos: encodes instructions and statuses, and finds packets in a stream of
bytes. Pure. Not here: which packet answers which (dialogue.py).

A packet is FF FF, id, length, code, parameters, checksum; the code is an instruction, in a status
its error bits. Source: Feetech's "Communication protocol manual" of SCS and SMS servos.
"""

from collections.abc import Iterable, Mapping
from enum import IntEnum, IntFlag
from typing import NamedTuple

from ..bus_servos.finder import PacketSearch
from ..bus_servos.port import RegisterBlock

HEADER = b"\xff\xff"
BROADCAST = 254
MOST_ID = 253
MOST_PARAMETERS = 246  # a packet has 250 bytes at most, of which some servos hold no more
FRAME_BYTES = 6  # beside the parameters


class Code(IntEnum):
    """The instructions."""

    PING = 0x01
    READ = 0x02
    WRITE = 0x03
    REG_WRITE = 0x04
    ACTION = 0x05
    RESET = 0x06
    SYNC_READ = 0x82
    SYNC_WRITE = 0x83


class ErrorBit(IntFlag):
    """The error bits of a status."""

    VOLTAGE = 1
    ANGLE = 2
    TEMPERATURE = 4
    CURRENT = 8
    OVERLOAD = 32


class Packet(NamedTuple):
    """One packet; `code` is an instruction, or the error bits of a status."""

    id: int
    code: int
    parameters: bytes = b""

    def encoded(self) -> bytes:
        """Return its bytes. Raises ValueError for one that is too long."""
        if len(self.parameters) > MOST_PARAMETERS:
            raise ValueError(f"{len(self.parameters)} bytes are too many for one packet")
        body = bytes((self.id, len(self.parameters) + 2, self.code)) + self.parameters
        return HEADER + body + bytes((checksum(body),))

    @property
    def size(self) -> int:
        """The number of its bytes."""
        return FRAME_BYTES + len(self.parameters)


def checksum(body: bytes) -> int:
    """Compute the checksum of what stands between header and checksum."""
    return ~sum(body) & 0xFF


def ping(servo: int) -> Packet:
    """Return the request for a sign of life."""
    return Packet(servo, Code.PING)


def read(servo: int, address: int, length: int) -> Packet:
    """Return the request for `length` bytes from an address on."""
    return Packet(servo, Code.READ, bytes((address, length)))


def write(servo: int, address: int, data: bytes) -> Packet:
    """Return the instruction to write bytes from an address on."""
    return Packet(servo, Code.WRITE, bytes((address,)) + data)


def reg_write(servo: int, address: int, data: bytes) -> Packet:
    """Return the instruction to write with the next `action`."""
    return Packet(servo, Code.REG_WRITE, bytes((address,)) + data)


def action(servo: int = BROADCAST) -> Packet:
    """Return the instruction to carry out what `reg_write` has prepared."""
    return Packet(servo, Code.ACTION)


def reset(servo: int) -> Packet:
    """Return the instruction to set all registers to the maker's values."""
    return Packet(servo, Code.RESET)


def sync_read(address: int, length: int, servos: Iterable[int]) -> Packet:
    """Return the request to several servos, which answer one after the other."""
    return Packet(BROADCAST, Code.SYNC_READ, bytes((address, length, *servos)))


def sync_write(address: int, values: Mapping[int, bytes]) -> Packet:
    """Return the instruction to write as many bytes to each servo; nobody answers. Raises
    ValueError for values of different lengths."""
    lengths = {len(value) for value in values.values()}
    if len(lengths) != 1:
        raise ValueError("a sync write has at least one servo, and as many bytes for each")
    body = b"".join(bytes((servo,)) + value for servo, value in values.items())
    return Packet(BROADCAST, Code.SYNC_WRITE, bytes((address, lengths.pop())) + body)


def block_of(packet: Packet) -> RegisterBlock | None:
    """Return what a read or write concerns; None for other instructions, and where the parameters
    do not fit."""
    found = packet.parameters
    match packet.code:
        case Code.READ if len(found) == 2:
            return RegisterBlock(found[0], found[1], (packet.id,))
        case Code.WRITE | Code.REG_WRITE if found:
            return RegisterBlock(found[0], len(found) - 1, (packet.id,), {packet.id: found[1:]})
        case Code.SYNC_READ if len(found) > 2:
            return RegisterBlock(found[0], found[1], tuple(found[2:]))
        case Code.SYNC_WRITE if len(found) > 2 and not (len(found) - 2) % (found[1] + 1):
            step = found[1] + 1
            parts = [found[at : at + step] for at in range(2, len(found), step)]
            data = {part[0]: part[1:] for part in parts}
            return RegisterBlock(found[0], found[1], tuple(data), data)
    return None


class PacketFinder(PacketSearch[Packet]):
    """Finds packets of these servos."""

    def _look(self, data: bytes, start: int) -> tuple[Packet | None, bool, int]:
        left = len(data) - start
        if data[start] != 0xFF or (left > 1 and data[start + 1] != 0xFF):
            return None, False, 0
        if left < 4:
            is_id = left < 3 or data[start + 2] != 0xFF
            return None, False, 4 if is_id else 0
        servo, length = data[start + 2], data[start + 3]
        if servo == 0xFF:  # the header begins one byte later
            return None, False, 0
        if length < 2:
            return None, True, 0
        end = start + 4 + length
        if end > len(data):
            return None, False, end - start
        if checksum(data[start + 2 : end - 1]) != data[end - 1]:
            return None, True, end - start
        return Packet(servo, data[start + 4], data[start + 5 : end - 1]), False, end - start
