"""Whatever bytes arrive: parsers do not raise, do not grow, stay in range and find what is good."""

import itertools
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.rcd.channels import Normalizer
from saint_services.rcd.protocols import PARSERS, CrsfFrame, Frame, Parser, RcFrame
from saint_services.rcd.protocols.crsf import crc8
from saint_services.rcd.protocols.crsf_telemetry import telemetry
from saint_services.rcd.protocols.mavlink import CRC_EXTRAS, OVERRIDE, crc16

pytestmark = pytest.mark.slow

LONGEST_HELD = 280 + 25  # a signed message of MAVLink, and a part of the next
PAUSE_US = 60_000  # longer than every protocol's

reads = st.lists(st.tuples(st.binary(max_size=200), st.integers(0, 20_000)), max_size=20)
# Bytes that parsers take for beginnings.
tricky = st.lists(
    st.sampled_from(
        [
            *(0x00, 0x04, 0x06, 0x0C, 0x0F, 0x16, 0x17, 0x18, 0x20, 0x30, 0x33, 0x3E),
            *(0x40, 0x46, 0x55, 0x82, 0xC8, 0xEE, 0xFD, 0xFE, 0xFF),
        ]
    )
    | st.integers(0, 255),
    max_size=200,
).map(bytes)
channels = st.lists(st.integers(0, 2047), min_size=16, max_size=16)


def bits(values: list[int]) -> bytes:
    return sum(value << 11 * i for i, value in enumerate(values)).to_bytes(22, "little")


def crsf(values: list[int]) -> bytes:
    body = b"\x16" + bits(values)
    return b"\xc8\x18" + body + bytes([crc8(body)])


def sbus(values: list[int]) -> bytes:
    return b"\x0f" + bits(values) + b"\0\0"


def ibus(values: list[int]) -> bytes:
    body = b"\x20\x40" + struct.pack("<14H", *values[:14])
    return body + struct.pack("<H", 0xFFFF - sum(body))


