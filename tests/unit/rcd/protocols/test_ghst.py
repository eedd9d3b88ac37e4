"""GHST: frames by the rule of ArduPilot's published test, groups, scales, link, damage."""

from pathlib import Path

import pytest

from saint_services.rcd.protocols import CrsfFrame, LinkFrame, RcFrame
from saint_services.rcd.protocols.crsf import crc8
from saint_services.rcd.protocols.ghst import OLD_FRAMES, GhstParser

STREAM = (Path(__file__).parents[3] / "data" / "ghst-published.bin").read_bytes()
FRAMES = [STREAM[at : at + 14] for at in range(0, len(STREAM), 14)]


def frame(kind: int, fine: int, *rest: int) -> bytes:
    body = bytes([kind]) + sum(fine << 12 * i for i in range(4)).to_bytes(6, "little") + bytes(rest)
    return bytes([0x82, len(body) + 1]) + body + bytes([crc8(body)])


def test_published_frames_have_the_published_values() -> None:
    """As ArduPilot scales them: 12 bits / 4 + 988, 8 bits x 2 + 988."""
    parser = GhstParser()
    found = parser.feed(STREAM, 0)
    assert len(found) == 16 and not parser.discarded_bytes
    for n, each in enumerate(found):
        fine = (1024 + n * 37 % 2048) // 4 + 988
        coarse = [(100 + (n * 7 + i) % 100) * 2 + 988 for i in range(9, 13)]
        assert isinstance(each, RcFrame)
        assert all(abs(us - fine) <= 1 for us in each.us[:4]) and each.us[4:] == coarse


def test_older_scale_has_its_ends_and_its_middle() -> None:
    """As Betaflight and ArduPilot note: 172, 992, 1811 and 22, 124, 226 are 988, 1500, 2012 us."""
    for fine, coarse, wanted in ((344, 22, 988), (1984, 124, 1500), (3622, 226, 2012)):
        (found,) = GhstParser().feed(frame(0x10, fine, *[coarse] * 4), 0)
        assert isinstance(found, RcFrame)
        assert all(abs(us - wanted) <= 3 for us in found.us)


def test_groups_become_sixteen_channels() -> None:
    parser = GhstParser()
    data = b"".join(frame(0x30 + group, 2048, *[group] * 4) for group in range(3))
    counts = [len(each.raw) for each in parser.feed(data, 0) if isinstance(each, RcFrame)]
    assert counts == [8, 12, 16]


def test_group_that_is_missing_holds_all_channels_back() -> None:
    """CH 5 to 8 may hold the stop switch."""
    parser = GhstParser()
    parser.feed(frame(0x30, 2048, 1, 2, 3, 4), 0)
    second = frame(0x31, 2048, 1, 2, 3, 4)
    found = [len(parser.feed(second, n * 4000)) for n in range(1, OLD_FRAMES + 3)]
    assert found == [1] * OLD_FRAMES + [0, 0]
    assert len(parser.feed(frame(0x30, 2048, 1, 2, 3, 4), 90_000)) == 1


def test_second_of_silence_forgets_the_groups() -> None:
    parser = GhstParser()
    parser.feed(frame(0x31, 2048, 1, 2, 3, 4), 0)
    (found,) = parser.feed(frame(0x30, 2048, 1, 2, 3, 4), 1_100_000)
    assert isinstance(found, RcFrame) and len(found.raw) == 8


@pytest.mark.parametrize("kind", [0x13, 0x33])
def test_link_is_reported(kind: int) -> None:
    (found,) = GhstParser().feed(frame(kind, 2048, 97, 63, 0, 0), 7)
    assert found == LinkFrame(7, 97, -63)


def test_other_frames_are_handed_out_as_they_are() -> None:
    body = b"\x21\x01\x02"
    data = bytes([0x82, len(body) + 1]) + body + bytes([crc8(body)])
    assert GhstParser().feed(data, 3) == [CrsfFrame(3, 0x82, 0x21, b"\x01\x02")]


@pytest.mark.parametrize("place", range(14))
@pytest.mark.parametrize("extra", [b"", b"\x55"])
def test_lost_or_added_byte_costs_one_frame(place: int, extra: bytes) -> None:
    damaged = FRAMES[5][:place] + (extra + FRAMES[5][place:] if extra else FRAMES[5][place + 1 :])
    parser = GhstParser()
    found = parser.feed(b"".join([*FRAMES[:5], damaged, *FRAMES[6:]]), 0) + parser.flush()
    assert len(found) >= 15


def test_short_frame_inside_a_damaged_one_has_no_channels() -> None:
    inner = bytes([0x82, 2, 0x30, crc8(b"\x30")])
    damaged = FRAMES[1][:9] + inner
    parser = GhstParser()
    found = parser.feed(damaged + FRAMES[2], 0) + parser.flush()
    assert [each for each in found if isinstance(each, RcFrame)] == GhstParser().feed(FRAMES[2], 0)
