"""The configuration of a VESC, over several frames."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.vesc import buffers
from saint_services.lib.hw.vesc.buffers import BufferAssembler

OWN = 253


def assembled(frames: list[CanFrame]) -> list[bytes]:
    assembler = BufferAssembler(OWN)
    return [found for frame in frames if (found := assembler.received(frame))]


def test_request_is_one_frame_to_the_vesc() -> None:
    frame = buffers.request_configuration(68, OWN)
    assert frame == CanFrame(0x844, bytes((253, 0, 17)), True)
    assert buffers.is_request(frame, 68) and not buffers.is_request(frame, 56)


def test_frames_have_offsets_of_one_byte_and_then_of_two() -> None:
    frames = buffers.split(bytes(range(256)) + b"abcdefg", OWN, 68)
    assert frames[0] == CanFrame(0x5FD, bytes(range(8)).replace(b"\0", b"\0\0", 1)[:8], True)
    assert [frame.id >> 8 for frame in frames] == [5] * 37 + [6, 7]
    assert frames[37].data[:2] == bytes((1, 3))  # 37 x 7 = 259
    assert frames[-1].data[:4] == bytes((68, 1, 1, 7))


@given(st.binary(min_size=1, max_size=700))
def test_message_survives_its_frames(message: bytes) -> None:
    assert assembled(buffers.split(message, OWN, 68)) == [message]


@given(st.binary(min_size=20, max_size=400), st.data())
def test_lost_repeated_or_damaged_frame_gives_no_message(
    message: bytes, data: st.DataObject
) -> None:
    frames = buffers.split(message, OWN, 68)
    at = data.draw(st.integers(0, len(frames) - 1))
    assert assembled(frames[:at] + frames[at + 1 :]) == []
    damaged = bytearray(frames[at].data)
    damaged[-1] ^= 1
    broken = CanFrame(frames[at].id, bytes(damaged), True)
    assert assembled([*frames[:at], broken, *frames[at + 1 :]]) == []


def test_frames_to_others_are_left_alone() -> None:
    assert assembled(buffers.split(b"abc", 7, 68)) == []
    assert assembled([CanFrame(5, b"\0abc")]) == []


def test_check_sum_is_that_of_the_firmware() -> None:
    assert buffers.split(b"123456789", OWN, 68)[-1].data[4:] == bytes.fromhex("31c3")


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("11 aabbccdd 44 000003e8 00", 1.0),
        ("11 aabbccdd 44 00000000", 0.0),
        ("11 aabbccdd 45 000003e8", None),  # another form
        ("0e aabbccdd 44 000003e8", None),
        ("11 aabbccdd 44 0003e8", None),
        ("", None),
    ],
)
def test_time_out_stands_behind_the_id(message: str, found: float | None) -> None:
    assert buffers.timeout_s(bytes.fromhex(message), 68) == found


@given(
    st.lists(
        st.builds(
            CanFrame,
            st.sampled_from([0x5FD, 0x6FD, 0x7FD, 0x8FD]),
            st.binary(max_size=8),
            st.just(True),
        )
    )
)
def test_any_frames_are_taken(frames: list[CanFrame]) -> None:
    assembler = BufferAssembler(OWN)
    for frame in frames:
        buffers.timeout_s(assembler.received(frame), 68)
        assert len(assembler._buffer) <= 1024
