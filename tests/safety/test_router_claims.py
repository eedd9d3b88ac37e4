"""Which claims may drive a field, which one wins, and what is blended, one class per rule: on
claims made by hand, at the very bound of each rule. All numbers are typed by hand.
"""

import pytest

from saint_services.routerd.fields.motion import NEVER
from saint_services.routerd.fields.targets import Modifier
from tests.safety.claims_rig import SPEED, claim, output

FORCE = Modifier("force", "force", 0.0, 1000.0, 0.0)


class TestClaimWithoutASample:
    @pytest.mark.parametrize("missing", ["stream", "plan", "both"])
    def test_it_requests_rest(self, missing: str) -> None:
        # Rest is the nearest that the limits allow.
        made = claim(output(low=0.25), 1.5)
        for name in ("stream", "plan"):
            if missing in (name, "both"):
                setattr(made, name, None)
        assert made.value == made.unbounded == 0.25
        assert made.with_inputs({"x": 1.0}) is None
        assert made.modifiers == []
        assert made.pace == 1.0

    def test_it_is_not_live(self) -> None:
        made = claim(output())
        made.stream = None
        assert made.deadline == NEVER
        assert not made.is_live(-1e9) and not made.may_drive(-1e9)


class TestHowLongAClaimLives:
    def test_for_120_ms_and_no_longer(self) -> None:
        made = claim(output())
        assert made.is_live(100.1199) and made.may_drive(100.1199)
        assert not made.is_live(100.120) and not made.may_drive(100.120)

    def test_unarmed_or_locked_it_drives_nothing(self) -> None:
        for flags in ({"is_armed": False}, {"is_locked": True}):
            made = claim(output(), **flags)
            assert made.is_live(100.0) and not made.may_drive(100.0)


class TestWhatAClaimSays:
    def test_value_with_and_without_limits(self) -> None:
        made = claim(output(), 0.5)
        assert (made.value, made.unbounded) == (0.5, 5.0)

    def test_with_other_inputs(self) -> None:
        made = claim(output())
        assert made.with_inputs({"x": 0.75}) == 0.75
        assert made.with_inputs({"speed": 1.0}) is None
        assert made.plan is not None
        made.plan.inputs = ((0, 0), (1, 1))
        assert made.with_inputs({"x": 0.75}) is None
        assert made.with_inputs({"x": 0.75, "speed": 1.0}) == 0.75

    @pytest.mark.parametrize(("said", "share"), [(0.25, 0.25), (-1.0, 0.0), (7.0, 1.0)])
    def test_its_pace_is_a_share(self, said: float, share: float) -> None:
        made = claim(output())
        assert made.stream is not None and made.plan is not None
        made.stream.values = (0.5, said)
        made.plan.modifiers = ((FORCE, 0), (SPEED, 1))
        assert made.modifiers == [(FORCE, 0.5), (SPEED, share)]
        assert made.pace == share

    def test_a_force_is_no_pace(self) -> None:
        made = claim(output())
        assert made.plan is not None
        made.plan.modifiers = ((FORCE, 0),)
        assert made.pace == 1.0


class TestSafety:
    @pytest.mark.parametrize(
        ("priority", "is_safety", "overrides"),
        [(999, False, False), (1000, False, True), (0, True, True)],
    )
    def test_class_or_priority_1000(self, priority: int, is_safety: bool, overrides: bool) -> None:
        made = claim(output(), priority=priority, is_safety=is_safety)
        assert made.overrides is overrides


class TestOutput:
    def test_a_velocity_begins_at_rest(self) -> None:
        made = output(low=0.25, neutral=1.0)
        assert (made.value, made.rest) == (0.25, 0.25)

    def test_a_position_begins_where_nobody_has_commanded_it(self) -> None:
        made = output(is_velocity=False, neutral=1.0)
        assert (made.value, made.rest) == (None, 1.0)

    def test_neutral_and_park_are_within_the_limits(self) -> None:
        made = output(is_velocity=False, neutral=9.0, park=-9.0)
        assert (made.neutral, made.park) == (2.0, -1.0)

    def test_it_begins_with_its_full_rate(self) -> None:
        assert output().rate == 10.0

    def test_who_drives_it(self) -> None:
        made = output()
        assert made.drivers == ()
        made.winner = claim(made)
        assert made.drivers == (made.winner,)
        made.members = (made.winner, claim(made))
        assert made.drivers == made.members


