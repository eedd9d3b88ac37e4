"""The serial link of the wagon's boards and its messages, byte by byte, at the very bound of each
rule. Numbers and bytes are typed by hand.
"""

from typing import Any

import pytest

from image.boards.shared import codec
from image.boards.shared import tables as t
from image.boards.shared.link import LinkParser, crc8, framed

BEAT = bytes.fromhex("aa04ff0700000093")  # a heartbeat of 7 ms
FOUND = [(255, (7,))]


def test_heartbeat_is_these_bytes() -> None:
    body = bytes.fromhex("04ff07000000")
    assert framed(t.LINK_HEARTBEAT, 7) == b"\xaa" + body + bytes((crc8(body),))
    assert framed(t.LINK_HEARTBEAT, 7) == BEAT


def test_frame_that_is_cut_anywhere_is_found_with_its_last_byte() -> None:
    for cut in range(1, len(BEAT)):
        parser = LinkParser()
        assert parser.feed(BEAT[:cut], 0) == []
        assert parser.feed(BEAT[cut:], 10) == FOUND
        assert (parser.frames, parser.discarded_bytes) == (1, 0)


def test_frame_whose_rest_comes_behind_the_pause_is_none() -> None:
    parser = LinkParser()
    assert parser.feed(BEAT[:5], 0) == []
    assert parser.feed(BEAT[5:], 11) == []
    assert (parser.frames, parser.discarded_bytes) == (0, 8)
    assert parser.feed(BEAT, 12) == FOUND


def test_frames_behind_each_other_are_found_together() -> None:
    parser = LinkParser()
    assert parser.feed(BEAT + b"\x00" + BEAT + BEAT, 0) == FOUND * 3
    assert (parser.frames, parser.discarded_bytes) == (3, 1)


@pytest.mark.parametrize(("now_ms", "found"), [(10, []), (11, FOUND)])
def test_frame_behind_a_false_start_is_found_behind_the_pause_of_10_ms(
    now_ms: int, found: list[Any]
) -> None:
    parser = LinkParser()
    assert parser.feed(b"\xaa\x30" + BEAT, 0) == []
    assert parser.feed(b"", now_ms) == found
    assert parser.discarded_bytes == (2 if found else 0)
    assert parser.feed(b"", now_ms + 1) == ([] if found else FOUND)
    assert (parser.frames, parser.discarded_bytes) == (1, 2)


@pytest.mark.parametrize(("now_ms", "found"), [(10, []), (11, FOUND * 2)])
def test_frame_behind_a_false_start_is_found_with_what_comes_behind_the_pause(
    now_ms: int, found: list[Any]
) -> None:
    parser = LinkParser()
    assert parser.feed(b"\xaa\x30" + BEAT, 0) == []
    assert parser.feed(BEAT, now_ms) == found
    assert parser.feed(b"", now_ms + 10) == []
    assert parser.feed(b"", now_ms + 11) == ([] if found else FOUND * 2)


def test_pause_counts_from_the_last_byte() -> None:
    parser = LinkParser()
    parser.feed(b"\xaa\x30", 0)
    parser.feed(BEAT, 8)
    assert parser.feed(b"", 18) == []
    assert parser.feed(b"", 19) == FOUND


@pytest.mark.parametrize(("length", "found"), [(64, []), (65, FOUND), (255, FOUND)])
def test_start_that_claims_more_than_64_bytes_does_not_wait(length: int, found: list[Any]) -> None:
    assert LinkParser().feed(bytes((0xAA, length)) + BEAT, 0) == found


def test_start_that_claims_too_much_is_given_up_with_its_length() -> None:
    parser = LinkParser()
    assert parser.feed(b"\xaa\x41", 0) == []
    assert parser.discarded_bytes == 2


def test_message_of_64_bytes_is_found_and_one_of_65_is_none() -> None:
    for length, found in ((64, [(0x77, bytes(64))]), (65, [])):
        body = bytes((length, 0x77)) + bytes(length)
        parser = LinkParser()
        assert parser.feed(b"\xaa" + body + bytes((crc8(body),)), 0) == found


def test_search_goes_on_one_byte_behind_a_broken_frame() -> None:
    parser = LinkParser()
    broken = b"\xaa\x08\x02" + BEAT + b"\x00"
    assert parser.feed(broken, 0) == FOUND
    assert (parser.frames, parser.discarded_bytes) == (1, 4)


