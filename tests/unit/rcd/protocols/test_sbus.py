"""SBUS frames in bursts: PX4's and ArduPilot's captures, EdgeTX's cases, stray start bytes."""

import json
from pathlib import Path

import pytest

from saint_services.rcd.protocols import RcFrame
from saint_services.rcd.protocols.sbus import SbusParser

DATA = Path(__file__).parents[3] / "data"
STEPS = tuple(200 + 100 * i for i in range(16))


def sbus(channels: tuple[int, ...] = STEPS, flags: int = 0, end: int = 0) -> bytes:
    bits = sum(value << 11 * i for i, value in enumerate(channels))
    return b"\x0f" + bits.to_bytes(22, "little") + bytes([flags, end])


GOOD = sbus()
ZEROS = (DATA / "sbus-single.bin").read_bytes()  # its last twelve bytes are 0


def decode(data: bytes, chunk: int = 0) -> tuple[SbusParser, list[RcFrame]]:
    """All bytes in one burst, in reads of `chunk` bytes."""
    parser, frames = SbusParser(), []
    for start in range(0, len(data), chunk or len(data)):
        frames += parser.feed(data[start : start + (chunk or len(data))], 0)
    return parser, frames + parser.flush()


def test_single_frame_of_ardupilot() -> None:
    (frame,) = decode(ZEROS)[1]
    assert frame.raw[:8] == (1100, 995, 201, 1050, 1491, 1811, 992, 992)
    assert frame.us[:3] == [1568, 1502, 1006]
    assert (frame.failsafe, frame.frame_lost, frame.digital) == (False, False, (False, False))


def test_capture_with_telemetry_slots_in_its_times() -> None:
    parser, frames = SbusParser(), []
    for line in (DATA / "sbus2-futaba-r7008sb.jsonl").read_text().splitlines():
        read = json.loads(line)
        frames += parser.feed(bytes.fromhex(read["hex"]), read["t_us"])
    frames += parser.flush()
    assert {frame.raw[:5] for frame in frames} == {(1041, 1024, 1696, 1024, 352)}
    # The stream starts inside a frame, and one frame lacks a byte.
    assert (len(frames), parser.rejected, parser.discarded_bytes) == (8, 1, 13 + 24)


def test_capture_without_times_loses_no_whole_frame() -> None:
    lines = (DATA / "sbus2-futaba-r7008sb.jsonl").read_text().splitlines()
    frames = decode(b"".join(bytes.fromhex(json.loads(line)["hex"]) for line in lines))[1]
    assert {frame.raw[:5] for frame in frames} == {(1041, 1024, 1696, 1024, 352)}
    assert len(frames) == 8


@pytest.mark.parametrize("chunk", [0, 1, 7, 25])
@pytest.mark.parametrize(
    ("before", "count"),
    [
        (b"", 1),
        (GOOD + GOOD, 3),
        (b"\x11\x22\x33\xff\xab", 1),  # bytes in flight when the port opens
        (b"\x13", 1),  # looks like a telemetry slot
        (GOOD[:-1] + b"\xff", 1),  # wrong end byte
        (GOOD + GOOD[:12] + b"\x55\xaa\x37\x91" + GOOD, 3),  # truncated, then noise
        (b"\x0f\x01\x02", 1),  # a stray start byte
        (sbus(end=0x04) + b"\x03\xc0\x2e", 2),  # SBUS2 with its slot
    ],
)
def test_last_frame_of_a_burst_is_found(before: bytes, count: int, chunk: int) -> None:
    frames = decode(before + GOOD, chunk)[1]
    assert [frame.raw for frame in frames] == [STEPS] * count


@pytest.mark.parametrize("chunk", [0, 1, 5, 13])
@pytest.mark.parametrize("stray", [b"\x0f", b"\x0f\x00\x00"])
def test_stray_start_byte_before_zeros_makes_no_wrong_frame(stray: bytes, chunk: int) -> None:
    frames = decode(stray + ZEROS, chunk)[1]
    assert [frame.raw[:3] for frame in frames] == [(1100, 995, 201)]


@pytest.mark.parametrize("junk", [b"\x11", b"\x55\xaa\x37", b"\x0f", b"\x0f\x01", bytes(30)])
@pytest.mark.parametrize("frame", [GOOD, ZEROS])
def test_junk_between_frames_of_one_burst_loses_none(frame: bytes, junk: bytes) -> None:
    expected = decode(frame)[1][0].raw
    frames = decode(frame + junk + frame + junk + frame)[1]
    assert [each.raw for each in frames] == [expected] * 3


def test_junk_behind_the_last_frame_loses_none() -> None:
    parser, frames = decode(GOOD + GOOD + b"\x11\x22")
    assert (len(frames), parser.discarded_bytes) == (2, 2)


def test_long_burst_is_decoded_while_it_comes() -> None:
    parser, frames = SbusParser(), []
    for _ in range(200):
        frames += parser.feed((GOOD + b"\x55") * 10, 0)
    assert len(frames) >= 1990


def test_frame_is_handed_out_at_once() -> None:
    parser = SbusParser()
    assert len(parser.feed(GOOD, 0)) == 1
    assert parser.feed(GOOD[:16], 7_000) == []
    assert len(parser.feed(GOOD[16:], 8_000)) == 1


def test_half_frame_and_pause_do_not_spoil_the_next() -> None:
    parser = SbusParser()
    assert parser.feed(GOOD[:20], 0) == []
    (frame,) = parser.feed(GOOD, 7_000)
    assert frame.raw == STEPS
    assert (parser.rejected, parser.discarded_bytes) == (1, 20)


def test_half_frame_is_forgotten_when_the_port_closes() -> None:
    parser = SbusParser()
    parser.feed(GOOD[:20], 0)
    parser.reset()
    assert parser.feed(GOOD[20:], 100) + parser.flush() == []


def test_flags_are_bits_counted_from_zero() -> None:
    flags = [decode(sbus(flags=1 << bit))[1][0] for bit in range(4)]
    assert [frame.digital for frame in flags[:2]] == [(True, False), (False, True)]
    assert [frame.frame_lost for frame in flags] == [False, False, True, False]
    assert [frame.failsafe for frame in flags] == [False, False, False, True]


def test_known_end_bytes_are_accepted_and_others_are_not() -> None:
    accepted = [end for end in range(256) if decode(sbus(end=end))[1]]
    assert accepted == [0x00, 0x04, 0x14, 0x24, 0x34]


def test_endless_noise_is_not_kept() -> None:
    parser = SbusParser()
    for _ in range(1000):
        assert parser.feed(b"\x55" * 100, 0) == []
    parser.flush()
    assert parser.discarded_bytes == 100_000
