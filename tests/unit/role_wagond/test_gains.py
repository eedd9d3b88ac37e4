"""Gains: their range, and the steps while the wagon is armed. Numbers are typed by hand."""

import math

import pytest

from saint_services.lib.wagon.can_frames import WagonGains
from saint_services.role_wagond.gains import GainSteps


def known(kp: float = 10.0, ki: float = 0.0, kd: float = 1.0) -> GainSteps:
    steps = GainSteps()
    steps.accept(WagonGains(kp, ki, kd), 0.0)
    return steps


@pytest.mark.parametrize("value", [-0.01, 100.1, math.nan, math.inf])
@pytest.mark.parametrize("name", ["kp", "ki", "kd"])
def test_gain_outside_of_0_to_100_is_refused(name: str, value: float) -> None:
    gains = WagonGains(**({"kp": 1.0, "ki": 1.0, "kd": 1.0} | {name: value}))
    assert name in GainSteps().refusal(gains, 5.0, is_armed=False)


def test_gains_of_any_size_are_set_while_disarmed() -> None:
    assert known().refusal(WagonGains(100.0, 100.0, 0.0), 5.0, is_armed=False) == ""


def test_armed_wagon_needs_known_gains() -> None:
    assert "not known" in GainSteps().refusal(WagonGains(1.0, 0.0, 0.0), 5.0, is_armed=True)


@pytest.mark.parametrize(("kp", "is_small"), [(11.0, True), (9.0, True), (11.1, False)])
def test_step_of_10_percent_is_small(kp: float, is_small: bool) -> None:
    refusal = known().refusal(WagonGains(kp, 0.0, 1.0), 5.0, is_armed=True)
    assert (refusal == "") is is_small


@pytest.mark.parametrize(("ki", "is_small"), [(0.05, True), (0.06, False)])
def test_step_from_0_is_5_hundredths(ki: float, is_small: bool) -> None:
    refusal = known().refusal(WagonGains(10.0, ki, 1.0), 5.0, is_armed=True)
    assert (refusal == "") is is_small


def test_armed_wagon_takes_one_step_a_second() -> None:
    steps = known()
    assert "wait" in steps.refusal(WagonGains(10.0, 0.0, 1.0), 0.99, is_armed=True)
    assert steps.refusal(WagonGains(10.0, 0.0, 1.0), 1.0, is_armed=True) == ""


def test_gains_are_known_as_a_half_float_carries_them() -> None:
    steps = known(0.1)
    assert steps.last is not None and steps.last.kp == 0.0999755859375
