"""Arming, sources, receivers and bridges of the wagon's boards, at the very bound of each rule."""

import pytest

from image.boards.balance.arming import ARM, BETWEEN, DISARM, Arming, Conditions, switch_position
from image.boards.balance.sources import Pilot, Sources, speed_limit, stick, switch_mode
from image.boards.io.bridges import Bridge, Bridges
from image.boards.io.receivers import CROSSFIRE, ELRS, NEITHER, Receivers
from image.boards.shared import tables as t
from tests.unit.boards.bench import Pin, crsf_channels, crsf_frame

ALIVE, NEW = 1, 5
CHANNELS = [1500, 1500, 1500, 1500, 2000, 2000, 2000, 1000] + [1000] * 8


def good(switch: int = ARM) -> Conditions:
    """Return conditions that allow arming."""
    found = Conditions()
    found.is_rc_alive = found.is_level = found.is_settled = True
    found.is_neutral = found.is_host_neutral = True
    found.switch, found.fault = switch, 0
    return found


def changed(**values: object) -> Conditions:
    found = good()
    for name, value in values.items():
        setattr(found, name, value)
    return found


def armed() -> Arming:
    arming = Arming()
    arming.update(good(DISARM))
    arming.update(good())
    assert arming.is_armed
    return arming


@pytest.mark.parametrize(
    ("us", "position"),
    [(1199, DISARM), (1200, BETWEEN), (1500, BETWEEN), (1800, BETWEEN), (1801, ARM)],
)
def test_positions_of_the_arm_switch(us: int, position: int) -> None:
    assert switch_position(us) == position


def test_new_board_is_disarmed_and_doubts_everything() -> None:
    arming = Arming()
    assert (arming.state, arming.must_cycle, arming.is_armed) == (0, True, False)
    assert set(arming.prevents()) == {"fault", "tilt", "rc", "stick", "host", "cycle"}
    assert not arming.arm()


def test_new_conditions_doubt_everything() -> None:
    found = Conditions()
    assert (found.is_rc_alive, found.is_level, found.is_settled) == (False,) * 3
    assert (found.is_neutral, found.is_host_neutral) == (False, False)
    assert (found.switch, found.is_elrs, found.fault, found.has_fault) == (BETWEEN, False, 11, True)


def test_switch_that_moved_while_no_receiver_lived_does_not_end_a_stop() -> None:
    """Nobody saw who moved it: another transmitter may have been switched on."""
    arming = armed()
    arming.estop()
    arming.update(good())
    arming.update(changed(is_rc_alive=False))
    arming.update(good(DISARM))
    assert arming.state == 3
    arming.update(good())
    arming.update(good(DISARM))
    assert arming.state == 0


def test_switch_that_was_never_at_disarm_arms_nothing() -> None:
    arming = Arming()
    for _ in range(3):
        arming.update(good())
        assert not arming.arm()


BAD = [
    ("rc", {"is_rc_alive": False}),
    ("tilt", {"is_level": False}),
    ("tilt", {"is_settled": False}),
    ("stick", {"is_neutral": False}),
    ("host", {"is_host_neutral": False}),
    ("fault", {"fault": 1}),
    ("fault", {"fault": 0x7F}),
]


@pytest.mark.parametrize(("name", "bad"), BAD)
def test_each_condition_prevents_arming_by_its_name(name: str, bad: dict[str, object]) -> None:
    arming = Arming()
    arming.update(good(DISARM))
    arming.update(changed(**bad))
    assert not arming.is_armed
    assert name in arming.prevents()
    assert not arming.arm()


def test_warning_does_not_prevent_arming() -> None:
    arming = Arming()
    arming.update(good(DISARM))
    arming.update(changed(fault=0x80))
    assert arming.is_armed
    assert arming.prevents() == []


@pytest.mark.parametrize(
    ("bad", "state"),
    [
        ({"is_rc_alive": False}, 2),
        ({"is_level": False}, 4),
        ({"fault": 3}, 5),
        ({"switch": BETWEEN}, 0),
        ({"is_level": False, "fault": 3, "is_rc_alive": False}, 4),
    ],
)
def test_what_ends_armed(bad: dict[str, object], state: int) -> None:
    arming = armed()
    arming.update(changed(**bad))
    assert arming.state == state
    arming.update(good())
    arming.update(good())
    assert not arming.is_armed


def test_switch_to_disarm_ends_armed_and_the_next_move_arms() -> None:
    arming = armed()
    arming.update(good(DISARM))
    assert arming.state == 0
    arming.update(good())
    assert arming.is_armed


