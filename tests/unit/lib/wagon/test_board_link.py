"""The link between the boards: vectors by hand, check sums, and the search after broken frames."""

import struct

import pytest

from saint_services.lib.binary_layout import LayoutError
from saint_services.lib.wagon import board_link as link
from saint_services.lib.wagon.board_link import BoardLinkParser

HEARTBEAT = link.encode(link.BoardHeartbeat(1234))


def by_bits(data: bytes) -> int:
    """CRC-8/MAXIM bit by bit: the second writing."""
    crc = 0
    for byte in data:
        for bit in range(8):
            feedback = (crc ^ byte >> bit) & 1
            crc = crc >> 1 ^ (0x8C if feedback else 0)
    return crc


def framed(kind: int, payload: bytes) -> bytes:
    body = bytes((len(payload), kind)) + payload
    return b"\xaa" + body + bytes((by_bits(body),))


def parsed(data: bytes) -> tuple[list[object], BoardLinkParser]:
    parser = BoardLinkParser()
    return [*parser.feed(data), *parser.flush()], parser


def counts(parser: BoardLinkParser) -> tuple[int, int, int]:
    return parser.frames, parser.rejected, parser.discarded_bytes


def test_check_sum_has_the_published_values() -> None:
    assert link.crc8(b"123456789") == 0xA1
    assert link.crc8(bytes.fromhex("021cb801000000")) == 0xA2  # Maxim's ROM example
    assert all(link.crc8(bytes((byte,))) == by_bits(bytes((byte,))) for byte in range(256))


VECTORS: list[tuple[int, str, object]] = [
    (0x01, "dc05" * 16 + "03", link.BoardRcChannels((1500,) * 16, 3)),
    (0x02, "010000003f", link.BoardSensor(1, 0.5)),
    (0x03, "04a1b2c3d4e5f607", link.BoardNfc(bytes.fromhex("04a1b2c3d4e5f6"), 7)),
    (0x03, "0123456700000004", link.BoardNfc(bytes.fromhex("01234567000000"), 4)),
    (0x10, "0102030405", link.BoardActuators(1, 2, 3, 4, 5)),
    (0x11, "010000803f000000c0", link.BoardStatus(1, 1.0, -2.0)),
    (0xFF, "d2040000", link.BoardHeartbeat(1234)),
    (0x42, "010203", link.BoardOther(0x42, b"\1\2\3")),
    (0x42, "", link.BoardOther(0x42, b"")),
]


@pytest.mark.parametrize(("kind", "payload", "message"), VECTORS)
def test_vector_is_decoded_and_encoded(kind: int, payload: str, message: object) -> None:
    data = framed(kind, bytes.fromhex(payload))
    found, parser = parsed(data)
    assert found == [message] and counts(parser) == (1, 0, 0)
    assert link.encode(message) == data


def test_rc_frame_has_37_bytes() -> None:
    assert len(link.encode(link.BoardRcChannels((1000,) * 16, 0))) == 37


@pytest.mark.parametrize("at", range(1, len(HEARTBEAT)))
def test_frame_in_two_reads_is_found(at: int) -> None:
    parser = BoardLinkParser()
    assert parser.feed(HEARTBEAT[:at]) == []
    assert parser.feed(HEARTBEAT[at:]) == [link.BoardHeartbeat(1234)]
    assert counts(parser) == (1, 0, 0)


@pytest.mark.parametrize("at", range(1, len(HEARTBEAT)))
@pytest.mark.parametrize("bit", range(8))
def test_flipped_bit_is_noticed_and_the_next_frame_found(at: int, bit: int) -> None:
    broken = bytearray(HEARTBEAT)
    broken[at] ^= 1 << bit
    found, parser = parsed(bytes(broken) + HEARTBEAT)
    assert found == [link.BoardHeartbeat(1234)]
    assert parser.discarded_bytes == len(HEARTBEAT)
    # A changed length may claim more than the input has: then nothing was complete and broken.
    assert parser.rejected == (1 if at != 1 or broken[1] <= 12 else 0)


def test_search_goes_on_one_byte_after_a_false_start() -> None:
    found, parser = parsed(b"\xaa\x03" + HEARTBEAT)
    assert found == [link.BoardHeartbeat(1234)] and counts(parser) == (1, 1, 2)


def test_frame_behind_a_false_start_is_found_at_the_end_of_the_input() -> None:
    found, parser = parsed(b"\xaa\xff\x42" + HEARTBEAT)
    assert found == [link.BoardHeartbeat(1234)] and counts(parser) == (1, 0, 3)


def test_frame_within_a_broken_one_is_found() -> None:
    outer = bytearray(framed(0x42, b"\1\2" + HEARTBEAT + b"\3"))
    outer[-1] ^= 1
    found, parser = parsed(bytes(outer))
    assert found == [link.BoardHeartbeat(1234)]
    assert counts(parser) == (1, 1, len(outer) - len(HEARTBEAT))


def test_start_bytes_within_a_broken_frame_are_not_counted_as_further_ones() -> None:
    broken = bytearray(framed(0x42, b"\xaa\0\0\1" * 4))
    broken[-1] ^= 1
    found, parser = parsed(bytes(broken) * 2 + HEARTBEAT)
    assert len(found) == 1 and parser.rejected == 2


def test_broken_frame_after_noise_is_counted() -> None:
    broken = HEARTBEAT[:-1] + bytes((HEARTBEAT[-1] ^ 1,))
    found, parser = parsed(b"\1\2\3" + broken + HEARTBEAT)
    assert len(found) == 1 and counts(parser) == (1, 1, 3 + len(broken))


def test_cut_frame_at_the_end_is_discarded() -> None:
    found, parser = parsed(HEARTBEAT + HEARTBEAT[:-1])
    assert len(found) == 1 and counts(parser) == (1, 0, len(HEARTBEAT) - 1)


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (0x02, struct.pack("<Bf", 1, float("nan"))),
        (0x02, struct.pack("<Bf", 1, float("inf"))),
        (0x11, struct.pack("<Bff", 1, 0.0, float("-inf"))),
        *((0x03, bytes(7) + bytes((length,))) for length in (0, 1, 3, 5, 6, 8, 255)),
        *((kind, bytes(size)) for kind, size in (
            (0x01, 32), (0x01, 34), (0x02, 4), (0x02, 6), (0x03, 7), (0x10, 4), (0x11, 8),
            (0xFF, 3), (0xFF, 5), (0xFF, 0))),
    ],
)  # fmt: skip
def test_known_type_with_content_that_cannot_be_is_rejected(kind: int, payload: bytes) -> None:
    data = framed(kind, payload)
    found, parser = parsed(data + HEARTBEAT)
    assert found == [link.BoardHeartbeat(1234)] and counts(parser) == (1, 1, len(data))


def test_longest_frame_is_carried_and_a_longer_one_refused() -> None:
    longest = link.BoardOther(0x42, bytes(255))
    found, _ = parsed(link.encode(longest))
    assert found == [longest]
    with pytest.raises(LayoutError, match="at most 255"):
        link.encode(link.BoardOther(0x42, bytes(256)))


def test_parser_never_holds_more_than_a_frame() -> None:
    parser = BoardLinkParser()
    for _ in range(20):
        parser.feed(b"\xaa\xff" * 100)
        assert len(parser._held) < 259
