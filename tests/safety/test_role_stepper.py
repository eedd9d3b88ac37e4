"""A stepper's limits, in numbers typed by hand: 250 steps a second, a third more after a late step,
1.1 of the way to find a switch.
"""

import pytest

from saint_services.lib.role.motion.stepping import StepTrain
from saint_services.lib.role_config.devices import PinSpec
from saint_services.lib.role_config.model import FieldSpec
from saint_services.lib.role_config.steppers import MOST_STEPS_HZ, stepper_problem

SPEC = PinSpec(
    type="stepper", pin=23, direction_pin=24, switch_pin=22, switch_at=-90.0, homing_rate=20.0
)
FIELD = FieldSpec(
    command="cmd", path="pan", kind="position", unit="deg", limits=(-90, 90), max_rate=450.0,
    max_acceleration=900.0, on_loss="hold",
)  # fmt: skip


def test_no_more_than_250_steps_a_second_are_configured() -> None:
    assert MOST_STEPS_HZ == 250.0
    assert stepper_problem(FIELD, SPEC) == ""  # 200 steps a turn: 450 degrees a second
    assert stepper_problem(FIELD.model_copy(update={"max_rate": 450.5}), SPEC)
    assert stepper_problem(FIELD, SPEC.model_copy(update={"homing_rate": 451.0}))


def test_no_two_steps_are_closer_than_3_ms_at_250_a_second() -> None:
    train = StepTrain(250.0)
    train.follow(2.0, 10.0, 0.0)
    assert train.take(10.0) == 1
    assert train.take(10.00299) == 0
    assert train.take(10.00301) == 1


def test_a_way_is_made_evenly_and_stops_at_once() -> None:
    train = StepTrain(250.0)
    train.follow(2.0, 10.0, 0.01)
    assert train.due_s() == pytest.approx(10.005)
    assert train.take(10.0049) == 0
    assert train.take(10.0051) == 1
    train.stop()
    assert train.due_s() is None
    assert train.take(20.0) == 0
    assert train.count == 1


def test_place_behind_the_next_step_is_no_step() -> None:
    train = StepTrain(250.0)
    train.follow(0.99, 10.0, 0.01)
    assert train.due_s() is None
    train.follow(-0.99, 10.01, 0.01)
    assert train.due_s() is None
    train.follow(-1.0, 10.02, 0.01)
    assert train.take(10.03) == -1
