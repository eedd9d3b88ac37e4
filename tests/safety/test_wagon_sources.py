"""Who drives the wagon, at the very bound of each rule: pilot, computer and bench. Numbers are
typed by hand.
"""

import pytest

from image.boards.balance.sources import Bench, Computer, Pilot, Sources
from image.boards.shared import tables as t

ALIVE, NEW = 1, 5
CHANNELS = [1500, 1500, 1500, 1500, 2000, 2000, 2000, 1000] + [1000] * 8
MODE_CHANNEL = 5


def test_new_pilot_rests_disarmed_in_rc_mode() -> None:
    pilot = Pilot()
    assert pilot.channels == (1500,) * 4 + (1000,) * 12
    assert (pilot.speed, pilot.steer, pilot.is_neutral) == (0, 0, True)
    assert (pilot.is_elrs, pilot.must_release, pilot.is_alive(0)) == (False, False, False)


def test_new_computer_rests_in_rc_mode_and_is_not_there() -> None:
    for computer in (Computer(), Bench()):
        assert (computer.speed, computer.steer, computer.flags, computer.mode) == (0, 0, 0, 0)
        assert computer.is_neutral
        assert not computer.is_alive(0)
        assert not computer.is_coming(0)
        assert not computer.is_steady(0)
    assert Sources().mode == 0
    assert Sources().command(0, True) is None


@pytest.mark.parametrize(
    ("us", "is_alive"), [(799, False), (800, True), (2200, True), (2201, False)]
)
@pytest.mark.parametrize("channel", [0, 15])
def test_pulses_of_800_to_2200_us_are_possible(us: int, channel: int, is_alive: bool) -> None:
    pilot, us_of_all = Pilot(), list(CHANNELS)
    us_of_all[channel] = us
    pilot.received((*us_of_all, NEW), 0)
    assert pilot.is_alive(0) is is_alive


def test_stick_to_the_right_steers_right() -> None:
    pilot = Pilot()
    pilot.received((1700, 1600, *CHANNELS[2:], NEW), 0)
    assert (pilot.speed, pilot.steer) == (200, -400)


@pytest.mark.parametrize(
    ("us", "is_neutral"), [(1474, False), (1475, True), (1525, True), (1526, False)]
)
@pytest.mark.parametrize("channel", [0, 1])
def test_stick_is_neutral_up_to_50_thousandths(channel: int, us: int, is_neutral: bool) -> None:
    pilot, us_of_all = Pilot(), list(CHANNELS)
    us_of_all[channel] = us
    pilot.received((*us_of_all, NEW), 0)
    assert pilot.is_neutral is is_neutral


@pytest.mark.parametrize(
    ("value", "is_neutral"), [(-51, False), (-50, True), (50, True), (51, False)]
)
def test_computer_is_neutral_up_to_50_thousandths(value: int, is_neutral: bool) -> None:
    for speed, steer in ((value, 0), (0, value)):
        computer = Computer()
        computer.command((speed, steer, 2, 0), 0)
        assert computer.is_neutral is is_neutral


def sent(pilot: Pilot, speed_us: int, steer_us: int, flags: int, now_ms: int) -> None:
    values = list(CHANNELS)
    values[0], values[1] = steer_us, speed_us
    pilot.received((*values, flags), now_ms)


@pytest.mark.parametrize(
    ("speed_us", "steer_us", "must_release"),
    [(1650, 1500, False), (1651, 1500, True), (1349, 1500, True), (1500, 1651, True),
     (1500, 1650, False)],
)  # fmt: skip
def test_sticks_of_another_receiver_must_be_released_where_they_stand_elsewhere(
    speed_us: int, steer_us: int, must_release: bool
) -> None:
    pilot = Pilot()
    sent(pilot, 1500, 1500, NEW, 0)
    sent(pilot, 2000, 2000, NEW, 10)
    assert not pilot.must_release  # the same receiver
    sent(pilot, 1500, 1500, NEW, 20)
    sent(pilot, speed_us, steer_us, NEW | t.RC_FLAG_ELRS, 30)
    assert pilot.must_release is must_release
    sent(pilot, speed_us, steer_us, NEW | t.RC_FLAG_ELRS, 40)
    assert pilot.must_release is must_release
    sent(pilot, 1525, 1500, NEW | t.RC_FLAG_ELRS, 50)
    assert not pilot.must_release


def test_takeover_with_the_same_sticks_is_no_reason_to_release() -> None:
    pilot = Pilot()
    sent(pilot, 2000, 1000, NEW, 0)
    sent(pilot, 2000, 1000, NEW | t.RC_FLAG_ELRS, 10)
    assert not pilot.must_release


