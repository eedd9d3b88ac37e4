"""What the player makes up must be what real devices send: checked by the daemons' own parsers."""

import itertools
import json
import math
import struct
from collections.abc import Iterator

import pytest

from saint_services.livelinkd.protocols import Frame
from saint_services.livelinkd.protocols.llf import decode
from saint_services.rcd.protocols import PARSERS
from tools import feed


def _take(stream: Iterator[bytes], count: int) -> list[bytes]:
    return list(itertools.islice(stream, count))


def test_recording_is_played_byte_for_byte_in_a_loop() -> None:
    recorded = (feed.DATA / "crsf-receiver.bin").read_bytes()
    assert b"".join(_take(feed.rc_stream("recording"), 28)) == 2 * recorded


def test_channels_survive_unpacking_and_packing() -> None:
    for frame in _take(feed.rc_stream("recording"), 14):
        assert feed.pack_channels(feed.unpack_channels(frame)) == frame


def test_swept_frames_are_valid_and_move_only_the_right_stick_and_the_switch_of_legs() -> None:
    frames = _take(feed.rc_stream("sweep"), 600)
    parser = PARSERS["crsf"]()
    for n, frame in enumerate(frames):
        assert len(parser.feed(frame, n * 20_000)) == 1
    channels = [feed.unpack_channels(frame) for frame in frames]
    moved = [len({row[index] for row in channels}) > 1 for index in range(16)]
    assert moved == [True, True] + [False] * 4 + [True] + [False] * 9
    assert {row[6] for row in channels} == {172, 992, 1811}  # low, middle, high
    assert all(172 <= value <= 1811 for row in channels for value in row)


@pytest.mark.parametrize("what", ["recording", "sweep", "demo"])
def test_sticks_rest_during_a_stop_and_for_three_seconds_afterwards(what: str) -> None:
    stopped = [False] * 10 + [True] * 25 + [False] * 400
    looks = iter(stopped)
    frames = _take(feed.rc_stream(what, lambda: next(looks)), len(stopped))
    assert all(len(PARSERS["crsf"]().feed(frame, 0)) == 1 for frame in frames)
    sticks = [feed.unpack_channels(frame)[:4] for frame in frames]
    is_neutral = [each == [992] * 4 for each in sticks]
    assert all(is_neutral[10 : 35 + 149])
    assert not all(is_neutral[35 + 150 :])
    rows = [feed.unpack_channels(frame) for frame in (*frames[10:35], frames[-1])]
    switches = {tuple(row[4:6] + row[7:]) for row in rows}
    assert len(switches) == 1
    assert {row[6] for row in rows[:-1]} == {172}  # a robot with legs is to sit


def test_swept_face_changes_only_the_heads_angles() -> None:
    recorded = max(_take(feed.face_stream("recording"), 20), key=len)
    swept = feed.sweep_face(recorded, 2.0)
    before, after = (struct.unpack(">61f", d[-244:]) for d in (recorded, swept))
    changed = [index for index in range(61) if before[index] != after[index]]
    assert changed == [52, 53]
    assert swept[:-244] == recorded[:-244]


def test_recorded_faces_go_on_with_rising_frame_numbers() -> None:
    lines = (feed.DATA / "live-link-face.jsonl").read_text(encoding="utf-8").splitlines()
    recorded = [bytes.fromhex(json.loads(line)["hex"]) for line in lines]
    played = _take(feed.face_stream("recording"), 40)
    assert [feed.renumbered(d, 0) for d in played] == 2 * [feed.renumbered(d, 0) for d in recorded]
    frames = [decode(datagram) for datagram in played]
    numbers = [frame.number for frame in frames if isinstance(frame, Frame)]
    assert numbers == list(range(numbers[0], numbers[0] + 40))


@pytest.mark.parametrize(("stream", "rate_hz"), [("rc", feed.RC_HZ), ("face", feed.FACE_HZ)])
def test_demo_is_recording_then_sweep_then_recording(stream: str, rate_hz: float) -> None:
    made = feed.rc_stream if stream == "rc" else feed.face_stream
    number = bytes if stream == "rc" else (lambda datagram: feed.renumbered(datagram, 0))
    recorded = {number(item) for item in _take(made("recording"), 20)}
    played = [number(item) for item in _take(made("demo"), math.ceil(16 * rate_hz))]
    is_recorded = [item in recorded for item in played]
    assert all(is_recorded[: int(2.9 * rate_hz)])
    assert not any(is_recorded[int(4 * rate_hz) : int(5 * rate_hz)])
    assert all(is_recorded[int(15.1 * rate_hz) :])
