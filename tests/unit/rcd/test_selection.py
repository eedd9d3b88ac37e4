"""Which receiver is in charge, what a loss means to the robot, what the arm switch lets through."""

import pytest

from saint_services.rcd.channels import Normalizer
from saint_services.rcd.config import ArmSwitch, Failover, Failsafe
from saint_services.rcd.logic import Receiver
from saint_services.rcd.protocols import RcFrame
from saint_services.rcd.protocols.frames import ELEVEN_BIT
from saint_services.rcd.selection import (
    NOTHING,
    STOP,
    Arming,
    Selection,
    failsafe_content,
)

LOW, MIDDLE, HIGH = 192, 992, 1792  # 1000, 1500, 2000 us


def receiver() -> Receiver:
    return Receiver(Normalizer([]), Failsafe(), needs_steady_start=False)


def feed(signal: Receiver, *times_s: float) -> None:
    for now_s in times_s:
        signal.take(RcFrame(0, (MIDDLE,) * 16, ELEVEN_BIT), now_s)


def pair(**rules: int) -> tuple[Receiver, Receiver, Selection]:
    first, second = receiver(), receiver()
    return first, second, Selection([first, second], Failover.model_validate(rules))


def test_first_receiver_is_in_charge_while_it_lives() -> None:
    first, second, selection = pair()
    feed(first, 1.0)
    feed(second, 1.0)
    assert not selection.decide(1.0)
    assert selection.receiver is first and not selection.is_lost


def test_second_takes_over_after_its_time_and_not_before() -> None:
    first, second, selection = pair()
    feed(first, 1.0)
    first.check(1.12)
    feed(second, 1.28)
    assert not selection.decide(1.29)
    assert selection.due_s(1.29) == pytest.approx(1.3)
    assert selection.decide(1.3)
    assert selection.receiver is second


def test_living_second_means_that_nothing_is_lost_meanwhile() -> None:
    first, second, selection = pair()
    feed(first, 1.0)
    feed(second, 1.1)
    first.check(1.12)
    selection.decide(1.12)
    assert not selection.is_lost
    second.check(1.3)
    assert selection.is_lost


def test_second_is_in_charge_at_once_of_a_robot_whose_first_was_never_received() -> None:
    _, second, selection = pair()
    feed(second, 1.0)
    assert selection.decide(1.0)
    assert selection.receiver is second


def test_first_is_in_charge_again_when_it_was_good_for_long() -> None:
    first, second, selection = pair(return_ms=1000)
    feed(second, 1.0)
    selection.decide(1.0)
    for tick in range(101):
        now_s = 1.0 + tick / 100
        feed(second, now_s)
        feed(first, now_s)
        is_new = selection.decide(now_s)
        assert is_new == (tick == 100)
    assert selection.receiver is first


def test_first_is_in_charge_at_once_when_the_second_dies() -> None:
    first, second, selection = pair()
    feed(second, 1.0)
    selection.decide(1.0)
    feed(first, 1.1)
    second.check(1.2)
    assert selection.decide(1.2)


def test_two_dead_receivers_change_nothing() -> None:
    _, _, selection = pair()
    assert not selection.decide(5.0)
    assert selection.is_lost and selection.due_s(5.0) is None


def test_only_receiver_is_in_charge_dead_or_alive() -> None:
    alone = receiver()
    selection = Selection([alone])
    for now_s in (0.0, 1.0, 9.0):
        assert not selection.decide(now_s) and selection.due_s(now_s) is None
        assert selection.receiver is alone
        feed(alone, 1.0)
        alone.check(now_s)


def test_time_is_scheduled_only_while_the_second_waits_to_take_over() -> None:
    first, second, selection = pair(after_ms=300)
    assert selection.due_s(1.0) is None  # nobody lives
    feed(first, 1.0)
    feed(second, 1.0, 1.2)
    assert selection.due_s(1.1) is None  # the first one does
    first.check(1.2)
    assert selection.due_s(1.2) == pytest.approx(1.3)
    assert selection.due_s(2.0) == 2.0
    assert selection.decide(1.3) and selection.due_s(1.3) is None


def test_each_action_has_its_samples() -> None:
    signal = receiver()
    signal.take(RcFrame(0, (HIGH,) * 2, ELEVEN_BIT), 1.0)
    names = ("channel_1", "channel_2")
    assert failsafe_content("hold", signal) == (names, (1.0, 1.0))
    assert failsafe_content("neutral", signal) == (names, (0.0, 0.0))
    assert failsafe_content("estop", signal) == STOP == (("estop",), (1.0,))
    assert failsafe_content("passthrough", signal) == NOTHING == ((), ())


def test_switch_arms_when_it_was_off_and_is_on() -> None:
    arming = Arming(ArmSwitch(number=5))
    states = []
    for us in (2000, 1500, 1000, 1700, 1701, 2000, 1000):
        arming.update({5: float(us)})
        states.append(arming.is_armed)
    assert states == [False, False, False, False, True, True, False]


def test_switch_must_be_moved_again_after_a_loss() -> None:
    arming = Arming(ArmSwitch(number=5))
    for us in (1000.0, 2000.0):
        arming.update({5: us})
    assert arming.is_armed
    arming.lose()
    arming.update({5: 2000.0})
    assert not arming.is_armed
    for us in (1000.0, 2000.0):
        arming.update({5: us})
    assert arming.is_armed


def test_missing_switch_does_not_arm() -> None:
    arming = Arming(ArmSwitch(number=5))
    arming.update({5: 1000.0})
    arming.update({})
    arming.update({5: 2000.0})
    assert not arming.is_armed


def test_disarmed_robot_gets_the_switches_alone() -> None:
    signal = receiver()
    signal.take(RcFrame(0, (HIGH, LOW, MIDDLE, MIDDLE, LOW, HIGH), ELEVEN_BIT), 1.0)
    arming = Arming(ArmSwitch(number=5, always=[6, 18]))
    assert arming.content(signal) == (("channel_5", "channel_6"), (-1.0, 1.0))
    arming.is_armed = True
    assert len(arming.content(signal)[0]) == 6


def test_no_arm_switch_lets_everything_through() -> None:
    signal = receiver()
    feed(signal, 1.0)
    assert Arming().content(signal) == (signal.names, signal.values)
