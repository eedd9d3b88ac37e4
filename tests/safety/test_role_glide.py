"""An output of limited acceleration, slice by slice: 100 degrees a second, 400 a second squared.
All positions are computed by hand.
"""

import pytest

from saint_services.lib.role.motion.axis import Axis, Glide, Throttle
from saint_services.lib.role_config.model import FieldSpec

SPEC = FieldSpec(
    command="cmd", path="pan", kind="position", unit="deg", limits=(-90, 90), max_rate=100,
    max_acceleration=400.0, on_loss="hold",
)  # fmt: skip


def steps(glide: Glide, first: int, last: int) -> None:
    """Step every hundredth of a second, both included."""
    for hundredth in range(first, last + 1):
        glide.step(hundredth / 100)


def cruising() -> Glide:
    """Return an axis from 0 to 60 at full speed, 12.5 degrees from the start, at 1.24 s."""
    glide = Glide(SPEC)
    glide.aim(60.0)
    steps(glide, 100, 124)
    assert (glide.applied, glide.velocity) == pytest.approx((12.5, 100.0))
    return glide


def test_first_slice_is_taken_with_the_command() -> None:
    glide = Glide(SPEC)
    glide.aim(60.0)
    assert glide.step(1.0)
    assert (glide.applied, glide.velocity) == pytest.approx((0.02, 4.0))
    assert glide.step(1.01)
    assert (glide.applied, glide.velocity) == pytest.approx((0.08, 8.0))


def test_way_of_60_degrees_takes_850_ms_and_ends_at_rest() -> None:
    glide = cruising()
    steps(glide, 125, 159)
    assert (glide.applied, glide.velocity) == pytest.approx((47.5, 100.0))
    steps(glide, 160, 183)
    assert glide.applied < 60.0 and not glide.is_still
    glide.step(1.85)
    assert (glide.applied, glide.velocity) == (60.0, 0.0)
    assert glide.is_there and glide.is_still
    assert not glide.step(1.86)


def test_new_target_bends_the_motion_at_the_next_step() -> None:
    glide = cruising()
    glide.aim(30.0)
    steps(glide, 125, 130)
    # 30 - 12.5 - 12.5 to brake: 5 degrees at full speed, then braking.
    assert (glide.applied, glide.velocity) == pytest.approx((18.48, 96.0))
    steps(glide, 131, 156)
    assert (glide.applied, glide.velocity) == (30.0, 0.0)


def test_target_behind_is_reached_by_braking_first() -> None:
    glide = cruising()
    glide.aim(0.0)
    steps(glide, 125, 150)
    assert (glide.applied, glide.velocity) == pytest.approx((26.0, 0.0))
    glide.step(1.51)
    assert glide.velocity == pytest.approx(-4.0)


def test_share_of_0_stops_a_motion_at_once_and_1_goes_on_from_rest() -> None:
    glide = cruising()
    glide.share = 0.0
    glide.step(1.25)
    assert (glide.applied, glide.velocity) == pytest.approx((13.5, 0.0))
    assert glide.is_still
    assert not glide.step(1.26)
    glide.share = 1.0
    assert not glide.is_still
    glide.step(1.27)
    assert (glide.applied, glide.velocity) == pytest.approx((13.52, 4.0))


def test_edge_of_the_room_stops_a_motion_that_is_too_fast_to_brake() -> None:
    glide = cruising()
    glide.confine(-90.0, 15.0)
    steps(glide, 125, 127)
    assert (glide.applied, glide.velocity) == (15.0, 0.0)
    assert glide.is_still
    for hundredth in range(128, 200):
        assert not glide.step(hundredth / 100)


def test_slow_motion_is_not_still() -> None:
    glide = Glide(SPEC)
    glide.aim(60.0)
    glide.share = 0.01  # one degree a second
    assert not glide.is_still
    glide.step(1.0)
    assert glide.velocity and not glide.is_still
    glide.share = 0.0
    assert not glide.is_still  # it moves until its next step


@pytest.mark.parametrize(
    ("velocity", "target", "kept"),
    [
        (2.0, 0.1, True),  # it can stop there: 0.005 degrees to brake
        (20.0, 0.5, True),  # just so
        (20.0, 0.499, False),
        (20.0, -0.6, False),  # the other way
        (-20.0, -0.6, True),
        (-20.0, 0.6, False),
        (20.0, 0.0, False),
    ],
)
def test_motion_under_way_is_dropped_where_it_would_pass_the_target(
    velocity: float, target: float, kept: bool
) -> None:
    glide = Glide(SPEC)
    glide.velocity = velocity
    glide.aim(target)
    glide.override()
    assert glide.velocity == (velocity if kept else 0.0)


def test_stalled_loop_does_not_make_up_for_it_by_a_jump() -> None:
    glide = cruising()
    glide.step(9.0)
    assert glide.applied == pytest.approx(14.5)  # 20 ms of full speed


def test_step_says_that_it_moved() -> None:
    axis = Axis(SPEC)
    axis.aim(60.0)
    assert axis.step(1.0) is True
    axis.aim(axis.applied)
    assert axis.step(1.01) is False


def test_speed_is_gained_at_its_rate_and_lost_at_once() -> None:
    speed = Throttle(SPEC)
    speed.aim(50.0)
    assert speed.step(1.0)
    assert speed.applied == pytest.approx(2.0)  # 100 a second for 20 ms
    assert speed.step(1.01)
    assert speed.applied == pytest.approx(3.0)
    speed.aim(0.5)
    assert speed.step(1.01)
    assert speed.applied == 0.5
    speed.aim(-50.0)
    assert speed.step(1.01)
    assert speed.applied == 0.0
    assert not speed.step(1.01)
    assert speed.step(1.03)
    assert speed.applied == pytest.approx(-2.0)
    speed.stop()
    assert (speed.applied, speed.target) == (0.0, 0.0)
