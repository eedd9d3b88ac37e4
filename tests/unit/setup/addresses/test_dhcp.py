"""What is sent to find DHCP servers, and what counts as one of their replies."""

import random
import struct

import pytest

from saint_services.setup.addresses.dhcp import MARK_OPTION, DhcpServer, decode, discover

MAC = bytes.fromhex("b827eb001122")
COOKIE = b"\x63\x82\x53\x63"
OFFER = b"\x35\x01\x02"


def reply(
    options: bytes = OFFER, port: int = 67, op: int = 2, cookie: bytes = COOKIE, head: bytes = b""
) -> bytes:
    """A reply from 192.0.2.1; `head` are options of the IPv4 header."""
    message = struct.pack("!B235x", op) + cookie + options
    datagram = struct.pack("!HHHH", port, 68, 8 + len(message), 0) + message
    version = 0x45 + len(head) // 4
    first = struct.pack("!BBHHHBBH", version, 0, 20 + len(datagram), 0, 0, 64, 17, 0)
    return first + bytes([192, 0, 2, 1]) + b"\xff" * 4 + head + datagram


def ones_complement(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def test_search_is_a_broadcast_from_nobody_with_right_checksums() -> None:
    packet = discover(MAC, 0xDEADBEEF)
    assert packet[12:16] == bytes(4) and packet[16:20] == b"\xff" * 4
    assert ones_complement(packet[:20]) == 0xFFFF
    length = len(packet) - 20
    assert (
        ones_complement(packet[12:20] + struct.pack("!BBH", 0, 17, length) + packet[20:]) == 0xFFFF
    )
    assert struct.unpack("!HHH", packet[20:26]) == (68, 67, length)
    message = packet[28:]
    assert message[:4] == b"\x01\x01\x06\x00" and message[4:8] == b"\xde\xad\xbe\xef"
    assert message[10] & 0x80, "a reply to nobody must be a broadcast"
    assert message[28:34] == MAC
    assert message[236:243] == COOKIE + b"\x35\x01\x01"
    assert len(message) >= 300


@pytest.mark.parametrize("kind", [2, 5, 6])
def test_offer_acknowledgement_and_refusal_show_a_server(kind: int) -> None:
    found = decode(reply(bytes([53, 1, kind, 54, 4, 10, 0, 0, 138, 255])), "aa:bb")
    assert found == DhcpServer("10.0.0.138", "aa:bb")


def test_server_without_an_identifier_is_known_by_its_address() -> None:
    assert decode(reply(), "aa:bb") == DhcpServer("192.0.2.1", "aa:bb")
    assert decode(reply(head=bytes(8)), "aa:bb") == DhcpServer("192.0.2.1", "aa:bb")


def test_server_of_ours_names_itself() -> None:
    mark = b"saint-server-b827eb001122"
    found = decode(reply(OFFER + bytes([MARK_OPTION, len(mark)]) + mark), "aa:bb")
    assert found and found.mark == mark.decode()


@pytest.mark.parametrize("mark", [b"router", b"saint-server-\xff\x00", b"saint-server-\n"])
def test_other_text_is_no_mark(mark: bytes) -> None:
    found = decode(reply(OFFER + bytes([MARK_OPTION, len(mark)]) + mark), "aa:bb")
    assert found and found.mark == ""


@pytest.mark.parametrize(
    "packet",
    [
        b"", b"\x45", reply(port=53), reply(op=1), reply(cookie=b"abcd"), reply(b""),
        reply(b"\x35\x01\x01"), reply(b"\x35\x09\x02"), reply()[:200], reply(b"\x00" * 40),
    ],
)  # fmt: skip
def test_anything_else_is_no_server(packet: bytes) -> None:
    assert decode(packet, "aa:bb") is None


def test_no_packet_raises() -> None:
    chance, whole = random.Random(18), reply(OFFER + b"\x36\x04\x0a\x00\x00\x01\xff")
    for _ in range(3000):
        raw = bytearray(whole[: chance.randrange(len(whole) + 1)])
        for _ in range(chance.randrange(6) if raw else 0):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        decode(bytes(raw), "aa:bb")
