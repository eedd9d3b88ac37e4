"""Spektrum satellites: published streams of both forms, merging, and what must not count."""

import json
from pathlib import Path

import pytest

from saint_services.rcd.protocols import RcFrame
from saint_services.rcd.protocols.dsm import LENGTH, DsmParser

DATA = Path(__file__).parents[3] / "data"
# In ArduPilot's order (aileron, elevator, throttle, rudder), as its test has them.
PUBLISHED = {
    "dsm2-10bit": [1498, 1496, 999, 1497, 1901, 1901, 1099],
    "dsmx-genuine-22ms": [1503, 1503, 1120, 1503, 1137, 1379, 1096, 1096, *[1500] * 4],
    "dsmx-22ms": [1500, 1500, 1096, 1499, 1796, 1099, *[1500] * 6],
    "dsmx-11ms": [1500, 1500, 1096, 1498, 1796, 1099, *[1500] * 4],
}
TWO_KINDS = "dsmx-22ms"


def reads(name: str) -> list[tuple[bytes, int]]:
    lines = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]
    return [(bytes.fromhex(line["hex"]), line["t_us"]) for line in lines]


def decoded(parser: DsmParser, given: list[tuple[bytes, int]]) -> list[RcFrame]:
    found = [frame for data, t_us in given for frame in parser.feed(data, t_us)]
    assert all(isinstance(frame, RcFrame) for frame in found)
    return found  # type: ignore[return-value]


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_streams_have_the_published_values(name: str) -> None:
    parser = DsmParser()
    frames = decoded(parser, reads(name))
    throttle, aileron, elevator, *rest = frames[-1].us
    wanted = PUBLISHED[name]
    assert len(frames) >= 10 and len(frames[-1].us) == len(wanted)
    for us, published in zip([aileron, elevator, throttle, *rest], wanted, strict=True):
        assert abs(us - published) <= 1
    assert (parser.rejected, parser.discarded_bytes) == (0, 0)


def test_video_settings_in_a_frame_are_no_channels() -> None:
    parser, given = DsmParser(), reads(TWO_KINDS)
    count = len(decoded(parser, given)[-1].raw)
    last_us = given[-1][1]
    vtx = bytes.fromhex("00B20C002956140025F83400E000E00A")
    for n in range(4):
        found = decoded(parser, [(vtx, last_us + (2 * n + 1) * 22_000)])
        found += decoded(parser, [(given[1][0], last_us + (2 * n + 2) * 22_000)])
        assert all(len(frame.raw) == count for frame in found)


def test_half_of_the_channels_alone_does_not_count() -> None:
    """The other half may hold the stop switch."""
    parser, given = DsmParser(), reads(TWO_KINDS)
    decoded(parser, given)
    later = [(given[0][0], given[-1][1] + n * 22_000) for n in range(1, 40)]
    assert len(decoded(parser, later)) <= 1


def test_second_of_silence_forgets_the_transmitter() -> None:
    parser, given = DsmParser(), reads(TWO_KINDS)
    decoded(parser, given)
    t_us = given[-1][1] + 1_100_000
    later = [(data, t_us + at) for data, at in reads("dsm2-10bit")]
    assert len(decoded(parser, later)[-1].us) == 7


@pytest.mark.parametrize("cut", range(1, LENGTH))
def test_shifted_bytes_never_count(cut: int) -> None:
    parser, given = DsmParser(), reads(TWO_KINDS)
    good = {frame.raw for frame in decoded(parser, given)}
    t_us = given[-1][1]
    data = b"".join(data for data, _ in given)[cut:]
    found = decoded(parser, [(data[:64], t_us + 22_000), (given[0][0], t_us + 44_000)])
    assert {frame.raw for frame in found} <= good


def test_frames_of_one_read_are_cut_apart() -> None:
    whole, split = DsmParser(), DsmParser()
    given = reads(TWO_KINDS)
    joined = [(a[0] + b[0], b[1]) for a, b in zip(given[::2], given[1::2], strict=True)]
    assert decoded(whole, joined)[-1].raw == decoded(split, given)[-1].raw


def test_part_of_a_frame_is_dropped_with_what_it_may_have_held() -> None:
    parser, given = DsmParser(), reads(TWO_KINDS)
    decoded(parser, given)
    t_us = given[-1][1]
    assert decoded(parser, [(given[0][0][:9], t_us + 22_000)]) == []
    assert decoded(parser, [(given[1][0], t_us + 44_000)]) == []
    assert parser.rejected == 1 and parser.discarded_bytes == 9
    assert len(decoded(parser, [(given[0][0], t_us + 66_000)])) == 1