@pytest.mark.parametrize("bad", [{"is_neutral": False}, {"is_host_neutral": False}, {"fault": 129}])
def test_what_does_not_end_armed(bad: dict[str, object]) -> None:
    arming = armed()
    arming.update(changed(**bad))
    assert arming.is_armed


@pytest.mark.parametrize("bad", [{"is_level": False}, {"is_rc_alive": False}, {"fault": 2}])
def test_disarm_ends_a_stop_only_when_its_cause_is_gone(bad: dict[str, object]) -> None:
    arming = armed()
    arming.update(changed(**bad))
    stopped = arming.state
    arming.disarm()
    assert arming.state == stopped
    arming.update(good())
    assert not arming.arm()
    arming.disarm()
    assert arming.state == 0


def test_stop_command_wins_over_everything_and_ends_by_an_act() -> None:
    arming = armed()
    arming.estop()
    for each in (good(), changed(is_level=False), changed(fault=1), changed(is_rc_alive=False)):
        arming.update(each)
        assert arming.state == 3
        assert not arming.arm()
    arming.update(good(ARM))
    arming.update(good(DISARM))
    assert arming.state == 0


def test_lost_rc_needs_the_switch_to_be_cycled_even_after_a_disarm_command() -> None:
    arming = armed()
    arming.update(changed(is_rc_alive=False))
    arming.update(good())
    arming.disarm()
    assert arming.state == 0
    assert not arming.arm()
    assert "cycle" in arming.prevents()
    arming.update(good(DISARM))
    arming.update(good())
    assert arming.is_armed


def test_lost_rc_while_disarmed_needs_the_switch_to_be_cycled_too() -> None:
    arming = Arming()
    arming.update(good(DISARM))
    arming.update(changed(is_rc_alive=False, switch=DISARM))
    arming.update(good())
    assert arming.state == 0
    assert not arming.arm()


def test_switch_through_between_arms_only_from_disarm() -> None:
    arming = Arming()
    for switch in (DISARM, BETWEEN, ARM):
        arming.update(good(switch))
    assert arming.is_armed
    for switch in (BETWEEN, ARM, ARM):
        arming.update(good(switch))
        assert not arming.is_armed
    arming.estop()
    arming.update(good(BETWEEN))
    assert arming.state == 3
    arming.disarm()
    arming.update(good())
    assert arming.arm()  # a command, with the pilot's switch at ARM


def test_tilt_is_reported_while_disarmed_and_passes() -> None:
    arming = Arming()
    arming.update(changed(is_level=False, switch=DISARM))
    assert arming.state == 4
    arming.update(good(DISARM))
    assert arming.state == 0


# --- sources ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("us", "mode"), [(1000, 0), (1299, 0), (1300, 1), (1699, 1), (1700, 2), (2000, 2)]
)
def test_positions_of_the_mode_switch(us: int, mode: int) -> None:
    assert switch_mode(us) == mode


@pytest.mark.parametrize(
    ("us", "value"),
    [
        (1500, 0),
        (1519, 0),
        (1481, 0),
        (1520, 40),
        (1480, -40),
        (2000, 1000),
        (2012, 1000),
        (880, -1000),
    ],
)
def test_stick_in_thousandths(us: int, value: int) -> None:
    assert stick(us) == value


@pytest.mark.parametrize(("us", "share"), [(988, 0), (1000, 0), (1500, 0.5), (2000, 1), (2012, 1)])
def test_knob_in_shares(us: int, share: float) -> None:
    assert speed_limit(us) == share


@pytest.mark.parametrize(("after_ms", "is_alive"), [(0, True), (200, True), (201, False)])
def test_pilot_lives_as_long_as_the_io_board_sends(after_ms: int, is_alive: bool) -> None:
    pilot = Pilot()
    assert not pilot.is_alive(0)
    pilot.received((*CHANNELS, NEW), 1000)
    assert pilot.is_alive(1000 + after_ms) is is_alive


@pytest.mark.parametrize(("after_ms", "is_alive"), [(350, True), (351, False)])
def test_pilot_needs_new_frames_of_a_receiver(after_ms: int, is_alive: bool) -> None:
    pilot = Pilot()
    pilot.received((*CHANNELS, NEW), 1000)
    pilot.received((*CHANNELS, ALIVE), 1000 + after_ms)
    assert pilot.is_alive(1000 + after_ms) is is_alive


@pytest.mark.parametrize("us", [0, 799, 2201, 65535])
def test_impossible_pulses_are_no_message(us: int) -> None:
    pilot = Pilot()
    pilot.received((*CHANNELS[:-1], us, NEW), 1000)
    assert not pilot.is_alive(1000)
    pilot.received((*CHANNELS, NEW), 1000)
    pilot.received((*CHANNELS, 0), 1010)
    assert not pilot.is_alive(1010)


