"""CRSF of the firmware against rcd's reader, and the choice between two receivers."""

from hypothesis import given
from hypothesis import strategies as st

from image.boards.io.crsf import CrsfParser, channels_us
from image.boards.io.receivers import CROSSFIRE, ELRS, NEITHER, NEUTRAL_US, Receivers
from saint_services.rcd.protocols.crsf import CrsfParser as RcdParser
from saint_services.rcd.protocols.frames import ELEVEN_BIT, RcFrame
from tests.unit.boards.bench import crsf_channels, crsf_frame

US = [1500] * 16


@given(st.lists(st.integers(0, 2047), min_size=16, max_size=16))
def test_channels_are_those_of_rcd(ticks: list[int]) -> None:
    bits = sum(each << 11 * n for n, each in enumerate(ticks))
    found = channels_us(bits.to_bytes(22, "little"))
    assert list(found) == [ELEVEN_BIT.whole[each] for each in ticks]


@given(
    st.lists(st.tuples(st.binary(max_size=20), st.integers(1000, 2000))),
    st.lists(st.integers(1, 30), min_size=1),
)
def test_parser_finds_what_rcd_finds_however_the_bytes_are_cut(
    parts: list[tuple[bytes, int]], cuts: list[int]
) -> None:
    data = b"".join(noise + crsf_channels([us] * 16) for noise, us in parts)
    rcd, cut = RcdParser(), CrsfParser()
    frames = rcd.feed(data, 0) + rcd.flush()
    expected = [frame.us for frame in frames if isinstance(frame, RcFrame)]
    found, at, number = [], 0, 0
    while at < len(data):
        size = cuts[number % len(cuts)]
        number += 1
        found += cut.feed(data[at : at + size])
        at += size
    found += cut.flush()
    assert [list(each[1]) for each in found if each[0] == "channels"] == expected


def test_broken_frames_are_refused() -> None:
    frame = bytearray(crsf_channels(US))
    frame[7] ^= 1
    assert CrsfParser().feed(bytes(frame)) == []
    assert CrsfParser().feed(crsf_frame(0x16, bytes(21))) == []
    assert CrsfParser().feed(b"\xc8\x01\x00" * 20) == []


def feed(receivers: Receivers, which: int, now_ms: int, us: int = 1500) -> None:
    receivers.each[which].feed(crsf_channels([us] * 16), now_ms)
    receivers.update(now_ms)


def test_nothing_is_in_use_until_a_receiver_is_steady() -> None:
    receivers = Receivers()
    for now_ms in range(0, 200, 20):
        feed(receivers, CROSSFIRE, now_ms)
        assert receivers.active == NEITHER
        assert receivers.channels == NEUTRAL_US
    feed(receivers, CROSSFIRE, 200)
    assert receivers.active == CROSSFIRE


def test_elrs_alone_is_used() -> None:
    receivers = Receivers()
    for now_ms in range(0, 400, 20):
        feed(receivers, ELRS, now_ms)
    assert receivers.active == ELRS


def test_loss_of_crossfire_changes_to_elrs_after_300_ms_not_before() -> None:
    receivers = Receivers()
    for now_ms in range(0, 1000, 20):
        feed(receivers, CROSSFIRE, now_ms)
        feed(receivers, ELRS, now_ms)
    for now_ms in range(1000, 1280, 20):
        feed(receivers, ELRS, now_ms)
        assert receivers.active == CROSSFIRE
    receivers.update(1281)
    assert receivers.active == ELRS


def test_reports_say_which_channels_are_new() -> None:
    receivers = Receivers()
    for now_ms in range(0, 400, 20):
        feed(receivers, CROSSFIRE, now_ms, 1600)
    assert receivers.report()[-1] == 5
    assert receivers.report()[-1] == 1
    receivers.update(5000)
    assert receivers.report() == (*NEUTRAL_US, 0)
