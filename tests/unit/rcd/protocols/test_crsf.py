"""CRSF frames in a byte stream: PX4's capture, Betaflight's and EdgeTX's cases, known traps."""

from pathlib import Path

import pytest

from saint_services.rcd.protocols import CrsfFrame, RcFrame
from saint_services.rcd.protocols.crsf import CrsfParser, crc8
from saint_services.rcd.protocols.crsf_telemetry import (
    Attitude,
    Battery,
    FlightMode,
    LinkStatistics,
    telemetry,
)

DATA = Path(__file__).parents[3] / "data"
CENTER = sum(992 << 11 * i for i in range(16)).to_bytes(22, "little")
# A payload full of sync bytes: a search through it meets false starts.
FULL_OF_SYNC = bytes([0xC8, 0x18] * 11)


def crsf(kind: int, payload: bytes, address: int = 0xC8) -> bytes:
    body = bytes([kind]) + payload
    return bytes([address, len(body) + 1]) + body + bytes([crc8(body)])


GOOD = crsf(0x16, CENTER)


def decode(data: bytes) -> tuple[CrsfParser, list[RcFrame | CrsfFrame]]:
    parser = CrsfParser()
    return parser, parser.feed(data, 0) + parser.flush()


def test_capture_gives_fourteen_frames() -> None:
    parser, frames = decode((DATA / "crsf-receiver.bin").read_bytes())
    assert (parser.frames, parser.rejected, parser.discarded_bytes) == (14, 0, 0)
    first = frames[0]
    assert isinstance(first, RcFrame)
    assert first.raw[:7] == (172, 992, 1000, 1005, 992, 172, 172)
    assert first.us[:4] == [988, 1500, 1505, 1508]


def test_crc_is_that_of_the_specification() -> None:
    assert crc8(b"123456789") == 0xBC


def test_scale_reaches_the_known_points() -> None:
    us = RcFrame(0, (172, 191, 992, 1792, 1811, 0, 1984), decode(GOOD)[1][0].scale).us
    assert us == [988, 999, 1500, 2000, 2012, 880, 2120]


def test_broadcast_address_of_a_real_receiver_is_read() -> None:
    data = bytes.fromhex(
        "001816bd089ff4aef7bdef7deffbadfd452b5a0100000000006c"
        "001816bd089ff4aaf7bdef7deffbadfd452b5a01000000000094"
    )
    frames = decode(data)[1]
    assert [frame.raw[:4] for frame in frames] == [(189, 993, 978, 983), (189, 993, 978, 981)]


def test_subset_frame_names_its_first_channel() -> None:
    (frame,) = decode(bytes.fromhex("c809172400a0d9e9ff0fd1"))[1]
    assert frame.first_channel == 4
    assert frame.raw == (0, 820, 1959, 2047)
    assert frame.us == [988, 1398, 1968, 2012]


def test_subset_resolutions_have_their_own_scale() -> None:
    for code, raw in ((0, 1023), (1, 2047), (2, 4095), (3, 8191)):
        payload = bytes([code << 5]) + raw.to_bytes(2, "little")
        (frame,) = decode(crsf(0x17, payload))[1]
        assert frame.raw == (raw,)
        assert 2011 <= frame.us[0] <= 2012


def test_subset_channels_past_sixteen_are_left_out() -> None:
    (frame,) = decode(crsf(0x17, bytes([15, 0x55, 0xA9, 0x0A])))[1]
    assert frame.raw == (0x155,)
    (other,) = decode(crsf(0x17, bytes([16, 0x55, 0xA9, 0x0A])))[1]
    assert isinstance(other, CrsfFrame)


def test_longer_channel_payload_is_used_and_a_shorter_one_is_not() -> None:
    longer, shorter = decode(crsf(0x16, CENTER + b"\x01\x02") + crsf(0x16, CENTER[:-1]))[1]
    assert isinstance(longer, RcFrame) and longer.raw == (992,) * 16
    assert isinstance(shorter, CrsfFrame)


def test_broken_frame_is_rejected_once_and_the_next_is_found() -> None:
    broken = crsf(0x16, FULL_OF_SYNC)[:-1] + b"\x00"
    parser, frames = decode(broken + GOOD + GOOD)
    assert (len(frames), parser.rejected, parser.discarded_bytes) == (2, 1, 26)


