"""IBUS frames in a byte stream: ArduPilot's capture, Betaflight's cases, telemetry on the wire."""

import struct
from pathlib import Path

import pytest

from saint_services.rcd.protocols.frames import RcFrame
from saint_services.rcd.protocols.ibus import IbusParser

DATA = Path(__file__).parents[3] / "data"
CENTER = (1500, 1500, 1000, *(1500,) * 11)
POLL = bytes.fromhex("0481 7aff")


def ibus(words: tuple[int, ...] = CENTER, second: int = 0x40) -> bytes:
    body = bytes([0x20, second]) + struct.pack("<14H", *words)
    return body + struct.pack("<H", 0xFFFF - sum(body))


def ia6(words: tuple[int, ...] = CENTER) -> bytes:
    return b"\x55" + struct.pack("<14HH", *words, sum(words) & 0xFFFF)


GOOD = ibus()


def decode(data: bytes) -> tuple[IbusParser, list[RcFrame]]:
    parser = IbusParser()
    return parser, parser.feed(data, 0) + parser.flush()


def test_single_frame_of_ardupilot() -> None:
    (frame,) = decode((DATA / "ibus-single.bin").read_bytes())[1]
    assert frame.us == [1500, 1500, 1000, *[1500] * 11]
    assert frame.raw == tuple(frame.us)


def test_second_header_byte_may_differ() -> None:
    words = (*range(10), 0, 0, 0, 0)
    data = ibus(words, second=0)
    assert data[-2:] == b"\xb2\xff"
    assert decode(data)[1][0].raw == words


def test_hidden_channels_do_not_spoil_the_others() -> None:
    (frame,) = decode(ibus(tuple(word | 0xA000 for word in CENTER)))[1]
    assert frame.raw == CENTER


def test_wrong_sum_is_rejected() -> None:
    parser, frames = decode(GOOD[:-1] + b"\x00" + GOOD)
    assert (len(frames), parser.rejected, parser.discarded_bytes) == (1, 1, 32)


def test_telemetry_polls_and_answers_are_passed_over() -> None:
    answer = bytes.fromhex("06a1 0102")
    answer += struct.pack("<H", 0xFFFF - sum(answer))
    parser, frames = decode(POLL + GOOD + POLL + answer + GOOD)
    assert (len(frames), parser.rejected, parser.discarded_bytes) == (2, 0, 0)


def test_half_frame_and_pause_do_not_spoil_the_next() -> None:
    parser = IbusParser()
    parser.feed(GOOD[:12], 0)
    assert len(parser.feed(GOOD, 5_000)) == 1
    assert (parser.rejected, parser.discarded_bytes) == (0, 12)


def test_half_frame_is_forgotten_when_the_port_closes() -> None:
    parser = IbusParser()
    parser.feed(GOOD[:20], 0)
    parser.reset()
    assert parser.feed(GOOD[20:], 100) + parser.flush() == []


def test_older_receiver_is_read() -> None:
    frames = decode(ia6() + ia6())[1]
    assert [frame.raw for frame in frames] == [CENTER, CENTER]


@pytest.mark.parametrize("before", [b"", b"\x01", GOOD])
def test_start_of_the_older_form_before_zeros_is_no_frame(before: bytes) -> None:
    # Zeros sum to zero: this would be a frame of 14 zeros.
    frames = decode(before + b"\x55" + bytes(30))[1]
    assert all(frame.raw == CENTER for frame in frames)


def test_older_form_ends_when_the_newer_is_received() -> None:
    assert len(decode(ia6() + GOOD + ia6())[1]) == 2


def test_variant_can_be_set() -> None:
    data = GOOD + ia6() + GOOD + ia6()
    for variant, raw in (("ia6", CENTER), ("ia6b", CENTER)):
        parser = IbusParser(variant)  # type: ignore[arg-type]
        assert [frame.raw for frame in parser.feed(data, 0)] == [raw, raw]
        assert parser.discarded_bytes == (64 if variant == "ia6" else 62)


def test_hidden_channels_are_the_high_nibbles_of_three_words_each() -> None:
    values = (0x123, 0x456, 0x789, 0xABC)
    nibbles = [value >> shift & 15 for value in values for shift in (0, 4, 8)]
    words = tuple(nibble << 12 | 1500 for nibble in (*nibbles, 0, 0))
    (frame,) = IbusParser("ia6b", has_18_channels=True).feed(ibus(words), 0)
    assert frame.raw == (1500,) * 14 + values


def test_two_broken_frames_are_two() -> None:
    broken = GOOD[:-1] + b"\x00"
    parser, frames = decode(broken + broken + GOOD)
    assert (len(frames), parser.rejected, parser.discarded_bytes) == (1, 2, 64)