def ghst(values: list[int]) -> bytes:
    fine = sum(value << 12 * i for i, value in enumerate(values[:4])).to_bytes(6, "little")
    body = b"\x30" + fine + bytes(value // 8 for value in values[4:8])
    return b"\x82\x0c" + body + bytes([crc8(body)])


def mavlink(values: list[int]) -> bytes:
    payload = struct.pack("<8HBB8H", *_us(values[:8]), 1, 1, *_us(values[8:]))
    body = bytes([len(payload), 0, 0, 7, 255, 190, OVERRIDE, 0, 0]) + payload
    return b"\xfd" + body + struct.pack("<H", crc16(body + bytes([CRC_EXTRAS[OVERRIDE]])))


def _us(values: list[int]) -> list[int]:
    return [700 + value % 1600 for value in values]


def sent(protocol: str, values: list[int]) -> tuple[int, ...]:
    """The channels of a frame that was made of these values."""
    if protocol == "ghst":
        return (*values[:4], *(value // 8 * 8 for value in values[4:8]))
    if protocol == "mavlink":
        return tuple(_us(values))
    return tuple(values[:14] if protocol == "ibus" else values)


MAKERS = {"crsf": crsf, "sbus": sbus, "ibus": ibus, "ghst": ghst, "mavlink": mavlink}
every_protocol = pytest.mark.parametrize("protocol", sorted(PARSERS))
# DSM's frames count only when others like them came before: tests/unit/rcd/protocols/test_dsm.py.
every_frame_counts = pytest.mark.parametrize("protocol", sorted(MAKERS))


def channel_values(frames: list[Frame]) -> list[tuple[int, ...]]:
    return [frame.raw for frame in frames if isinstance(frame, RcFrame)]


def feed_split(parser: Parser, data: bytes, cuts: list[int], now_us: int) -> list[Frame]:
    """The same bytes at the same time, in several reads."""
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    found: list[Frame] = []
    for start, end in itertools.pairwise(edges):
        found += parser.feed(data[start:end], now_us)
    return found


@every_protocol
@given(reads=reads)
def test_any_bytes_at_any_time_are_survived(protocol: str, reads: list[tuple[bytes, int]]) -> None:
    survive(protocol, reads)


@every_protocol
@given(data=tricky)
def test_bytes_that_look_like_frames_are_survived(protocol: str, data: bytes) -> None:
    survive(protocol, [(data[i : i + 7], 100) for i in range(0, len(data), 7)])


def survive(protocol: str, reads: list[tuple[bytes, int]]) -> None:
    parser, normalizer, now_us, frames = PARSERS[protocol](), Normalizer([]), 0, []
    for data, pause_us in reads:
        now_us += pause_us
        frames += parser.feed(data, now_us)
        assert len(parser._held) <= LONGEST_HELD + len(data)  # type: ignore[attr-defined]
    frames += parser.flush()
    assert not parser.is_waiting
    assert parser.frames == len(frames)
    total = sum(len(data) for data, _ in reads)
    used = total - parser.discarded_bytes - parser.passed_bytes
    assert (
        sum(fewest(protocol, f) for f in frames) <= used <= sum(most(protocol, f) for f in frames)
    )
    for frame in frames:
        if isinstance(frame, CrsfFrame):
            telemetry(frame)
        if not isinstance(frame, RcFrame):
            continue
        assert all(-1.0 <= value <= 1.0 for value in normalizer.values(frame))
        assert all(0 <= us <= 4095 for us in frame.us)


def fewest(protocol: str, frame: Frame) -> int:
    """What the frame was on the line, at least: of CRSF's channels we do not keep the length."""
    if isinstance(frame, CrsfFrame):
        return len(frame.payload) + 4
    return {"crsf": 6, "sbus": 25, "ibus": 31, "dsm": 16, "ghst": 14, "mavlink": 8}[protocol]


def most(protocol: str, frame: Frame) -> int:
    """At most."""
    if isinstance(frame, CrsfFrame):
        return len(frame.payload) + 4
    return {"crsf": 64, "sbus": 25, "ibus": 32, "dsm": 16, "ghst": 14, "mavlink": 280}[protocol]


@pytest.mark.parametrize("protocol", ["crsf", "ibus", "ghst", "mavlink"])
@given(values=st.lists(channels, max_size=4), junk=tricky, cuts=st.lists(st.integers(0, 10_000)))
def test_counters_add_up_to_the_bytes(
    protocol: str, values: list[list[int]], junk: bytes, cuts: list[int]
) -> None:
    survive_split(protocol, b"".join(map(MAKERS[protocol], values)) + junk, cuts)


def survive_split(protocol: str, data: bytes, cuts: list[int]) -> None:
    parser = PARSERS[protocol]()
    found = feed_split(parser, data, cuts, 0) + parser.flush()
    used = len(data) - parser.discarded_bytes - parser.passed_bytes
    assert sum(fewest(protocol, f) for f in found) <= used <= sum(most(protocol, f) for f in found)


@pytest.mark.parametrize("protocol", ["crsf", "ibus"])
@given(
    parts=st.lists(st.tuples(tricky, channels), max_size=4),
    after=tricky,
    cuts=st.lists(st.integers(0, 10_000), max_size=12),
)
def test_junk_before_between_and_after_loses_no_frame(
    protocol: str, parts: list[tuple[bytes, list[int]]], after: bytes, cuts: list[int]
) -> None:
    made = [MAKERS[protocol](values) for _, values in parts]
    data = b"".join(junk + frame for (junk, _), frame in zip(parts, made, strict=True)) + after
    parser = PARSERS[protocol]()
    found = feed_split(parser, data, cuts, 0) + parser.flush()
    wanted = [PARSERS[protocol]().feed(frame, 0)[0] for frame in made]
    # One false frame in 256 has the right check sum, and may hold a part of a true one.
    if all(frame in wanted for frame in found):
        assert [frame for frame in found if frame in wanted] == wanted


@every_frame_counts
@given(parts=st.lists(st.tuples(st.binary(max_size=20), channels), max_size=4))
def test_pause_behind_junk_saves_the_next_frame(
    protocol: str, parts: list[tuple[bytes, list[int]]]
) -> None:
    parser, now_us, found = PARSERS[protocol](), 0, []
    for junk, values in parts:
        found += parser.feed(junk, now_us)
        found += parser.feed(MAKERS[protocol](values), now_us + PAUSE_US)
        now_us += 2 * PAUSE_US
    found += parser.flush()
    wanted = [sent(protocol, values) for _, values in parts]
    assert [raw for raw in channel_values(found) if raw in wanted] == wanted


@every_frame_counts
@given(values=st.lists(channels, max_size=5), cuts=st.lists(st.integers(0, 10_000), max_size=12))
def test_split_reads_give_the_same_frames(
    protocol: str, values: list[list[int]], cuts: list[int]
) -> None:
    data = b"".join(map(MAKERS[protocol], values))
    whole, split = PARSERS[protocol](), PARSERS[protocol]()
    expected = whole.feed(data, 0) + whole.flush()
    found = feed_split(split, data, cuts, 0) + split.flush()
    assert channel_values(found) == channel_values(expected)
    assert len(expected) == len(values)


@pytest.mark.parametrize("protocol", ["crsf", "ibus", "ghst", "mavlink"])
@given(data=tricky, values=channels, cuts=st.lists(st.integers(0, 10_000), max_size=12))
def test_split_noise_gives_the_same_frames(
    protocol: str, data: bytes, values: list[int], cuts: list[int]
) -> None:
    data += MAKERS[protocol](values)
    whole, split = PARSERS[protocol](), PARSERS[protocol]()
    expected = whole.feed(data, 0) + whole.flush()
    found = feed_split(split, data, cuts, 0) + split.flush()
    assert found == expected
    assert split.discarded_bytes == whole.discarded_bytes


@every_frame_counts
@given(noise=tricky, values=channels)
def test_good_frame_after_noise_and_a_pause_is_found(
    protocol: str, noise: bytes, values: list[int]
) -> None:
    parser, frame = PARSERS[protocol](), MAKERS[protocol](values)
    parser.feed(noise, 0)
    found = parser.feed(frame, PAUSE_US) + parser.flush()
    assert channel_values(found)[-1] == sent(protocol, values)


@pytest.mark.parametrize("protocol", ["crsf", "ibus", "ghst", "mavlink"])
@given(values=channels, place=st.integers(0, 1000), change=st.integers(1, 255))
def test_damaged_frame_is_never_taken_for_channels(
    protocol: str, values: list[int], place: int, change: int
) -> None:
    frame = bytearray(MAKERS[protocol](values))
    # The first two bytes of IBUS, and the address of CRSF, may legally differ.
    place = 2 + place % (len(frame) - 2)
    frame[place] ^= change
    parser = PARSERS[protocol]()
    assert sent(protocol, values) not in channel_values(
        parser.feed(bytes(frame), 0) + parser.flush()
    )


@every_frame_counts
@given(noise=tricky, values=channels)
def test_reset_forgets_everything(protocol: str, noise: bytes, values: list[int]) -> None:
    parser, frame = PARSERS[protocol](), MAKERS[protocol](values)
    parser.feed(noise, 0)
    parser.reset()
    assert not parser.is_waiting
    fresh = PARSERS[protocol]()
    found = parser.feed(frame, 10) + parser.flush()
    assert channel_values(found) == channel_values(fresh.feed(frame, 10) + fresh.flush())
