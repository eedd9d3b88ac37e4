"""The BALANCE board at bounds that single turns meet, and parts that only other wagons have.
Numbers are typed by hand.
"""

import struct

import pytest

from image.boards.balance import config
from image.boards.balance.attitude import Attitude
from image.boards.balance.vescs import Vescs
from image.boards.shared import tables as t
from image.boards.shared.codec import pack
from tests.unit.boards.turns import BRAKE, CURRENT, DUTY, Turns


@pytest.fixture
def turns() -> Turns:
    return Turns()


def test_stop_brakes_for_2000_ms_and_releases_for_500(turns: Turns) -> None:
    turns.arm()
    turns.us[1] = 2000
    turns.run(200, 20)
    turns.us[4] = 1500
    turns.forget()
    turns.run(1980, 20)
    assert (turns.sent[BRAKE], turns.sent[CURRENT]) == (99, 0)
    turns.run(500, 20)
    assert (turns.sent[BRAKE], turns.sent[CURRENT]) == (99, 25)
    turns.run(1000, 20)
    assert (turns.sent[BRAKE], turns.sent[CURRENT], turns.sent[DUTY]) == (99, 25, 0)


def test_wagon_that_turns_on_one_wheel_is_driven(turns: Turns) -> None:
    turns.arm()
    turns.us[0], turns.us[1] = 1000, 2000  # forward and left, both in full: the left side rests
    turns.run(400)
    assert turns.board._wheels == pytest.approx((0.0, 800.0), abs=30.0)
    assert turns.sent[DUTY] == 20


@pytest.mark.parametrize(("speed", "steer"), [(500, 500), (500, -500)])
def test_loss_of_a_driver_who_turned_on_one_wheel_is_sent_at_once(
    turns: Turns, speed: int, steer: int
) -> None:
    turns.arm()
    turns.us[5] = 2000
    for share in (0,) * 30 + (1,) * 30:
        turns.frame(0x300, pack(t.CAN_DRIVE, speed * share, steer * share, t.MODE_AUTONOMOUS, 1))
        turns.turn(20)
    turns.turn(200)
    turns.forget()
    turns.turn(50)
    assert (turns.sent[DUTY], turns.sent[BRAKE]) == (1, 0)
    turns.turn(1)
    assert turns.sent[BRAKE] == 1


def test_tilt_of_exactly_25_degrees_is_none(turns: Turns) -> None:
    turns.arm()
    turns.board.attitude.pitch = 25.0
    turns.imu.sample = (3.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # no gravity that would correct it
    turns.turn()
    assert turns.state == t.STATE_ARMED


@pytest.mark.parametrize(("level_ms", "prevents"), [(500, True), (501, False)])
def test_wagon_must_be_level_for_half_a_second_to_be_armed(
    turns: Turns, level_ms: int, prevents: bool
) -> None:
    turns.run(1000)
    turns.imu.sample = (3.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    turns.board.attitude.pitch = 25.1
    turns.turn(1)
    turns.board.attitude.pitch = 0.0
    for _ in range(level_ms):
        turns.turn(1)
    assert ("tilt" in turns.board.arming.prevents()) is prevents


def test_assist_begins_on_the_slope_where_the_wagon_stands(turns: Turns) -> None:
    turns.arm()
    turns.us[5] = 1500
    turns.board.attitude.pitch = -20.0
    turns.imu.sample = (3.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for speed in (0,) * 10 + (500,) * 20:
        turns.frame(0x300, pack(t.CAN_DRIVE, speed, 0, t.MODE_ASSISTED, 1))
        turns.turn(50)
    assert turns.board._wheels == pytest.approx((500.0, 500.0))


def test_receivers_are_reported_with_the_power(turns: Turns) -> None:
    turns.run(1000)
    assert (turns.sent[0x401], turns.sent[0x402]) == (10, 10)


def test_heartbeat_counts_from_the_start_of_the_board() -> None:
    turns = Turns(now_ms=7000)
    turns.run(500)
    assert turns.messages(t.LINK_HEARTBEAT)[-1] == (455,)


def test_buzzer_of_a_stop_sounds_every_other_half_second(turns: Turns) -> None:
    turns.board.arming.estop()
    for now_ms, buzz in ((499, 0), (500, 255), (999, 255), (1000, 0), (10_499, 0), (10_500, 255)):
        turns.forget()
        turns.board._send_status(now_ms)
        assert turns.messages(t.LINK_ACTUATORS)[-1][4] == buzz


def test_other_messages_of_the_link_change_nothing(turns: Turns) -> None:
    turns.run(50)
    turns.say(t.LINK_STATUS, 3, 1.0, 1.0)
    turns.say(t.LINK_ACTUATORS, 1, 2, 3, 4, 5)
    turns.turn()
    assert turns.board.surroundings.status(turns.now_ms) == {}
    assert turns.board.fault == t.FAULT_NONE


@pytest.mark.parametrize(
    ("number", "value", "quality"), [(1, 0.5, 100), (6, 0.4, 0), (6, 200.0, 100), (6, 77.0, 77)]
)
def test_quality_is_that_of_its_own_message(
    turns: Turns, number: int, value: float, quality: int
) -> None:
    assert turns.board.quality == 100
    turns.say(t.LINK_SENSOR, number, value)
    turns.turn()
    assert turns.board.quality == quality


@pytest.mark.parametrize(("rate", "is_good"), [(1e6, False), (-1e6, False), (999_999.0, True)])
@pytest.mark.parametrize("place", [3, 4, 5])
def test_measurement_of_a_million_is_none(place: int, rate: float, is_good: bool) -> None:
    sample = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    sample[place] = rate
    attitude = Attitude()
    attitude.measured(1, tuple(sample), 10)
    assert attitude.is_good(10) is is_good


def test_other_frames_of_a_controller_are_no_voltage() -> None:
    vescs = Vescs(lambda identifier, data: None)
    for number in (0x0E, 0x0F, 0x1C):
        vescs.received(number << 8 | 68, struct.pack(">ihh", 0, 370, 0), 0)
    assert vescs.each[68].volts == 0.0


def test_dual_controllers_are_driven_and_read_on_both_channels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(config, "VESCS_LEFT", (68, 69))
    monkeypatch.setattr(config, "VESCS_RIGHT", (56, 57))
    sent: list[int] = []
    vescs = Vescs(lambda identifier, data: sent.append(identifier))
    vescs.drive(100.0, 100.0)
    assert sent == [68, 69, 56, 57]
    for number, erpm in ((68, 1800), (69, 900), (56, 1800), (57, 900)):
        vescs.received(0x900 | number, struct.pack(">ihh", erpm, 0, 0), 0)
    assert vescs.speed_mps == pytest.approx(0.77754, abs=1e-4)
