"""Limits and rates of a role's outputs, at the very bounds. All numbers are typed by hand."""

import pytest

from saint_services.lib.role.motion.axis import Axis, Glide, Throttle
from saint_services.lib.role_config.model import FieldSpec

SPEC = FieldSpec(
    command="cmd", path="pan", kind="position", unit="deg", limits=(-90, 90), max_rate=100,
    on_loss="hold",
)  # fmt: skip
SOFT = SPEC.model_copy(update={"max_acceleration": 400.0})


@pytest.mark.parametrize("axis", [Axis(SPEC), Glide(SOFT)])
class TestAtTheStart:
    def test_it_stands_where_it_is(self, axis: Axis) -> None:
        assert axis.is_there and axis.is_still
        assert (axis.applied, axis.target, axis.goal, axis.share) == (0.0, 0.0, 0.0, 1.0)
        assert not axis.step(100.0)


class TestRoom:
    @pytest.mark.parametrize(
        ("low", "high", "goal"),
        [(-90, 90, 60), (-90, 30, 30), (70, 90, 70), (30, 30, 30), (40, 30, 0), (-500, 500, 60)],
    )
    def test_the_target_or_as_near_as_it_may_go(self, low: float, high: float, goal: float) -> None:
        axis = Axis(SPEC)
        axis.aim(60.0)
        axis.confine(low, high)
        assert axis.goal == goal
        assert not axis.is_there
        assert axis.is_still is (goal == 0.0)

    @pytest.mark.parametrize(("wanted", "target"), [(1e9, 90.0), (-1e9, -90.0), (90.0, 90.0)])
    def test_no_target_is_beyond_the_limits(self, wanted: float, target: float) -> None:
        axis = Axis(SPEC)
        axis.aim(wanted)
        assert axis.target == target


class TestPace:
    def test_a_share_of_0_stands(self) -> None:
        for axis in (Axis(SPEC), Glide(SOFT)):
            axis.aim(60.0)
            axis.share = 0.0
            assert not axis.step(1.0)
            assert axis.applied == 0.0

    def test_half_the_rate(self) -> None:
        axis = Axis(SPEC)
        axis.aim(60.0)
        axis.share = 0.5
        axis.step(1.0)
        assert axis.applied == pytest.approx(1.0)  # 50 degrees a second for 20 ms

    def test_a_clock_that_runs_backwards_grants_nothing(self) -> None:
        axis = Axis(SPEC)
        axis.aim(60.0)
        axis.step(1.0)
        assert not axis.step(0.0)
        assert axis.applied == pytest.approx(2.0)


class TestAcceleration:
    def test_speed_grows_by_400_degrees_a_second_each_second(self) -> None:
        axis, fastest = Glide(SOFT), 0.0
        axis.aim(60.0)
        for step in range(200):
            before = axis.velocity
            axis.step(step * 0.01)
            assert abs(axis.velocity - before) <= 400.0 * 0.01 + 1e-9
            fastest = max(fastest, axis.velocity)
            assert -90.0 <= axis.applied <= 90.0
        assert (axis.applied, axis.velocity) == (60.0, 0.0)
        assert fastest == pytest.approx(100.0)

    @pytest.mark.parametrize("way", [1.0, -1.0])
    @pytest.mark.parametrize(
        ("ahead", "stops"), [(-60.0, True), (0.0, True), (12.0, True), (13.0, False), (40.0, False)]
    )
    def test_override_drops_what_would_pass_the_target(
        self, way: float, ahead: float, stops: bool
    ) -> None:
        axis = Glide(SOFT)
        axis.aim(80.0 * way)
        for step in range(40):
            axis.step(step * 0.01)
        assert axis.velocity == pytest.approx(100.0 * way)  # it stands 12.5 degrees later
        axis.aim(axis.applied + ahead * way)
        axis.override()
        assert (axis.velocity == 0.0) is stops

    def test_a_loop_that_was_held_up_does_not_make_up_for_it(self) -> None:
        axis = Glide(SOFT)
        axis.aim(80.0)
        for step in range(40):
            axis.step(step * 0.01)
        before = axis.applied
        axis.step(1.39)
        assert axis.applied - before == pytest.approx(2.0)  # 20 ms at 100 degrees a second

    def test_hold_stops_at_once(self) -> None:
        axis = Glide(SOFT)
        axis.aim(60.0)
        for step in range(30):
            axis.step(step * 0.01)
        assert axis.velocity > 50.0
        axis.hold()
        held = axis.applied
        assert (axis.velocity, axis.target, axis.is_still) == (0.0, held, True)
        assert not axis.step(5.0)
        assert axis.applied == held


class TestVelocity:
    @pytest.mark.parametrize(
        ("before", "target", "after"),
        [(0.5, 0.25, 0.25), (-0.5, -0.25, -0.25), (0.5, 0.0, 0.0), (0.5, 0.5, 0.5)],
    )
    def test_it_is_lost_at_once(self, before: float, target: float, after: float) -> None:
        axis = Throttle(SPEC.model_copy(update={"kind": "velocity", "limits": (-1, 1)}))
        axis.applied = before
        axis.aim(target)
        assert axis.step(1.0) is (after != before)
        assert axis.applied == after

    @pytest.mark.parametrize("way", [1.0, -1.0])
    def test_it_turns_round_through_zero_at_its_rate(self, way: float) -> None:
        spec = SPEC.model_copy(update={"kind": "velocity", "limits": (-1, 1), "max_rate": 10.0})
        axis = Throttle(spec)
        axis.applied = way
        axis.aim(-way)
        axis.step(1.0)
        assert axis.applied == pytest.approx(-0.2 * way)  # 10 a second for 20 ms
