"""What simulated sensors feel: the ride of the base, the pose of the neck, voltage and current."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.hw.sim.base import GRAVITY_MPS2, Base, Neck, Ride, felt
from saint_services.lib.hw.sim.feeding import in_chip

UP = (0.0, 0.0, GRAVITY_MPS2)
ANGLES = st.floats(-math.pi, math.pi)


def test_head_at_rest_feels_gravity_upward() -> None:
    assert felt(Ride(), Neck()) == ((0.0, 0.0, 0.0), UP)


def test_head_that_looks_up_feels_gravity_in_front() -> None:
    rates, force = felt(Ride(), Neck(tilt_rad=math.pi / 2))
    assert rates == (0.0, 0.0, 0.0)
    assert force == pytest.approx((GRAVITY_MPS2, 0.0, 0.0), abs=1e-9)


def test_left_turn_is_a_positive_yaw_rate_and_pulls_to_the_left() -> None:
    rates, force = felt(Ride(speed_mps=1.0, turn_radps=0.5), Neck())
    assert rates == (0.0, 0.0, 0.5)
    assert force == pytest.approx((0.0, 0.5, GRAVITY_MPS2))


def test_head_that_turns_left_feels_the_braking_on_its_left() -> None:
    _, force = felt(Ride(gain_mps2=-2.0), Neck(pan_rad=math.pi / 2))
    assert force == pytest.approx((0.0, 2.0, GRAVITY_MPS2), abs=1e-9)


def test_moving_neck_is_felt() -> None:
    rates, _ = felt(Ride(), Neck(pan_radps=1.0, tilt_radps=0.5, roll_radps=0.25))
    assert rates == pytest.approx((0.25, -0.5, 1.0))


@given(ANGLES, ANGLES, ANGLES)
def test_gravity_keeps_its_size_in_any_pose(pan: float, tilt: float, roll: float) -> None:
    _, force = felt(Ride(), Neck(pan, tilt, roll))
    assert math.hypot(*force) == pytest.approx(GRAVITY_MPS2)


def test_base_returns_after_a_full_circle() -> None:
    base = Base(0.5)
    for _ in range(90):
        base.travel(0.75 * math.tau / 90, 1.25 * math.tau / 90)
    assert (base.x_m, base.y_m, base.heading_rad) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize(
    ("axes", "chip"),
    [
        (("x", "y", "z"), (1.0, 2.0, 3.0)),
        (("-y", "x", "z"), (2.0, -1.0, 3.0)),  # our x is the chip's -y
        (("z", "-x", "-y"), (-2.0, -3.0, 1.0)),
    ],
)
def test_turned_chip_feels_along_its_own_axes(
    axes: tuple[str, str, str], chip: tuple[float, float, float]
) -> None:
    assert in_chip((1.0, 2.0, 3.0), axes) == chip
