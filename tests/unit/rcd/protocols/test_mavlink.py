"""MAVLink: messages that pymavlink made, senders, releases, failsafe, foreign messages."""

import struct
from pathlib import Path

import pytest

from saint_services.rcd.protocols import RcFrame
from saint_services.rcd.protocols.mavlink import (
    CRC_EXTRAS,
    LEFT_OUT,
    OVERRIDE,
    RADIO,
    RELEASE,
    MavlinkParser,
    crc16,
)

DATA = Path(__file__).parents[3] / "data"
SENT = [1500, 1234, 1000, 2000, 1750, 1250, 1100, 1900, 1010, 1020, 1030, 1040, 1050, 1060, 1070,
        1080, 988, 2012]  # fmt: skip


def channels(data: bytes, now_us: int = 0) -> list[RcFrame]:
    parser = MavlinkParser()
    found = parser.feed(data, now_us) + parser.flush()
    assert all(isinstance(each, RcFrame) for each in found)
    assert not parser.discarded_bytes
    return found  # type: ignore[return-value]


def override(*us: int, system: int = 255, sequence: int = 0) -> bytes:
    values = [*us, *[LEFT_OUT] * 8][:8]
    payload = struct.pack("<8HBB", *values, 1, 1)
    body = bytes([len(payload), sequence, system, 190, OVERRIDE]) + payload
    return b"\xfe" + body + struct.pack("<H", crc16(body + bytes([CRC_EXTRAS[OVERRIDE]])))


@pytest.mark.parametrize(("name", "count"), [("mavlink1-override", 8), ("mavlink2-override", 18)])
def test_overrides_of_both_versions_among_other_messages(name: str, count: int) -> None:
    first, second = channels((DATA / f"{name}.bin").read_bytes())
    assert first.us == SENT[:count] and second.us == [us + 1 for us in SENT[:count]]
    assert not first.failsafe


def test_signed_message_is_as_long_as_it_is() -> None:
    (found,) = channels((DATA / "mavlink2-signed.bin").read_bytes())
    assert found.us == SENT


def test_radio_channels_with_their_flags() -> None:
    good, outdated, lost = channels((DATA / "mavlink2-radio.bin").read_bytes())
    assert good.us[:7] == [860, 2140, 1500, 1660, 1340, 2000, 1000] and len(good.us) == 16
    assert (good.failsafe, good.frame_lost) == (False, False)
    assert (outdated.failsafe, outdated.frame_lost) == (False, True)
    assert lost.failsafe


@pytest.mark.parametrize("first", [RELEASE, LEFT_OUT, 699, 2301])
def test_override_without_a_first_channel_is_failsafe(first: int) -> None:
    (found,) = channels(override(first, 1500, 1500))
    assert found.failsafe and found.raw == ()


def test_channels_end_where_one_is_left_out() -> None:
    (found,) = channels(override(1500, 1600, LEFT_OUT, 1700))
    assert found.us == [1500, 1600] and not found.failsafe


def test_channel_that_no_longer_comes_is_failsafe() -> None:
    full, part = channels(override(1500, 1500, 1500) + override(1500, 1500))
    assert not full.failsafe and part.failsafe


def test_second_sender_does_not_count_before_the_first_is_silent() -> None:
    parser = MavlinkParser()
    assert len(parser.feed(override(1500, system=255), 0)) == 1
    assert parser.feed(override(2000, system=51), 500_000) == []
    assert len(parser.feed(override(1500, system=255), 900_000)) == 1
    assert parser.feed(override(2000, system=51), 1_800_000) == []
    (found,) = parser.feed(override(2000, system=51), 2_000_000)
    assert isinstance(found, RcFrame) and found.us == [2000]


def test_channels_are_nothing_but_channels() -> None:
    """Arming, modes and commands of MAVLink have no way into the robot."""
    assert {OVERRIDE, RADIO} == {70, 420}
    command = struct.pack("<7fHBBB", *[1.0] * 7, 400, 1, 1, 0)  # COMMAND_LONG, arm
    body = bytes([len(command), 0, 255, 190, 76]) + command
    data = b"\xfe" + body + struct.pack("<H", crc16(body + bytes([CRC_EXTRAS[76]])))
    assert channels(data) == []


def test_flag_that_nobody_knows_is_refused() -> None:
    data = bytearray((DATA / "mavlink2-signed.bin").read_bytes())
    data[2] |= 2
    parser = MavlinkParser()
    assert parser.feed(bytes(data), 0) + parser.flush() == []
