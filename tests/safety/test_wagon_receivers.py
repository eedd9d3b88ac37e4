"""Two receivers of the wagon, and which one is used, at the very bound of each rule. Numbers are
typed by hand.
"""

import pytest

from image.boards.io.receivers import CROSSFIRE, ELRS, NEITHER, NEUTRAL_US, Receiver, Receivers
from tests.unit.boards.bench import crsf_channels, crsf_frame

CHANNELS = [1600] * 4 + [2000] * 12
FRAME = crsf_channels(CHANNELS)


def link(quality: int, rssi: int = 60) -> bytes:
    return crsf_frame(0x14, bytes((rssi, 70, quality) + (0,) * 7))


def fed(*which: int, until_ms: int = 2000) -> Receivers:
    receivers = Receivers()
    for now_ms in range(0, until_ms + 1, 20):
        for each in which:
            receivers.each[each].feed(FRAME, now_ms)
        receivers.update(now_ms)
    return receivers


def at(receivers: Receivers, now_ms: int) -> int:
    receivers.update(now_ms)
    found: int = receivers.active
    return found


def test_without_a_receiver_sticks_rest_and_the_switch_is_at_disarm() -> None:
    assert NEUTRAL_US == (1500,) * 4 + (1000,) * 12
    receivers = Receivers()
    assert (receivers.active, receivers.channels) == (NEITHER, NEUTRAL_US)
    for each in receivers.each:
        assert (each.channels, each.rssi_dbm, each.quality) == (NEUTRAL_US, -128, 100)
        assert (each.is_new, each.is_alive(0), each.signal_dbm(0)) == (False, False, -128)
    assert not receivers.has_news
    assert receivers.report() == (*NEUTRAL_US, 0)


@pytest.mark.parametrize(("now_ms", "is_alive"), [(5, False), (6, True)])
def test_frame_behind_a_false_start_is_found_behind_a_pause_of_5_ms(
    now_ms: int, is_alive: bool
) -> None:
    receiver = Receiver()
    receiver.feed(b"\xc8\x30" + FRAME, 0)
    receiver.feed(b"", 1)
    assert not receiver.is_alive(1)
    receiver.feed(b"", now_ms)
    assert receiver.is_alive(now_ms) is is_alive


@pytest.mark.parametrize(("now_ms", "count"), [(5, 0), (6, 2)])
def test_false_start_is_given_up_with_what_comes_behind_the_pause(now_ms: int, count: int) -> None:
    receiver = Receiver()
    receiver.feed(b"\xc8\x3e" + FRAME, 0)
    receiver.feed(FRAME, now_ms)
    assert receiver._parser.frames == count
    receiver.feed(b"", now_ms + 5)
    assert receiver._parser.frames == count
    receiver.feed(b"", now_ms + 6)
    assert receiver._parser.frames == 2


@pytest.mark.parametrize(("rssi", "dbm"), [(60, -60), (128, -128), (129, -128), (255, -128)])
def test_signal_has_the_range_of_its_message(rssi: int, dbm: int) -> None:
    receiver = Receiver()
    receiver.feed(link(90, rssi) + FRAME, 0)
    assert (receiver.rssi_dbm, receiver.quality) == (dbm, 90)
    assert receiver.signal_dbm(300) == dbm
    assert receiver.signal_dbm(301) == -128


@pytest.mark.parametrize(("quality", "is_alive"), [(0, False), (1, True)])
def test_channels_without_a_radio_link_do_not_count(quality: int, is_alive: bool) -> None:
    receiver = Receiver()
    receiver.feed(FRAME, 0)
    receiver.feed(link(quality), 10)
    assert receiver.is_alive(10) is is_alive
    receiver.is_new = False
    receiver.feed(FRAME, 300)
    assert receiver.is_new is is_alive
    receiver.feed(link(50), 400)
    assert receiver.is_alive(400) is is_alive  # those of 300 do not count later either


def test_first_receiver_must_be_steady_for_200_ms() -> None:
    for which in (CROSSFIRE, ELRS):
        receivers = Receivers()
        for now_ms in range(0, 200, 20):
            receivers.each[which].feed(FRAME, now_ms)
            assert at(receivers, now_ms) == NEITHER
        assert at(receivers, 199) == NEITHER
        assert at(receivers, 200) == which
        assert receivers.channels == tuple(CHANNELS)


def test_crossfire_counts_before_elrs_where_both_are_steady() -> None:
    assert fed(CROSSFIRE, ELRS).active == CROSSFIRE


def returning(until_ms: int) -> Receivers:
    """Both, of which Crossfire was lost at 2000 ms and is back from 3000 ms on."""
    receivers = fed(CROSSFIRE, ELRS)
    for now_ms in range(2020, until_ms + 1, 20):
        receivers.each[ELRS].feed(FRAME, now_ms)
        if now_ms >= 3000:
            receivers.each[CROSSFIRE].feed(FRAME, now_ms)
        receivers.update(now_ms)
    return receivers


def test_crossfire_returns_where_it_was_steady_for_a_second() -> None:
    receivers = returning(3980)
    assert receivers.active == ELRS
    assert at(receivers, 3999) == ELRS
    assert at(receivers, 4000) == CROSSFIRE


@pytest.mark.parametrize(("age_ms", "active"), [(100, CROSSFIRE), (101, NEITHER)])
def test_crossfire_that_is_fresh_takes_over_from_a_lost_elrs(age_ms: int, active: int) -> None:
    receivers = fed(ELRS)
    assert at(receivers, 2300) == ELRS
    receivers.each[CROSSFIRE].feed(FRAME, 2301 - age_ms)
    assert at(receivers, 2301) == active


def test_elrs_alone_that_is_lost_leaves_neither() -> None:
    receivers = fed(ELRS)
    assert at(receivers, 2301) == NEITHER
    assert receivers.channels == NEUTRAL_US


def test_crossfire_with_gaps_does_not_return() -> None:
    receivers = fed(ELRS)
    for now_ms in range(2020, 5000, 20):
        receivers.each[ELRS].feed(FRAME, now_ms)
        if now_ms % 120 == 0:
            receivers.each[CROSSFIRE].feed(FRAME, now_ms)
        assert at(receivers, now_ms) == ELRS


def test_report_says_who_is_used_and_what_is_new() -> None:
    receivers = fed(CROSSFIRE, ELRS)
    assert receivers.has_news
    assert receivers.report() == (*CHANNELS, 1 + 4)
    assert not receivers.has_news
    assert receivers.report() == (*CHANNELS, 1)
    receivers.each[ELRS].feed(FRAME, 2300)
    assert not receivers.has_news  # the other one's
    receivers.update(2301)
    assert receivers.report() == (*CHANNELS, 1 + 2 + 4)
    assert receivers.report() == (*CHANNELS, 1 + 2)
    receivers.each[CROSSFIRE].is_new = receivers.each[ELRS].is_new = True
    receivers.report()
    assert not receivers.each[CROSSFIRE].is_new
    assert not receivers.each[ELRS].is_new
    receivers.each[ELRS].is_new = True
    receivers.active = NEITHER
    assert not receivers.has_news