class Driven:
    """Sources with a pilot whose switch allows everything, and a computer."""

    def __init__(self) -> None:
        self.sources = Sources()

    def at(
        self, now_ms: int, speed: int | None, *, is_armed: bool = True, mode: int = 2
    ) -> "tuple[int, int] | None":
        self.sources.pilot.received((*CHANNELS, NEW), now_ms)
        if speed is not None:
            self.sources.host.command((speed, 0, mode, 0), now_ms)
        found: tuple[int, int] | None = self.sources.command(now_ms, is_armed)
        return found


def test_computer_must_be_steady_and_neutral_before_it_drives() -> None:
    driven = Driven()
    assert [driven.at(now_ms, 400) for now_ms in (0, 100, 200)] == [None] * 3
    assert driven.at(300, 51) is None
    assert driven.at(400, 50) == (50, 0)
    assert driven.at(500, 400) == (400, 0)
    assert driven.at(750, None) == (400, 0)
    assert driven.at(751, None) is None
    assert driven.at(760, 400) is None  # neutral first, again


def test_computer_that_begins_at_rest_drives_as_soon_as_it_is_steady() -> None:
    driven = Driven()
    assert driven.at(0, 0) is None
    assert [driven.at(now_ms, 300) for now_ms in (20, 100, 199)] == [None] * 3
    assert driven.at(200, 300) == (300, 0)


def test_computer_that_never_was_at_rest_does_not_drive() -> None:
    driven = Driven()
    assert [driven.at(now_ms, 300) for now_ms in range(0, 3000, 20)] == [None] * 150


def test_what_releases_a_driver() -> None:
    for spoil in ({"is_armed": False}, {"mode": 0}):
        driven = Driven()
        for now_ms in range(0, 300, 50):
            driven.at(now_ms, 0)
        assert driven.at(300, 300) == (300, 0)
        assert not any(driven.at(350, 300, **spoil) or (0, 0))  # type: ignore[arg-type]
        assert driven.at(400, 300) is None


def test_silent_computer_leaves_the_mode_to_the_pilot_after_500_ms() -> None:
    driven = Driven()
    driven.at(0, 0)
    driven.at(500, None)
    assert driven.sources.mode == 2
    driven.at(501, None)
    assert driven.sources.mode == 0


@pytest.mark.parametrize("mode", [3, 255])
def test_unknown_mode_is_rc(mode: int) -> None:
    driven = Driven()
    driven.at(0, 0, mode=mode)
    assert driven.sources.mode == 0


# --- the IO board -----------------------------------------------------------------------------


def fed(*which: int, until_ms: int = 2000) -> Receivers:
    receivers = Receivers()
    for now_ms in range(0, until_ms + 1, 20):
        for each in which:
            receivers.each[each].feed(crsf_channels(CHANNELS), now_ms)
        receivers.update(now_ms)
    return receivers


@pytest.mark.parametrize(("after_ms", "active"), [(300, CROSSFIRE), (301, NEITHER)])
def test_receiver_lives_for_300_ms(after_ms: int, active: int) -> None:
    receivers = fed(CROSSFIRE)
    receivers.update(2000 + after_ms)
    assert receivers.active == active


@pytest.mark.parametrize(("age_ms", "active"), [(100, ELRS), (101, NEITHER)])
def test_only_a_fresh_receiver_takes_over(age_ms: int, active: int) -> None:
    receivers = fed(CROSSFIRE, ELRS)
    receivers.each[ELRS].feed(crsf_channels(CHANNELS), 2301 - age_ms)
    receivers.update(2301)
    assert receivers.active == active


def test_receiver_that_reports_no_link_is_lost_until_it_reports_one() -> None:
    receivers = fed(CROSSFIRE)
    receivers.each[CROSSFIRE].feed(crsf_frame(0x14, bytes((60, 70, 0) + (0,) * 7)), 2010)
    receivers.each[CROSSFIRE].feed(crsf_channels(CHANNELS), 2010)
    receivers.update(2010)
    assert receivers.active == NEITHER
    receivers.each[CROSSFIRE].feed(crsf_frame(0x14, bytes((60, 70, 1) + (0,) * 7)), 2020)
    receivers.each[CROSSFIRE].feed(crsf_channels(CHANNELS), 2020)
    receivers.update(2020)
    assert receivers.active == CROSSFIRE
    assert receivers.each[CROSSFIRE].rssi_dbm == -60