class Driven:
    """Sources of an armed wagon; the pilot's mode switch and sticks, and the computers."""

    def __init__(self, mode_us: int = 2000) -> None:
        self.sources = Sources()
        self.us = list(CHANNELS)
        self.us[MODE_CHANNEL] = mode_us
        self.flags = NEW

    def at(
        self, now_ms: int, host: "int | None" = None, bench: "int | None" = None, flags: int = 0
    ) -> "tuple[int, int] | None":
        self.sources.pilot.received((*self.us, self.flags), now_ms)
        if host is not None:
            self.sources.host.command((host, 0, 2, flags), now_ms)
        if bench is not None:
            self.sources.bench.command((bench, 0, 2, flags), now_ms)
        found: tuple[int, int] | None = self.sources.command(now_ms, True)
        return found


def test_pilot_drives_once_the_sticks_were_neutral() -> None:
    driven = Driven(1000)
    driven.us[1] = 1700
    assert driven.at(0) is None
    driven.us[1] = 1500
    assert driven.at(20) == (0, 0)
    driven.us[0], driven.us[1] = 1400, 1700
    assert driven.at(40) == (400, 200)


def test_pilot_of_another_transmitter_drives_once_its_sticks_were_neutral() -> None:
    driven = Driven(1000)
    driven.at(0)
    driven.us[1] = 2000
    assert driven.at(20) == (1000, 0)
    driven.flags |= t.RC_FLAG_ELRS
    driven.us[1] = 1200
    assert driven.at(40) is None
    assert driven.at(60) is None
    driven.us[1] = 1500
    assert driven.at(80) == (0, 0)
    driven.us[1] = 1200
    assert driven.at(100) == (-600, 0)


def test_takeover_of_the_receiver_does_not_hold_up_the_computer() -> None:
    driven = Driven()
    for now_ms in range(0, 300, 50):
        driven.at(now_ms, 0)
    driven.flags |= t.RC_FLAG_ELRS
    driven.us[1] = 1200
    assert driven.at(300, 400) == (400, 0)


def test_bench_drives_at_once_for_500_ms_where_no_computer_is() -> None:
    driven = Driven()
    assert driven.at(0, bench=0) == (0, 0)
    assert driven.at(20, bench=300) == (300, 0)
    assert driven.sources.mode == 2
    assert driven.at(520) == (300, 0)
    assert driven.at(521) is None
    assert driven.sources.mode == 0


def test_computer_that_is_there_counts_before_the_bench() -> None:
    driven = Driven()
    assert driven.sources.computer(0) is driven.sources.host
    for now_ms in range(0, 300, 50):
        driven.at(now_ms, 0, 0)
    assert driven.at(300, 200, 700) == (200, 0)
    assert driven.sources.computer(300) is driven.sources.host
    assert driven.sources.computer(801) is driven.sources.host
    driven.at(790, bench=0)
    assert driven.sources.computer(800) is driven.sources.host
    assert driven.sources.computer(801) is driven.sources.bench


@pytest.mark.parametrize(("us", "found"), [(1000, (0, 0)), (2000, None)])
def test_pilot_who_takes_over_is_followed_while_the_computer_lives(
    us: int, found: "tuple[int, int] | None"
) -> None:
    driven = Driven()
    for now_ms in range(0, 300, 50):
        driven.at(now_ms, 0)
    assert driven.at(300, 500) == (500, 0)
    driven.us[MODE_CHANNEL] = 1000
    driven.us[1] = 1500 if us == 1000 else 2000
    assert driven.at(320, 500) == found


def test_speed_of_a_lost_computer_does_not_fade_out() -> None:
    driven = Driven()
    for now_ms in range(0, 300, 50):
        driven.at(now_ms, 0)
    driven.at(300, 500)
    assert driven.at(801) is None  # though the pilot, whose sticks are neutral, drives from here
    assert driven.at(802) == (0, 0)


@pytest.mark.parametrize(("flags", "may_brake"), [(0, False), (1, True), (2, False), (3, True)])
def test_driver_says_whether_it_brakes_at_rest(flags: int, may_brake: bool) -> None:
    driven = Driven()
    assert driven.sources.may_brake
    driven.at(0, 0, flags=flags)
    assert driven.sources.may_brake is may_brake
    driven.us[MODE_CHANNEL] = 1000
    driven.at(20, 0, flags=flags)
    assert driven.sources.may_brake  # the pilot's wagon always does


@pytest.mark.parametrize(
    ("mode_us", "speed", "is_neutral"),
    [(2000, 51, False), (2000, 50, True), (1000, 51, True), (1000, 50, True)],
)
def test_computer_that_would_move_something_is_known(
    mode_us: int, speed: int, is_neutral: bool
) -> None:
    driven = Driven(mode_us)
    driven.at(0, speed)
    assert driven.sources.is_host_neutral(0) is is_neutral
