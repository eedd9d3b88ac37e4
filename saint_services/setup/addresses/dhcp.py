"""Encodes a search for DHCP servers and decodes their replies (RFC 2131, RFC 2132), as IPv4
packets: a packet socket neither meets the packet filter nor this machine's own server. Pure. Not
here: a client; nothing is ever requested from the server that answers.
"""

import ipaddress
import re
import struct
from dataclasses import dataclass

SERVER_PORT, CLIENT_PORT = 67, 68
MARK_OPTION = 224  # for private use (RFC 3942)
MARK_PREFIX = "saint-server-"
_UDP, _REQUEST, _REPLY, _BROADCAST_FLAG = 17, 1, 2, 0x8000
_COOKIE = b"\x63\x82\x53\x63"
_PAD, _TYPE, _SERVER_ID, _CLASS, _WANTED, _END = 0, 53, 54, 60, 55, 255
_DISCOVER, _OFFER, _ACK, _NAK = 1, 2, 5, 6
_FIXED_BYTES = 240  # up to and with the cookie
_SHORTEST_BYTES = 300  # of a BOOTP message (RFC 1542, 2.1)
_MARK = re.compile(rf"{MARK_PREFIX}[0-9a-f]{{12}}", re.ASCII)


@dataclass(frozen=True, slots=True)
class DhcpServer:
    """A server that gives addresses."""

    address: str
    mac: str  # of the frame
    mark: str = ""  # a SAINT.OS server names itself


def discover(mac: bytes, number: int) -> bytes:
    """Return the packet that every DHCP server answers with an offer. `number` is of 32 bits."""
    fixed = struct.pack(
        "!BBBBIHH16s16s192x4s",
        *(_REQUEST, 1, len(mac), 0, number, 0, _BROADCAST_FLAG, b"", mac, _COOKIE),
    )
    options = _option(_TYPE, bytes([_DISCOVER])) + _option(_CLASS, b"saint-server")
    message = fixed + options + _option(_WANTED, bytes([1, _SERVER_ID, MARK_OPTION])) + b"\xff"
    return _packet(message.ljust(_SHORTEST_BYTES, b"\0"))


def _option(code: int, value: bytes) -> bytes:
    return bytes([code, len(value)]) + value


def _packet(message: bytes) -> bytes:
    """Add the headers of UDP and IPv4, from nobody to everybody."""
    anyone, everyone = bytes(4), b"\xff" * 4
    length = 8 + len(message)
    ports = struct.pack("!HHH", CLIENT_PORT, SERVER_PORT, length)
    pseudo = anyone + everyone + struct.pack("!BBH", 0, _UDP, length)
    datagram = ports + struct.pack("!H", _checksum(pseudo + ports + b"\0\0" + message)) + message
    head = struct.pack("!BBHHHBB", 0x45, 0x10, 20 + length, 0, 0, 64, _UDP)
    return (
        head + struct.pack("!H", _checksum(head + anyone + everyone)) + anyone + everyone + datagram
    )


def _checksum(data: bytes) -> int:
    """Return the checksum of RFC 1071; 0 would mean none in UDP."""
    padded = data + b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return (~total & 0xFFFF) or 0xFFFF


def decode(packet: bytes, mac: str) -> DhcpServer | None:
    """Return the server that sent the packet; None unless it is a reply of a DHCP server."""
    head_bytes = (packet[0] & 0xF) * 4 if packet else 0
    start = head_bytes + 8
    if head_bytes < 20 or len(packet) < start + _FIXED_BYTES:
        return None
    source_port = int.from_bytes(packet[head_bytes : head_bytes + 2])
    message = packet[start:]
    if packet[9] != _UDP or source_port != SERVER_PORT or message[0] != _REPLY:
        return None
    if message[_FIXED_BYTES - 4 : _FIXED_BYTES] != _COOKIE:
        return None
    options = _options(message[_FIXED_BYTES:])
    if options.get(_TYPE) not in (bytes([_OFFER]), bytes([_ACK]), bytes([_NAK])):
        return None
    named = options.get(_SERVER_ID, b"")
    address = named if len(named) == 4 else packet[12:16]
    return DhcpServer(str(ipaddress.IPv4Address(address)), mac, _mark(options))


def _options(data: bytes) -> dict[int, bytes]:
    """Return the options up to their end, or up to where they are cut off."""
    found: dict[int, bytes] = {}
    at = 0
    while at < len(data) and data[at] != _END:
        if data[at] == _PAD:
            at += 1
            continue
        if at + 2 > len(data) or at + 2 + data[at + 1] > len(data):
            break
        found.setdefault(data[at], data[at + 2 : at + 2 + data[at + 1]])
        at += 2 + data[at + 1]
    return found


def _mark(options: dict[int, bytes]) -> str:
    text = options.get(MARK_OPTION, b"").rstrip(b"\0").decode("ascii", "replace")
    return text if _MARK.fullmatch(text) else ""
