"""Motions of constant acceleration arrive, at rest, and soon."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.role.motion.axis import Glide
from saint_services.lib.role.motion.trajectory import braking_way, plan
from saint_services.lib.role_config.model import FieldSpec

FIELD = FieldSpec(
    command="cmd", path="target_positions[0]", kind="position", unit="deg", limits=(-90, 90),
    max_rate=120, max_acceleration=1200, on_loss="hold",
)  # fmt: skip
places = st.floats(-90.0, 90.0)


def test_long_way_is_speeding_up_going_on_and_braking() -> None:
    way = plan(0.0, 0.0, 60.0, 120.0, 1200.0)
    assert [leg.duration_s for leg in way.legs] == pytest.approx([0.1, 0.4, 0.1])
    assert way.at(0.1) == pytest.approx((6.0, 120.0))
    assert way.at(0.3) == pytest.approx((30.0, 120.0))
    assert way.at(0.55) == pytest.approx((58.5, 60.0))
    assert way.at(9.0) == (60.0, 0.0)


def test_short_way_never_reaches_the_top_speed() -> None:
    way = plan(0.0, 0.0, 3.0, 120.0, 1200.0)
    assert way.duration_s == pytest.approx(2.0 * math.sqrt(3.0 / 1200.0))
    assert way.at(way.duration_s / 2.0) == pytest.approx((1.5, 60.0))


@pytest.mark.parametrize("distance", [1.0, 1e-4])
def test_way_of_any_length_takes_its_time(distance: float) -> None:
    way = plan(0.0, 0.0, distance, 120.0, 1200.0)
    assert way.duration_s == pytest.approx(2.0 * math.sqrt(distance / 1200.0))
    assert way.at(way.duration_s / 2.0)[0] == pytest.approx(distance / 2.0)


def test_way_that_braking_just_fills_is_braked() -> None:
    way = plan(0.0, 1.0, 1.0, 10.0, 0.5)
    assert way.at(0.0) == (0.0, 1.0)
    assert way.at(1.0) == pytest.approx((0.75, 0.5))
    assert way.duration_s == pytest.approx(2.0)


def test_short_way_of_what_moves_already_has_its_peak_where_all_fits() -> None:
    way = plan(0.0, 60.0, 10.0, 120.0, 1200.0)
    peak = math.sqrt(1200.0 * 10.0 + 60.0 * 60.0 / 2.0)
    assert way.duration_s == pytest.approx((2.0 * peak - 60.0) / 1200.0)


def test_slow_way_goes_on_at_its_top_speed() -> None:
    way = plan(0.0, 0.0, 10.0, 0.5, 100.0)
    assert way.duration_s == pytest.approx(20.005)
    assert way.at(10.0)[1] == 0.5


def test_return_brakes_before_it_turns() -> None:
    way = plan(0.0, 120.0, -10.0, 120.0, 1200.0)
    assert way.at(0.1) == pytest.approx((6.0, 0.0))
    assert way.at(way.duration_s)[0] == pytest.approx(-10.0)


def test_what_is_too_fast_to_stop_passes_the_goal_and_comes_back() -> None:
    way = plan(0.0, 120.0, 2.0, 120.0, 1200.0)
    assert max(way.at(step / 100)[0] for step in range(30)) == pytest.approx(6.0, abs=0.1)
    assert way.at(1.0) == (2.0, 0.0)


def test_slower_top_speed_is_reached_by_braking() -> None:
    way = plan(0.0, 120.0, 60.0, 30.0, 1200.0)
    assert way.at(0.075)[1] == pytest.approx(30.0)
    assert way.at(1.0)[1] == pytest.approx(30.0)


@given(places, st.floats(-300.0, 300.0), places, st.floats(1.0, 400.0), st.floats(10.0, 5000.0))
def test_every_way_arrives_at_rest_within_its_acceleration(
    position: float, velocity: float, goal: float, top: float, acceleration: float
) -> None:
    way = plan(position, velocity, goal, top, acceleration)
    fastest = max(top, abs(velocity)) * (1 + 1e-9)
    end = (position, velocity)
    for leg in way.legs:
        assert (leg.position, leg.velocity) == pytest.approx(end, abs=1e-6)  # without a jump
        assert abs(leg.velocity) <= fastest
        assert abs(leg.acceleration) <= acceleration
        end = leg.at(leg.duration_s)
    assert end == pytest.approx((goal, 0.0), abs=1e-4)


commands = st.lists(st.tuples(places, st.floats(0.0, 0.05), st.sampled_from([0.3, 1.0])))


@given(commands)
def test_glide_keeps_rate_and_acceleration_whatever_is_commanded(
    steps: list[tuple[float, float, float]],
) -> None:
    axis, now_s = Glide(FIELD), 10.0
    before = (axis.applied, 0.0)
    for target, pause_s, share in steps:
        axis.aim(target)
        axis.share = share
        for _ in range(1 + round(pause_s / 0.005)):
            axis.step(now_s)
            now_s += 0.005
            assert -90.0 <= axis.applied <= 90.0
            # 10 ms are taken at once from rest; and the loop may be 20 ms late
            assert abs(axis.applied - before[0]) <= 120.0 * 0.025 + 1e-6
            assert abs(axis.velocity - before[1]) <= 1200.0 * 0.015 + 1e-6
            before = (axis.applied, axis.velocity)


def test_glide_follows_a_stick_with_little_delay() -> None:
    """A stick at 50 Hz that commands 100 degrees per second."""
    axis, now_s = Glide(FIELD), 10.0
    for step in range(60):
        if step % 2 == 0:
            axis.aim(min(90.0, step * 1.0))
        axis.step(now_s)
        now_s += 0.01
    assert 0.0 <= axis.target - axis.applied <= 100.0 * 0.07  # less than 70 ms behind


def test_glide_takes_its_first_step_inside_the_command() -> None:
    axis = Glide(FIELD)
    axis.aim(90.0)
    assert axis.step(10.0)
    assert 0.0 < axis.applied <= 0.06  # 1200 deg/s2 for 10 ms


def test_glide_ends_exactly_at_its_target() -> None:
    axis = Glide(FIELD)
    axis.aim(33.3)
    for step in range(100):
        axis.step(10.0 + step * 0.01)
    assert (axis.applied, axis.velocity, axis.is_still) == (33.3, 0.0, True)


def test_hold_stops_at_once() -> None:
    axis = Glide(FIELD)
    axis.aim(90.0)
    for step in range(30):
        axis.step(10.0 + step * 0.01)
    place = axis.applied
    axis.hold()
    for step in range(30, 60):
        assert not axis.step(10.0 + step * 0.01)
    assert axis.applied == place


def test_loop_that_was_held_up_is_not_made_up_for_by_a_jump() -> None:
    axis = Glide(FIELD)
    axis.aim(90.0)
    for step in range(20):
        axis.step(10.0 + step * 0.01)
    place = axis.applied
    axis.step(11.5)
    assert axis.applied - place <= 120.0 * 0.02 + 1e-9


def test_override_drops_a_motion_that_leads_away() -> None:
    bent, stopped = Glide(FIELD), Glide(FIELD)
    for axis in (bent, stopped):
        axis.aim(90.0)
        for step in range(30):
            axis.step(10.0 + step * 0.01)
        axis.aim(-90.0)
    stopped.override()
    for axis in (bent, stopped):
        place = axis.applied
        path = []
        for step in range(30, 45):
            axis.step(10.0 + step * 0.01)
            path.append(axis.applied)
        if axis is stopped:
            assert max(path) <= place
        else:
            assert max(path) > place + 4.0
        assert all(abs(b - a) <= 1.2 + 1e-9 for a, b in pairwise(path))


def test_override_does_not_slow_down_a_motion_towards_the_target() -> None:
    axis = Glide(FIELD)
    axis.aim(90.0)
    for step in range(40):
        axis.override()
        axis.step(10.0 + step * 0.01)
    assert axis.velocity == pytest.approx(120.0)


def test_braking_way_has_the_sign_of_the_motion() -> None:
    assert braking_way(120.0, 1200.0) == pytest.approx(6.0)
    assert braking_way(-120.0, 1200.0) == pytest.approx(-6.0)