def test_each_broken_frame_in_a_row_is_rejected() -> None:
    broken = crsf(0x16, CENTER)[:-1] + b"\x00"
    parser, frames = decode(broken + broken + GOOD)
    assert (len(frames), parser.rejected, parser.discarded_bytes) == (1, 2, 52)


@pytest.mark.parametrize("address", [0xC8, 0xEA, 0xEC, 0xEE, 0x00])
@pytest.mark.parametrize("before", [b"", b"\x55", b"\xc8", b"\x00", b"\xc8\x3e", bytes(5)])
def test_every_address_is_found_behind_junk(address: int, before: bytes) -> None:
    kinds = {0x16: CENTER, 0x28: b"\0\xea", 0x29: bytes(range(40)), 0x21: b"OK\0"}
    for kind, payload in kinds.items():
        frames = decode(before + crsf(kind, payload, address) + GOOD)[1]
        assert [(frame.address, frame.type) for frame in frames] == [(address, kind), (0xC8, 0x16)]


def test_zeros_in_damage_are_no_broadcast() -> None:
    damaged = GOOD[:5] + b"\x00\x03\x55" + crsf(0x55, b"\x01")[-2:] + bytes(15)
    assert [frame.type for frame in decode(damaged + GOOD)[1]] == [0x16]


@pytest.mark.parametrize("length", [2, 62])
def test_shortest_and_longest_frame_are_read(length: int) -> None:
    parser, frames = decode(crsf(0x29, bytes(length - 2)) + GOOD)
    assert [len(frame.payload) for frame in frames[:1]] == [length - 2]
    assert (len(frames), parser.discarded_bytes) == (2, 0)


def test_impossible_lengths_do_not_hold_up_the_stream() -> None:
    for length in (0, 1, 63, 64, 255):
        parser, frames = decode(bytes([0xC8, length]) + GOOD)
        assert len(frames) == 1, length
        assert parser.discarded_bytes == 2


def test_good_frame_behind_a_long_false_start_is_found_at_the_pause() -> None:
    parser = CrsfParser()
    assert parser.feed(b"\xc8\x3e\x16" + GOOD, 0) == []
    assert parser.is_waiting
    frames = parser.feed(GOOD, 6_000)
    assert [frame.t_us for frame in frames] == [0, 6_000]


def test_truncated_frame_is_not_completed_by_the_next_one() -> None:
    parser, frames = decode(GOOD + GOOD[:12] + b"\x55\xaa\x37" + GOOD + GOOD)
    assert len(frames) == 3
    assert parser.discarded_bytes == 15


def test_half_frame_is_forgotten_when_the_port_closes() -> None:
    parser = CrsfParser()
    parser.feed(GOOD[:20], 0)
    parser.reset()
    assert parser.feed(GOOD[20:], 100) + parser.flush() == []
    assert parser.discarded_bytes == len(GOOD)


def test_telemetry_is_understood() -> None:
    link = crsf(0x14, bytes([60, 55, 98, 0xFB, 1, 2, 3, 70, 99, 8]))
    battery = crsf(0x08, bytes.fromhex("00a800150004d2 4b"))
    attitude = crsf(0x1E, bytes.fromhex("03e8fc180000"))
    mode = crsf(0x21, b"ACRO\0", address=0xEA)
    found = [telemetry(f) for f in decode(link + battery + attitude + mode)[1]]
    assert found == [
        LinkStatistics(-60, -55, 98, -5, 1, 2, 100, -70, 99, 8),
        Battery(16.8, 2.1, 1234, 75),
        Attitude(0.1, -0.1, 0.0),
        FlightMode("ACRO"),
    ]
    assert found[0].rssi_dbm == -55


def test_short_telemetry_and_commands_are_other_frames() -> None:
    baud_rate = bytes.fromhex("c80c32c8ec0a7001001e84802272")
    frames = decode(baud_rate + crsf(0x14, b"\1\2"))[1]
    assert [frame.type for frame in frames] == [0x32, 0x14]
    assert [telemetry(frame) for frame in frames] == [None, None]