class TestWhoIsChosen:
    def test_nobody_when_none_may_drive(self) -> None:
        where = output()
        assert where.choose(100.0) is None
        claim(where, received=99.88)
        claim(where, is_armed=False)
        claim(where, is_locked=True)
        assert where.choose(100.0) is None

    def test_the_higher_priority(self) -> None:
        where = output()
        claim(where, priority=200)
        high = claim(where, priority=201)
        assert where.choose(100.0) is high

    def test_of_equals_the_one_in_control_else_the_first(self) -> None:
        where = output()
        first, second = claim(where), claim(where)
        assert where.choose(100.0) is first
        where.winner = second
        assert where.choose(100.0) is second

    def test_the_one_in_control_goes_when_it_is_lost(self) -> None:
        where = output()
        where.winner = claim(where, priority=900, received=99.88)
        other = claim(where, priority=1)
        assert where.choose(100.0) is other

    def test_who_is_not_steady_yet_takes_nothing_from_who_is(self) -> None:
        where = output()
        low = claim(where, priority=100)
        high = claim(where, priority=300, steady_at=100.05)
        assert where.choose(100.049) is low
        assert where.choose(100.050) is high

    def test_two_that_are_steady_at_this_very_moment_differ_by_priority_alone(self) -> None:
        where = output()
        high = claim(where, priority=300, steady_at=100.0)
        claim(where, priority=100)
        assert where.choose(100.0) is high

    def test_the_one_in_control_counts_as_steady(self) -> None:
        where = output()
        where.winner = claim(where, priority=300, steady_at=100.05)
        claim(where, priority=200)
        assert where.choose(100.0) is where.winner

    def test_of_two_that_are_not_steady_the_higher(self) -> None:
        where = output()
        claim(where, priority=100, steady_at=101.0)
        high = claim(where, priority=300, steady_at=102.0)
        assert where.choose(100.0) is high

    def test_a_steady_low_one_takes_it_from_a_free_unsteady_high_one(self) -> None:
        where = output()
        claim(where, priority=300, steady_at=101.0)
        low = claim(where, priority=100)
        assert where.choose(100.0) is low


class TestWhoIsBarred:
    @pytest.mark.parametrize(("priority", "barred"), [(299, True), (300, True), (301, False)])
    def test_up_to_the_bar(self, priority: int, barred: bool) -> None:
        where = output(bar=300)
        made = claim(where, priority=priority)
        assert where.is_barred(made) is barred
        assert (where.choose(100.0) is None) is barred

    def test_never_the_claim_that_holds_it(self) -> None:
        where = output(bar=300)
        where.held_by = claim(where, priority=300)
        assert not where.is_barred(where.held_by)

    def test_nobody_without_a_bar(self) -> None:
        free = output()
        assert not free.is_barred(claim(free, priority=0))


class TestWhoIsMixed:
    def test_all_that_may_drive_are_steady_and_not_barred(self) -> None:
        where = output(bar=100)
        winner = claim(where, priority=300)
        other = claim(where, priority=200, steady_at=100.0)
        claim(where, priority=200, steady_at=100.001)
        claim(where, priority=200, is_armed=False)
        claim(where, priority=200, received=99.88)
        claim(where, priority=100)
        assert where.contributors(winner, 100.0) == (winner, other)

    def test_the_winner_even_when_it_is_not_steady(self) -> None:
        where = output()
        winner = claim(where, steady_at=101.0)
        assert where.contributors(winner, 100.0) == (winner,)

    def test_class_safety_alone(self) -> None:
        where = output()
        winner = claim(where, priority=1000)
        claim(where, priority=300)
        assert where.contributors(winner, 100.0) == (winner,)


class TestWhatAMixGives:
    def mix(self, *values_and_weights: tuple[float, float], combine: str = "mean") -> float:
        where = output()
        where.members = tuple(claim(where, value, weight=w) for value, w in values_and_weights)
        where.combine = combine
        return where.blended

    def test_the_mean_by_weight(self) -> None:
        assert self.mix((1.0, 300.0), (-0.5, 100.0)) == 0.625  # (300 - 50) / 400

    def test_the_plain_mean_when_all_weights_are_0(self) -> None:
        assert self.mix((1.0, 0.0), (0.5, 0.0)) == 0.75

    def test_a_weight_below_1(self) -> None:
        assert self.mix((1.0, 0.375), (0.5, 0.125)) == 0.875

    def test_the_sum_within_the_limits(self) -> None:
        assert self.mix((0.5, 1.0), (0.75, 9.0), combine="sum") == 1.25
        assert self.mix((1.5, 1.0), (1.5, 1.0), combine="sum") == 2.0
        assert self.mix((-0.75, 1.0), (-0.75, 1.0), combine="sum") == -1.0

    def test_the_one_farthest_from_rest(self) -> None:
        assert self.mix((0.5, 9.0), (-0.75, 1.0), combine="greatest") == -0.75
        assert self.mix((0.75, 0.0), (-0.5, 1.0), combine="greatest") == 0.75

    def test_without_any_limit(self) -> None:
        where = output()
        where.members = (claim(where, 1.5, weight=1.0), claim(where, 1.0, weight=4.0))
        where.combine = "sum"
        assert where.unbounded == 25.0  # ten times as much
        where.combine = "mean"
        assert where.unbounded == 11.0

    def test_the_mean_within_the_limits(self) -> None:
        assert self.mix((9.0, 1.0), (9.0, 1.0)) == 2.0
        assert self.mix((-9.0, 1.0), (-9.0, 1.0)) == -1.0
        assert self.mix((9.0, 0.0), (9.0, 0.0)) == 2.0
        assert self.mix((-9.0, 0.0), (-9.0, 0.0)) == -1.0


class TestWhatCountsAsMoved:
    def test_more_than_5_hundredths_from_where_it_stood(self) -> None:
        made = claim(output(), move=0.0625)
        made.disarm([0.5])
        assert not made.is_armed
        assert not made.has_moved(0, 0.5625) and not made.is_armed
        assert not made.has_moved(0, 0.4375)
        assert made.has_moved(0, 0.4374) and made.is_armed
        made.disarm([0.5])
        assert made.has_moved(0, 0.5626)

    def test_the_first_value_is_where_it_stands(self) -> None:
        made = claim(output())
        made.disarm([None])
        assert not made.has_moved(0, 0.75)
        assert made.reference == [0.75]
        assert not made.has_moved(0, 0.78)
        assert made.has_moved(0, 0.69)
