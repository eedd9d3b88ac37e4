"""The firmware's link protocol against the computer's (lib/wagon), which declares it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from image.boards.shared import codec, tables
from image.boards.shared.link import LinkParser, crc8, framed
from saint_services.lib.wagon import board_link, board_meanings, can_frames
from saint_services.lib.wagon.board_link import BoardOther

MESSAGES = st.one_of(
    st.builds(
        board_link.BoardRcChannels,
        st.tuples(*[st.integers(0, 65535)] * 16),
        st.integers(0, 255),
    ),
    st.builds(board_link.BoardSensor, st.integers(0, 255), st.floats(-100, 100, width=32)),
    st.builds(board_link.BoardNfc, st.binary(min_size=7, max_size=7), st.sampled_from((4, 7))),
    st.builds(board_link.BoardActuators, *[st.integers(0, 255)] * 5),
    st.builds(
        board_link.BoardStatus,
        st.integers(0, 5),
        st.floats(-90, 90, width=32),
        st.floats(-5, 5, width=32),
    ),
    st.builds(board_link.BoardHeartbeat, st.integers(0, 2**32 - 1)),
)
NOISE = st.binary(max_size=12) | st.just(b"\xaa") | st.just(b"\xaa\xff")


def flat(message: Any) -> tuple[int, Any]:
    """Return a message of lib/wagon as the firmware's parser does."""
    if isinstance(message, BoardOther):
        return message.type, message.payload
    row = board_link.row_of(message)
    values: list[Any] = []
    for value in row.layout.values(message).values():
        values += value if isinstance(value, tuple) else [value]
    return row.type, tuple(values)


def test_check_value_of_the_crc_is_the_published_one() -> None:
    assert crc8(b"123456789") == 0xA1
    assert crc8(bytes.fromhex("021cb801000000")) == 0xA2


@given(st.lists(st.tuples(NOISE, MESSAGES)), st.lists(st.integers(1, 40), min_size=1))
def test_parser_finds_what_the_computers_parser_finds(parts: list[Any], cuts: list[int]) -> None:
    data = b"".join(noise + board_link.encode(message) for noise, message in parts)
    computer, firmware = board_link.BoardLinkParser(), LinkParser()
    expected = [flat(each) for each in computer.feed(data) + computer.flush()]
    found, at, now_ms, number = [], 0, 0, 0
    while at < len(data):
        size = cuts[number % len(cuts)]
        number += 1
        found += firmware.feed(data[at : at + size], now_ms)
        at += size
    found += firmware.feed(b"", now_ms + 1000)
    found = [each for each in found if each[0] != tables.LINK_WHEELS[0]]
    assert found == [each for each in expected if each[0] != tables.LINK_WHEELS[0]]


@given(MESSAGES)
def test_frame_is_the_computers_frame(message: Any) -> None:
    kind, values = flat(message)
    row = next(row for row in tables.LINK_ROWS if row[0] == kind)
    assert framed(row, *values) == board_link.encode(message)


def test_frame_behind_a_false_start_is_found_after_a_pause() -> None:
    parser = LinkParser()
    frame = framed(tables.LINK_HEARTBEAT, 7)
    assert parser.feed(b"\xaa\x30" + frame, 0) == []
    assert parser.feed(b"", 5) == []
    assert parser.feed(b"", 20) == [(0xFF, (7,))]


def test_false_start_that_claims_too_much_does_not_wait() -> None:
    frame = framed(tables.LINK_HEARTBEAT, 7)
    assert LinkParser().feed(b"\xaa\xff" + frame, 0) == [(0xFF, (7,))]


def test_every_row_of_the_computer_is_in_the_firmware() -> None:
    assert {row[0] for row in tables.LINK_ROWS} == {
        row.type for row in (*board_link.TABLE, *board_meanings.INTERNAL)
    }
    assert {row[0] for row in tables.HOST_ROWS} == {0x300, 0x301, 0x302, 0x303}


@given(st.integers(-1000, 1000), st.integers(-1000, 1000), st.integers(0, 3))
def test_drive_command_of_the_computer_is_read(speed: int, steer: int, mode: int) -> None:
    frame = can_frames.encode(can_frames.WagonDrive(speed, steer, mode, 1))
    assert codec.unpack(tables.CAN_DRIVE, frame.data) == (speed, steer, mode, 1)


@pytest.mark.parametrize(
    ("row", "data"),
    [
        (tables.CAN_DRIVE, bytes.fromhex("e903000000000000")),  # speed 1001
        (tables.CAN_DRIVE, bytes(7)),
        (tables.CAN_ARM, b"\x02"),
        (tables.CAN_ESTOP, b"\xe4"),
        (tables.CAN_ESTOP, b""),
        (tables.CAN_GAINS, bytes.fromhex("007e000000000000")),  # NaN
        (tables.LINK_NFC, bytes(7) + b"\x05"),
    ],
)
def test_bytes_that_are_no_message_are_refused(row: tuple[Any, ...], data: bytes) -> None:
    assert codec.unpack(row, data) is None


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_value_that_is_not_finite_is_never_sent(value: float) -> None:
    with pytest.raises(ValueError, match="cannot be sent"):
        codec.pack(tables.LINK_SENSOR, 1, value)
