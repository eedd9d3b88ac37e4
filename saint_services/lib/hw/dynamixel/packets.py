"""Packets of protocol 2.0: encodes instructions and statuses, and finds packets in a stream of
bytes. Pure.

A packet is FF FF FD 00, id, length (two bytes), instruction, parameters, CRC-16 (two bytes); low
bytes come first. FF FF FD inside of it is followed by one more FD, so that a header is never data.
A status has the instruction 55, and its error in front of its parameters. Source: Robotis
e-Manual, "DYNAMIXEL Protocol 2.0".
"""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import NamedTuple

from ..bus_servos.finder import PacketSearch
from ..bus_servos.port import RegisterBlock

HEADER = b"\xff\xff\xfd\x00"
BROADCAST = 254
MOST_ID = 252
ALERT = 0x80  # of an error: the servo has a hardware error
MOST_PARAMETERS = 512
_START = HEADER[:3]
_STUFFED = _START + b"\xfd"
_HEAD = 7  # bytes before the instruction
_FRAME = 10  # bytes beside the parameters
_MOST_BYTES = 1024  # that a packet may claim
_POLYNOMIAL = 0x8005


class Order(IntEnum):
    """The instructions."""

    PING = 0x01
    READ = 0x02
    WRITE = 0x03
    REG_WRITE = 0x04
    ACTION = 0x05
    FACTORY_RESET = 0x06
    REBOOT = 0x08
    CLEAR = 0x10
    STATUS = 0x55  # what answers
    SYNC_READ = 0x82
    SYNC_WRITE = 0x83


class XRefusal(IntEnum):
    """The numbers of errors, below the alert bit."""

    FAILED = 1
    INSTRUCTION = 2
    CRC = 3
    RANGE = 4
    LENGTH = 5
    LIMIT = 6
    ACCESS = 7


def _crc_of(byte: int) -> int:
    value = byte << 8
    for _ in range(8):
        value = (value << 1) ^ (_POLYNOMIAL if value & 0x8000 else 0)
    return value & 0xFFFF


_CRCS = tuple(_crc_of(byte) for byte in range(256))


def crc16(data: bytes) -> int:
    """Compute the CRC of everything that stands before it."""
    value = 0
    for byte in data:
        value = (value << 8 & 0xFF00) ^ _CRCS[value >> 8 ^ byte]
    return value


class XPacket(NamedTuple):
    """One packet; in a status the first parameter is its error."""

    id: int
    code: int
    parameters: bytes = b""

    def encoded(self) -> bytes:
        """Return its bytes. Raises ValueError for one that is too long."""
        if len(self.parameters) > MOST_PARAMETERS:
            raise ValueError(f"{len(self.parameters)} bytes are too many for one packet")
        body = _stuff(bytes((self.code,)) + self.parameters)
        head = HEADER + bytes((self.id,)) + (len(body) + 2).to_bytes(2, "little")
        return head + body + crc16(head + body).to_bytes(2, "little")

    @property
    def size(self) -> int:
        """The number of its bytes, without those that are stuffed in."""
        return _FRAME + len(self.parameters)


def _stuff(body: bytes) -> bytes:
    return body.replace(_START, _STUFFED)


def ping(servo: int) -> XPacket:
    """Return the request for a sign of life; the answer has model and firmware."""
    return XPacket(servo, Order.PING)


def read(servo: int, address: int, length: int) -> XPacket:
    """Return the request for `length` bytes from an address on."""
    return XPacket(servo, Order.READ, _pair(address, length))


def write(servo: int, address: int, data: bytes) -> XPacket:
    """Return the instruction to write bytes from an address on."""
    return XPacket(servo, Order.WRITE, address.to_bytes(2, "little") + data)


def reboot(servo: int) -> XPacket:
    """Return the instruction to start again, as after power-up."""
    return XPacket(servo, Order.REBOOT)


def status(servo: int, error: int, data: bytes = b"") -> XPacket:
    """Return an answer."""
    return XPacket(servo, Order.STATUS, bytes((error,)) + data)


def sync_read(address: int, length: int, servos: Iterable[int]) -> XPacket:
    """Return the request to several servos, which answer one after the other."""
    return XPacket(BROADCAST, Order.SYNC_READ, _pair(address, length) + bytes(servos))


def sync_write(address: int, values: Mapping[int, bytes]) -> XPacket:
    """Return the instruction to write as many bytes to each servo; nobody answers. Raises
    ValueError for values of different lengths."""
    lengths = {len(value) for value in values.values()}
    if len(lengths) != 1:
        raise ValueError("a sync write has at least one servo, and as many bytes for each")
    body = b"".join(bytes((servo,)) + value for servo, value in values.items())
    return XPacket(BROADCAST, Order.SYNC_WRITE, _pair(address, lengths.pop()) + body)


def _pair(address: int, length: int) -> bytes:
    return address.to_bytes(2, "little") + length.to_bytes(2, "little")


def block_of(packet: XPacket) -> RegisterBlock | None:
    """Return what a read or write concerns; None for other instructions, and where the parameters
    do not fit."""
    found = packet.parameters
    address, length = (int.from_bytes(found[at : at + 2], "little") for at in (0, 2))
    match packet.code:
        case Order.READ if len(found) == 4:
            return RegisterBlock(address, length, (packet.id,))
        case Order.WRITE | Order.REG_WRITE if len(found) > 2:
            return RegisterBlock(address, len(found) - 2, (packet.id,), {packet.id: found[2:]})
        case Order.SYNC_READ if len(found) > 4:
            return RegisterBlock(address, length, tuple(found[4:]))
        case Order.SYNC_WRITE if len(found) > 4 and not (len(found) - 4) % (length + 1):
            step = length + 1
            parts = [found[at : at + step] for at in range(4, len(found), step)]
            data = {part[0]: part[1:] for part in parts}
            return RegisterBlock(address, length, tuple(data), data)
    return None


class XPacketFinder(PacketSearch[XPacket]):
    """Finds packets of protocol 2.0."""

    def _look(self, data: bytes, start: int) -> tuple[XPacket | None, bool, int]:
        head = data[start : start + len(HEADER)]
        if not HEADER.startswith(head):
            return None, False, 0
        if len(data) - start < _HEAD:
            return None, False, _HEAD
        end = start + _HEAD + int.from_bytes(data[start + 5 : start + 7], "little")
        if not start + _FRAME <= end <= start + _MOST_BYTES:
            return None, True, 0
        # No packet has a header inside: what claims one has lost its end.
        if HEADER in data[start + 1 : end - 1]:
            return None, True, data.index(HEADER, start + 1) - start
        if end > len(data):
            return None, False, end - start
        body = data[start + _HEAD : end - 2]
        if crc16(data[start : end - 2]) != int.from_bytes(data[end - 2 : end], "little"):
            return None, True, end - start
        plain = body.replace(_STUFFED, _START)
        if _stuff(plain) != body:
            return None, True, end - start
        return XPacket(data[start + 4], plain[0], plain[1:]), False, end - start
