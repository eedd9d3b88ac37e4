"""The arithmetic of the tracks against geometry done by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.role.motion.odometry import Covariance, Odometer
from saint_services.role_tracksd.logic import SpeedEstimate, current_a, duty_of, mix

WIDTH_M = 0.5


def test_straight_drives_both_tracks_alike() -> None:
    assert mix(1.0, 0.0, WIDTH_M, 1.5) == (1.0, 1.0)


def test_left_turn_drives_the_right_track_faster() -> None:
    assert mix(0.5, 1.0, WIDTH_M, 1.5) == (0.25, 0.75)


def test_too_fast_slows_both_tracks_alike() -> None:
    left, right = mix(1.5, 3.0, WIDTH_M, 1.5)
    assert (left, right) == pytest.approx((0.5, 1.5))  # of 0.75 and 2.25


@given(st.floats(-1.5, 1.5), st.floats(-3.0, 3.0))
def test_no_track_exceeds_its_top_speed_and_the_curve_stays(linear: float, angular: float) -> None:
    left, right = mix(linear, angular, WIDTH_M, 1.5)
    assert max(abs(left), abs(right)) <= 1.5 + 1e-12
    driven_linear, driven_angular = (left + right) / 2, (right - left) / WIDTH_M
    assert driven_linear * angular == pytest.approx(driven_angular * linear, abs=1e-9)


def drive(odometer: Odometer, linear: float, angular: float, seconds: float, hertz: int) -> None:
    left, right = linear - angular * WIDTH_M / 2, linear + angular * WIDTH_M / 2
    for _ in range(round(seconds * hertz)):
        odometer.travel(left / hertz, right / hertz)


@pytest.mark.parametrize("hertz", [1, 10, 50])
def test_arc_ends_where_the_circle_says(hertz: int) -> None:
    odometer = Odometer(WIDTH_M)
    drive(odometer, 1.0, 0.5, 3.0, hertz)  # radius 2 m, 1.5 rad
    assert odometer.x_m == pytest.approx(2.0 * math.sin(1.5), rel=1e-9)
    assert odometer.y_m == pytest.approx(2.0 * (1.0 - math.cos(1.5)), rel=1e-9)
    assert odometer.heading_rad == pytest.approx(1.5)


def test_figure_eight_ends_where_it_began() -> None:
    odometer = Odometer(WIDTH_M)
    turn_s = math.tau / 0.8
    steps = 1000
    for angular in (0.8, -0.8):
        left, right = 1.0 - angular * WIDTH_M / 2, 1.0 + angular * WIDTH_M / 2
        for _ in range(steps):
            odometer.travel(left * turn_s / steps, right * turn_s / steps)
    length_m = 2 * turn_s
    assert math.hypot(odometer.x_m, odometer.y_m) < 0.001 * length_m
    assert odometer.heading_rad == pytest.approx(0.0, abs=1e-9)


def test_turning_on_the_spot_stays_on_the_spot() -> None:
    odometer = Odometer(WIDTH_M)
    drive(odometer, 0.0, 1.0, 10.0, 50)
    assert (odometer.x_m, odometer.y_m) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert odometer.heading_rad == pytest.approx(math.remainder(10.0, math.tau))


def test_straight_way_keeps_its_direction() -> None:
    odometer = Odometer(WIDTH_M)
    odometer.heading_rad = math.pi / 2
    odometer.travel(1.0, 1.0)
    assert (odometer.x_m, odometer.y_m) == pytest.approx((0.0, 1.0), abs=1e-12)


def test_nearly_straight_way_is_not_torn_by_rounding() -> None:
    odometer = Odometer(WIDTH_M)
    for _ in range(1000):
        odometer.travel(0.001, 0.001 + 1e-12)
    assert odometer.x_m == pytest.approx(1.0, rel=1e-6)


@given(st.lists(st.tuples(st.floats(-0.1, 0.1), st.floats(-0.1, 0.1)), max_size=50))
def test_heading_is_a_unit_quaternion_and_ways_are_bounded(ways: list[tuple[float, float]]) -> None:
    odometer = Odometer(WIDTH_M)
    for left, right in ways:
        odometer.travel(left, right)
    z, w = odometer.quaternion_zw()
    assert z * z + w * w == pytest.approx(1.0)
    longest = sum(abs(left + right) / 2 for left, right in ways)
    assert math.hypot(odometer.x_m, odometer.y_m) <= longest + 1e-6


def test_speed_is_taken_over_five_updates() -> None:
    speed = SpeedEstimate()
    assert speed.update(0.0, 0.0) == 0.0
    for step in range(1, 20):
        found = speed.update(step * 0.02, step * 0.02)
    assert found == pytest.approx(1.0)
    for step in range(20, 26):
        found = speed.update(19 * 0.02, step * 0.02)
    assert found == pytest.approx(0.0)


def test_speed_at_one_instant_is_zero_not_infinite() -> None:
    speed = SpeedEstimate()
    speed.update(0.0, 1.0)
    assert speed.update(5.0, 1.0) == 0.0


def test_blocked_motor_draws_the_stall_current() -> None:
    assert current_a(1.0, 0.0, 1.5, 12.0, 0.6) == 12.0
    assert current_a(-0.5, 0.0, 1.5, 12.0, 0.6) == 6.0


def test_free_motor_draws_the_idle_current() -> None:
    assert current_a(1.0, 1.5, 1.5, 12.0, 0.6) == pytest.approx(0.6)
    assert current_a(-1.0, -1.5, 1.5, 12.0, 0.6) == pytest.approx(0.6)


def test_standing_and_braking_motors_draw_nothing() -> None:
    assert current_a(0.0, 0.0, 1.5, 12.0, 0.6) == 0.0
    assert current_a(0.0, 1.5, 1.5, 12.0, 0.6) == 0.0


def test_speed_looks_back_five_updates_and_no_further() -> None:
    speed = SpeedEstimate()
    for step, way_m in enumerate((0.0, 1.0, 1.0, 1.0, 1.0, 1.0)):
        found = speed.update(way_m, float(step))
    assert found == pytest.approx(0.2)
    assert speed.update(1.0, 6.0) == 0.0


def test_duty_is_full_at_and_above_the_top_speed() -> None:
    assert duty_of(1.5, 1.5, 0.1) == 1.0
    assert duty_of(-3.0, 1.5, 0.1) == -1.0


def test_odometer_is_sure_unless_its_tracks_err() -> None:
    odometer = Odometer(0.6)
    odometer.travel(1.0, 1.2)
    assert set(odometer.covariance.rows(0.0, 0.0)) == {0.0}


def test_turn_on_one_track_makes_the_odometer_unsure() -> None:
    odometer = Odometer(0.6, error_m=0.01)
    odometer.travel(0.0, 1.0)
    heading = odometer.covariance.hh
    assert heading == pytest.approx(0.01**2 / 0.6**2)
    odometer.travel(1.0, 0.0)
    assert odometer.covariance.hh == pytest.approx(2 * heading)


def test_duty_begins_above_the_friction() -> None:
    assert duty_of(0.0, 2.0, 0.2) == 0.0
    assert duty_of(1.0, 2.0, 0.2) == pytest.approx(0.6)  # 0.2 and half of the other 0.8
    assert duty_of(-1.0, 2.0, 0.2) == pytest.approx(-0.6)


def test_motor_under_load_draws_what_its_own_voltage_leaves() -> None:
    # The duty drives 0.8, the motor's voltage is that of a fifth of its top speed.
    assert current_a(0.8, 0.3, 1.5, 12.0, 0.6) == pytest.approx(0.6 * 12.0 + 0.6)
    assert current_a(-0.8, -0.3, 1.5, 12.0, 0.6) == pytest.approx(0.6 * 12.0 + 0.6)


def test_friction_counts_above_a_hundredth_of_the_top_speed() -> None:
    assert current_a(1.0, 0.01, 1.0, 100.0, 7.0) == pytest.approx(99.0)
    assert current_a(1.0, 0.02, 1.0, 100.0, 7.0) == pytest.approx(98.0 + 7.0)


Matrix = list[list[float]]


def product(a: Matrix, b: Matrix) -> Matrix:
    return [
        [sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)]
        for row in a
    ]


def moved(covariance: Matrix, dx_m: float, dy_m: float) -> Matrix:
    """Return F P F^T: the derivative of a place that was reached by a heading."""
    f = [[1.0, 0.0, -dy_m], [0.0, 1.0, dx_m], [0.0, 0.0, 1.0]]
    return product(product(f, covariance), [list(row) for row in zip(*f, strict=True)])


def matrix(covariance: Covariance) -> Matrix:
    rows = covariance.rows(0.0, 0.0)
    return [[rows[6 * i + j] for j in (0, 1, 5)] for i in (0, 1, 5)]


def test_unsure_heading_makes_the_place_unsure() -> None:
    covariance = Covariance()
    covariance.xx, covariance.xy, covariance.xh = 1.0, 0.5, 0.25
    covariance.yy, covariance.yh, covariance.hh = 2.0, 0.75, 4.0
    before = matrix(covariance)
    covariance.move(3.0, -5.0)
    assert matrix(covariance) == moved(before, 3.0, -5.0)


def test_error_acts_by_its_factors() -> None:
    covariance = Covariance()
    for _ in range(2):
        covariance.add(0.5, 2.0, 3.0, 5.0)
    assert matrix(covariance) == [[4.0, 6.0, 10.0], [6.0, 9.0, 15.0], [10.0, 15.0, 25.0]]


def test_rows_are_those_of_six_axes() -> None:
    covariance = Covariance()
    covariance.add(1.0, 2.0, 3.0, 5.0)
    assert covariance.rows(0.25, 9.0) == (
        *(4.25, 6.0, 0.0, 0.0, 0.0, 10.0),
        *(6.0, 9.25, 0.0, 0.0, 0.0, 15.0),
        *(0.0, 0.0, 9.0, 0.0, 0.0, 0.0),
        *(0.0, 0.0, 0.0, 9.0, 0.0, 0.0),
        *(0.0, 0.0, 0.0, 0.0, 9.0, 0.0),
        *(10.0, 15.0, 0.0, 0.0, 0.0, 25.25),
    )


@pytest.mark.parametrize(
    ("side", "start_deg", "x", "y"),
    [
        # Half of the error along the chord at 45 degrees, the rest of it turns: pi / 8 of lever.
        (1.0, 0.0, (0.5 - math.pi / 8) / math.sqrt(2), (0.5 + math.pi / 8) / math.sqrt(2)),
        (-1.0, 0.0, (0.5 - math.pi / 8) / math.sqrt(2), -(0.5 + math.pi / 8) / math.sqrt(2)),
        (1.0, 45.0, -math.pi / 8, 0.5),
        (-1.0, 45.0, 0.5, -math.pi / 8),
    ],
)
def test_quarter_turn_on_one_track_is_as_unsure_as_geometry_says(
    side: float, start_deg: float, x: float, y: float
) -> None:
    odometer = Odometer(0.8, error_m=0.1)
    odometer.heading_rad = math.radians(start_deg)
    way_m = 0.8 * math.pi / 2
    odometer.travel(*((0.0, way_m) if side > 0 else (way_m, 0.0)))
    factors = [x, y, side / 0.8]
    for row, factor in zip(matrix(odometer.covariance), factors, strict=True):
        assert row == pytest.approx([0.01 * way_m * factor * each for each in factors], abs=1e-12)


def test_way_straight_on_is_as_unsure_as_its_heading() -> None:
    odometer = Odometer(0.5, error_m=0.1)
    odometer.x_m, odometer.y_m = 10.0, -10.0  # where it is does not matter
    odometer.travel(0.1, 0.3)
    before = matrix(odometer.covariance)
    heading = odometer.heading_rad
    odometer.travel(1.0, 1.0)
    cosine, sine = math.cos(heading), math.sin(heading)
    expected = moved(before, cosine, sine)
    for side in (-1.0, 1.0):
        factors = [0.5 * cosine - side * sine, 0.5 * sine + side * cosine, side / 0.5]
        for i in range(3):
            for j in range(3):
                expected[i][j] += 0.01 * factors[i] * factors[j]
    for row, wanted in zip(matrix(odometer.covariance), expected, strict=True):
        assert row == pytest.approx(wanted)