@pytest.mark.parametrize("place", range(1, 8))
def test_frame_with_a_wrong_bit_is_none(place: int) -> None:
    data = bytearray(BEAT)
    data[place] ^= 0x10
    parser = LinkParser()
    assert parser.feed(bytes(data), 0) + parser.feed(b"", 100) == []
    assert (parser.frames, parser.discarded_bytes) == (0, 8)


def test_message_that_says_what_cannot_be_is_none() -> None:
    parser = LinkParser()
    body = bytes.fromhex("0412e9030000")  # 1001 thousandths to the left wheels
    assert parser.feed(b"\xaa" + body + bytes((crc8(body),)), 0) == []
    body = bytes.fromhex("0412e8030000")
    assert parser.feed(b"\xaa" + body + bytes((crc8(body),)), 0) == [(18, (1000, 0))]


# --- messages ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "values", "data"),
    [
        (t.CAN_DRIVE, (1000, -1000, 2, 1), "e80318fc02010000"),
        (t.CAN_ESTOP, (), "e5"),
        (t.CAN_GAINS, (1.0, 0.5, 2.0), "003c003800400000"),
        (t.VESC_SET_DUTY, (-0.123456,), "ffffcfc6"),
        (t.VESC_SET_CURRENT_BRAKE, (8.0,), "00001f40"),
        (t.LINK_NFC, (b"abcd\0\0\0", 4), "6162636400000004"),
    ],
)
def test_message_is_these_bytes(row: tuple[Any, ...], values: Any, data: str) -> None:
    assert codec.pack(row, *values).hex() == data
    if row[0] != t.VESC_SET_DUTY[0]:
        assert codec.unpack(row, bytes.fromhex(data)) == values


@pytest.mark.parametrize(
    ("row", "values"),
    [
        (t.CAN_DRIVE, (1001, 0, 0, 0)),
        (t.CAN_DRIVE, (-1001, 0, 0, 0)),
        (t.CAN_DRIVE, (0, 1001, 0, 0)),
        (t.CAN_ARM, (2,)),
        (t.LINK_NFC, (bytes(7), 5)),
        (t.LINK_NFC, (bytes(7), 10)),
        (t.LINK_NFC, (bytes(7), 1)),
        (t.CAN_GAINS, (float("nan"), 0.0, 0.0)),
        (t.CAN_GAINS, (0.0, float("-inf"), 0.0)),
    ],
)
def test_value_that_no_message_carries_is_refused(row: tuple[Any, ...], values: Any) -> None:
    with pytest.raises(ValueError, match="cannot be sent"):
        codec.pack(row, *values)


@pytest.mark.parametrize("values", [(), (1, 2)])
def test_message_has_as_many_values_as_it_has(values: Any) -> None:
    with pytest.raises(ValueError, match=f"{len(values)} values where 1 are needed"):
        codec.pack(t.CAN_ARM, *values)


@pytest.mark.parametrize(
    ("row", "data", "values"),
    [
        (t.VESC_STATUS_5, "000000000172", (0, 37.0)),
        (t.VESC_STATUS_5, "0000000001720000", (0, 37.0)),
        (t.VESC_STATUS_5, "00000000017200", None),
        (t.VESC_STATUS_1, "fffffc7cff9c03e8", (-900, -10.0, 1.0)),
        (t.CAN_ARM, "00", (0,)),
        (t.CAN_ARM, "01", (1,)),
        (t.CAN_ARM, "02", None),
        (t.CAN_ESTOP, "e5", ()),
        (t.CAN_ESTOP, "e6", None),
        (t.CAN_ESTOP, "e500", None),
        (t.CAN_DRIVE, "18fce80302010000", (-1000, 1000, 2, 1)),
        (t.CAN_DRIVE, "17fce80302010000", None),
        (t.CAN_DRIVE, "18fce90302010000", None),
        (t.LINK_NFC, "0000000000000007", (bytes(7), 7)),
        (t.LINK_NFC, "0000000000000006", None),
        (t.LINK_SENSOR, "010000c07f", None),
        (t.LINK_SENSOR, "010000803f", (1, 1.0)),
    ],
)
def test_bytes_are_this_message_or_none(row: tuple[Any, ...], data: str, values: Any) -> None:
    assert codec.unpack(row, bytes.fromhex(data)) == values
