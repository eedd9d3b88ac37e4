"""What the IO board takes for a frame of a receiver, byte by byte. Numbers are typed by hand."""

import pytest

from image.boards.io.crsf import CrsfParser, channels_us, crc_d5
from tests.unit.boards.bench import crsf_channels, crsf_frame

US = [1500, 1500, 1600, 1400, 2000, 1000, 1700, 1000] + [1000] * 8
CHANNELS = ("channels", tuple(US))
LINK = bytes((60, 70, 99, 5, 0, 0, 0, 0, 0, 0))  # RSSI of both antennas, quality, ..., antenna


def test_check_value_of_the_crc_is_the_published_one() -> None:
    assert crc_d5(b"123456789") == 0xBC
    assert crc_d5(b"") == 0


def test_each_channel_has_11_bits_and_992_is_1500_us() -> None:
    ticks = [992, 172, 1811, 191, 1792, 0, 2047, 993, 991, 994, 1000, 1, 2046, 500, 1500, 1024]
    bits = sum(each << 11 * number for number, each in enumerate(ticks))
    found = channels_us(bits.to_bytes(22, "little") + b"\xff")
    us = (1500, 988, 2012, 999, 2000, 880, 2159, 1501, 1499, 1501, 1505, 881, 2159, 1193, 1818)
    assert found == (*us, 1520)


def test_frame_that_is_cut_anywhere_is_found_with_its_last_byte() -> None:
    frame = crsf_channels(US)
    for cut in range(1, len(frame)):
        parser = CrsfParser()
        assert parser.feed(frame[:cut]) == []
        assert parser.feed(frame[cut:]) == [CHANNELS]
        assert (parser.frames, parser.discarded_bytes) == (1, 0)


def test_frames_behind_each_other_are_found_together() -> None:
    parser = CrsfParser()
    found = parser.feed(crsf_channels(US) + crsf_frame(0x14, LINK) + crsf_channels(US))
    assert found == [CHANNELS, ("link", -60, 99), CHANNELS]
    assert (parser.frames, parser.discarded_bytes) == (3, 0)


@pytest.mark.parametrize(
    ("first", "is_one"),
    [(0xC8, 1), (0xEA, 1), (0xEC, 1), (0xEE, 1), (0xC9, 0), (0xEB, 0), (0xED, 0), (0xEF, 0)],
)
def test_frame_begins_with_an_address_of_the_protocol(first: int, is_one: int) -> None:
    parser = CrsfParser()
    data = bytes((first,)) + crsf_channels([1500] * 16)[1:]
    assert len(parser.feed(data) + parser.flush()) == is_one
    assert parser.discarded_bytes == (0 if is_one else 26)


@pytest.mark.parametrize(("count", "frames"), [(-1, 0), (0, 1), (60, 1), (61, 0)])
def test_frame_has_4_to_64_bytes(count: int, frames: int) -> None:
    """Beyond, it is a false start, which does not wait for its end."""
    content = bytes((0x16,)) + bytes(count) if count >= 0 else b""
    parser = CrsfParser()
    parser.feed(bytes((0xC8, len(content) + 1)) + content + bytes((crc_d5(content),)))
    assert parser.frames == frames
    assert parser.feed(crsf_channels(US))[-1] == CHANNELS


@pytest.mark.parametrize("length", [0, 1, 63, 255])
def test_false_start_with_an_impossible_length_does_not_hold_up_the_next(length: int) -> None:
    parser = CrsfParser()
    assert parser.feed(bytes((0xC8, length)) + crsf_channels(US)) == [CHANNELS]
    assert parser.discarded_bytes == 2


@pytest.mark.parametrize("place", range(2, 26))
def test_frame_with_a_wrong_bit_is_none(place: int) -> None:
    frame = bytearray(crsf_channels(US))
    frame[place] ^= 1
    parser = CrsfParser()
    assert parser.feed(bytes(frame)) + parser.flush() == []
    assert (parser.frames, parser.discarded_bytes) == (0, 26)


@pytest.mark.parametrize(("count", "frames"), [(21, 0), (22, 1), (23, 1)])
def test_channels_need_22_bytes(count: int, frames: int) -> None:
    assert len(CrsfParser().feed(crsf_frame(0x16, bytes(count)))) == frames


@pytest.mark.parametrize(("count", "frames"), [(9, 0), (10, 1), (11, 1)])
def test_state_of_the_radio_needs_10_bytes(count: int, frames: int) -> None:
    assert len(CrsfParser().feed(crsf_frame(0x14, bytes(count)))) == frames


@pytest.mark.parametrize(("antenna", "rssi"), [(0, -60), (1, -70), (2, -60)])
def test_signal_is_that_of_the_antenna_in_use(antenna: int, rssi: int) -> None:
    payload = LINK[:4] + bytes((antenna,)) + LINK[5:]
    assert CrsfParser().feed(crsf_frame(0x14, payload)) == [("link", rssi, 99)]


@pytest.mark.parametrize("kind", [0x15, 0x17, 0x13, 0x29])
def test_other_frames_are_skipped_whole(kind: int) -> None:
    parser = CrsfParser()
    assert parser.feed(crsf_frame(kind, bytes(30))) == []
    assert (parser.frames, parser.discarded_bytes) == (1, 0)


def test_frame_behind_a_false_start_is_found_after_the_pause() -> None:
    parser = CrsfParser()
    assert parser.feed(b"\xc8\x30" + crsf_channels(US)) == []
    assert parser.flush() == [CHANNELS]
    assert (parser.frames, parser.discarded_bytes) == (1, 2)
    assert parser.flush() == []
    assert parser.discarded_bytes == 2


def test_begin_of_a_frame_is_forgotten_after_the_pause() -> None:
    parser = CrsfParser()
    parser.feed(crsf_channels(US)[:20])
    assert parser.flush() == []
    assert parser.discarded_bytes == 20
    assert parser.feed(crsf_channels(US)) == [CHANNELS]