@pytest.mark.parametrize("message", ["status", "heartbeat", "wheels"])
@pytest.mark.parametrize(("after_ms", "level"), [(200, 1), (201, 0)])
def test_bridge_drives_for_200_ms_after_each_message(
    message: str, after_ms: int, level: int
) -> None:
    pins = Pin(), Pin(), Pin()
    bridges = Bridges((Bridge(*pins),), ())
    messages = {
        "status": (t.LINK_STATUS[0], (1, 0.0, 0.0)),
        "heartbeat": (t.LINK_HEARTBEAT[0], (1,)),
        "wheels": (t.LINK_WHEELS[0], (500, 500)),
    }
    for name, each in messages.items():
        bridges.received(*each, 1000 if name == message else 1000 + after_ms)
    bridges.update(1000 + after_ms, True)
    assert pins[2].level == level
    assert bridges.is_on is bool(level)
    bridges.update(1000 + after_ms, False)
    assert (pins[0].share, pins[1].share, pins[2].level, bridges.is_on) == (0, 0, 0, False)


@pytest.mark.parametrize("state", [0, 2, 3, 4, 5, 255])
def test_bridge_drives_in_armed_only(state: int) -> None:
    pins = Pin(), Pin(), Pin()
    bridges = Bridges((), (Bridge(*pins),))
    bridges.received(t.LINK_STATUS[0], (state, 0.0, 0.0), 1000)
    bridges.received(t.LINK_HEARTBEAT[0], (1,), 1000)
    bridges.received(t.LINK_WHEELS[0], (500, 500), 1000)
    bridges.update(1000, True)
    assert pins[2].level == 0


@pytest.mark.parametrize(
    ("duty", "forward", "reverse"),
    [(0.5, 0.5, 0.0), (-0.25, 0.0, 0.25), (2.0, 1.0, 0.0), (0, 0, 0)],
)
def test_bridge_drives_one_half_at_a_time(duty: float, forward: float, reverse: float) -> None:
    pins = Pin(), Pin(), Pin()
    bridge = Bridge(*pins)
    bridge.drive(-1.0)
    bridge.drive(duty)
    assert (pins[0].share, pins[1].share, pins[2].level) == (forward, reverse, 1)


def of_elrs(switch: int) -> Conditions:
    found = good(switch)
    found.is_elrs = True
    return found


def test_switch_of_another_receiver_is_no_movement() -> None:
    arming = Arming()
    arming.update(good(DISARM))
    arming.update(of_elrs(ARM))
    assert not arming.is_armed
    assert arming.prevents() == ["cycle"]
    assert not arming.arm()
    arming.update(of_elrs(ARM))
    assert not arming.is_armed
    arming.update(of_elrs(DISARM))
    assert arming.prevents() == ["switch"]
    arming.update(good(ARM))  # and back
    assert not arming.is_armed
    assert arming.prevents() == ["cycle"]
    arming.update(good(DISARM))
    arming.update(good(ARM))
    assert arming.is_armed


def test_armed_wagon_stays_armed_when_a_receiver_takes_over() -> None:
    arming = armed()
    arming.update(of_elrs(ARM))
    assert arming.is_armed
    assert not arming.must_cycle
    arming.update(of_elrs(DISARM))
    assert arming.state == t.STATE_DISARMED
    arming.update(of_elrs(ARM))
    assert arming.is_armed


def test_takeover_does_not_end_a_stop() -> None:
    arming = armed()
    arming.estop()
    arming.update(good())
    arming.update(of_elrs(DISARM))
    assert arming.state == t.STATE_ESTOP
    arming.update(of_elrs(ARM))
    arming.update(of_elrs(DISARM))
    assert arming.state == t.STATE_DISARMED


def test_bridge_is_off_from_the_start_and_rests_in_both_directions() -> None:
    forward, reverse, enable = Pin(1, 0.5), Pin(1, 0.5), Pin(1, 0.5)
    bridge = Bridge(forward, reverse, enable)
    assert (forward.share, reverse.share, enable.level) == (0.0, 0.0, 0)
    for duty, shares in ((0.25, (0.25, 0.0)), (-0.25, (0.0, 0.25)), (2.0, (1.0, 0.0))):
        bridge.drive(duty)
        assert (forward.share, reverse.share, enable.level) == (*shares, 1)
        bridge.off()
        assert (forward.share, reverse.share, enable.level) == (0.0, 0.0, 0)


def test_new_bridges_are_off_and_other_messages_are_no_duty() -> None:
    pins = Pin(), Pin(), Pin()
    bridges = Bridges((Bridge(*pins),), ())
    assert not bridges.is_on
    assert not bridges.is_armed(0)
    bridges.received(t.LINK_STATUS[0], (1, 0.0, 0.0), 0)
    bridges.received(t.LINK_HEARTBEAT[0], (1,), 0)
    bridges.received(t.LINK_ACTUATORS[0], (255, 0, 0, 0, 0), 0)
    bridges.update(0, True)
    assert pins[2].level == 0
