"""What an output does as its claims come, go and are lost, on an output made by hand. What each
step reports is what is published, so it is claimed here too. All numbers are typed by hand.
"""

from collections.abc import Mapping

import pytest

from saint_services.routerd.fields.claims import NO_BAR, Claim, OutputField
from saint_services.routerd.fields.motion import FOREVER, NEVER
from tests.safety.claims_rig import NOW, claim, output, slow

LATE = NOW + 0.2  # what was received now is lost by then


def held(**more: float) -> tuple[OutputField, Claim]:
    """Make a velocity that a lost source of priority 300 holds until 100.5 s."""
    where = output()
    holder = claim(where, 0.5, **more)
    assert where.contend(holder, NOW)
    assert hold(where, {}, NOW + 0.5, NOW)
    return where, holder


def hold(where: OutputField, values: Mapping[str, float], until: float, now: float) -> bool:
    """What the board does when the source of the claim in control reports its loss."""
    driver = where.held_by or where.winner
    assert driver is not None
    assert where.lost_by(driver.source, now) is driver
    return where.hold_lost(driver, values, until, now)


class TestAClaimThatContends:
    def test_wins_a_free_field(self) -> None:
        where = output()
        made = claim(where)
        assert where.contend(made, NOW) is True
        assert (where.winner, where.policy, where.is_driven) == (made, "live", True)
        assert (where.want, where.changed_at) == (0.5, NOW)

    def test_in_control_it_moves_the_field(self) -> None:
        where = output()
        made = claim(where)
        where.contend(made, NOW)
        assert made.stream is not None
        made.stream.values = (0.75, 0.25)
        assert where.contend(made, NOW + 0.01) is True
        assert (where.want, where.changed_at) == (0.75, NOW)

    @pytest.mark.parametrize("flags", [{"is_armed": False}, {"is_locked": True}])
    def test_may_not_drive(self, flags: dict[str, bool]) -> None:
        where = output()
        assert where.contend(claim(where, **flags), NOW) is False
        assert where.winner is None

    def test_is_barred(self) -> None:
        where, _ = held()
        assert where.contend(claim(where, priority=299), NOW) is False
        assert where.winner is None

    @pytest.mark.parametrize(("priority", "wins"), [(300, False), (299, False), (301, True)])
    def test_needs_a_higher_priority(self, priority: int, wins: bool) -> None:
        where = output()
        first = claim(where)
        where.contend(first, NOW)
        other = claim(where, 1.0, priority=priority)
        where.sort_claims()
        assert where.contend(other, NOW) is wins
        assert where.winner is (other if wins else first)

    def test_waits_until_it_is_steady_while_the_field_is_driven(self) -> None:
        where = output()
        first = claim(where)
        where.contend(first, NOW)
        other = claim(where, priority=400, steady_at=NOW + 0.05)
        assert where.contend(other, NOW) is False
        assert (where.winner, where.review_at) == (first, NOW + 0.05)
        where.review_at = NOW + 0.01  # an earlier review stays
        assert where.contend(other, NOW) is False
        assert where.review_at == NOW + 0.01

    def test_takes_over_at_once_from_one_that_is_lost(self) -> None:
        where = output()
        first = claim(where)
        where.contend(first, NOW)
        other = claim(where, priority=400, received=LATE, steady_at=LATE + 0.05)
        assert where.contend(other, LATE) is True
        assert where.winner is other

    def test_steady_at_this_very_moment_it_wins(self) -> None:
        where = output()
        where.contend(claim(where), NOW)
        other = claim(where, priority=400, steady_at=NOW)
        assert where.contend(other, NOW) is True
        assert where.winner is other

    def test_of_lower_priority_it_is_blended_in(self) -> None:
        where = output()
        where.configure("additive", 0.0)
        first = claim(where, 0.5)
        where.contend(first, NOW)
        other = claim(where, 0.25, priority=100)
        assert where.contend(other, NOW) is True
        assert (where.members, where.want) == ((first, other), 0.75)


class TestWhoDrives:
    def test_what_nobody_requests_is_the_field_s_own_aim(self) -> None:
        where = output()
        where.want = 0.75
        assert where.unbounded == 0.75
        where.contend(claim(where, 0.5), NOW)
        assert where.unbounded == 5.0

    def test_by_source(self) -> None:
        where = output()
        assert not where.is_driven_by("rc")
        where.contend(claim(where, source="rc"), NOW)
        claim(where, source="web", priority=100)
        assert where.is_driven_by("rc") and not where.is_driven_by("web")

    def test_when_it_changed(self) -> None:
        where = output()
        where.configure("additive", 0.0)
        first = claim(where)
        where.contend(first, NOW)
        where.contend(claim(where, priority=100), NOW + 0.01)  # a member, not the winner
        assert (where.winner, where.changed_at) == (first, NOW)
        where.contend(claim(where, priority=400), NOW + 0.02)
        assert where.changed_at == NOW + 0.02

    def test_a_winner_ends_the_hold(self) -> None:
        where, _ = held()
        other = claim(where, priority=400)
        assert where.contend(other, NOW + 0.01) is True
        assert (where.held_by, where.bar, where.held_until) == (None, NO_BAR, NEVER)


class TestHowFastAFieldMoves:
    def test_at_the_share_of_the_claim_in_control(self) -> None:
        where = output()
        made = slow(claim(where))
        assert where.contend(made, NOW)
        assert where.rate == 2.5  # a quarter of 10

    def test_not_at_the_share_of_another_claim(self) -> None:
        where = output()
        where.contend(claim(where), NOW)
        where.set_pace(slow(claim(where, priority=100)))
        assert where.rate == 10.0

    def test_a_share_that_changes_while_it_is_in_control(self) -> None:
        where = output()
        made = claim(where)
        where.contend(made, NOW)
        where.set_pace(slow(made))
        assert where.rate == 2.5

    def test_blended_at_its_full_rate(self) -> None:
        where = output()
        where.configure("additive", 0.0)
        where.rate = 1.0
        where.contend(slow(claim(where)), NOW)
        assert where.rate == 10.0


class TestADecision:
    def test_without_any_claim_the_loss_policy_applies(self) -> None:
        where = output()
        where.contend(claim(where), NOW)
        assert where.decide(LATE) is True
        assert (where.winner, where.policy) == (None, "ramp_to_zero")
        assert where.ramp_at == NOW + 0.12  # not when this was noticed

    def test_a_claim_that_is_lost_only_later_is_lost_now(self) -> None:
        where = output()
        made = claim(where)
        where.contend(made, NOW)
        made.is_locked = True
        assert where.decide(NOW + 0.01) is True
        assert where.ramp_at == NOW + 0.01

    def test_a_claim_that_has_left_is_lost_now(self) -> None:
        where = output()
        made = claim(where)
        where.contend(made, NOW)
        where.drop(made)
        assert where.decide(NOW + 0.01) is True
        assert where.ramp_at == NOW + 0.01

    def test_a_loss_is_not_begun_twice(self) -> None:
        where = output()
        where.contend(claim(where), NOW)
        where.decide(LATE)
        assert where.decide(LATE + 0.1) is False
        assert where.ramp_at == NOW + 0.12

    def test_a_better_claim_is_awaited(self) -> None:
        where = output()
        claim(where, priority=500, steady_at=NOW + 0.07)
        claim(where, priority=400, steady_at=NOW + 0.05)
        claim(where, priority=400, steady_at=NOW + 0.01, is_armed=False)
        claim(where, priority=400, steady_at=NOW)
        where.claims[-1].is_locked = True
        first = claim(where, priority=300)
        claim(where, priority=300, steady_at=NOW + 0.02)  # it would not win
        assert where.decide(NOW) is True
        assert (where.winner, where.review_at) == (first, NOW + 0.05)

    def test_any_claim_is_awaited_where_they_are_blended(self) -> None:
        where = output()
        where.configure("additive", 0.0)
        claim(where)
        claim(where, priority=100, steady_at=NOW + 0.02)
        assert where.decide(NOW) is True
        assert where.review_at == NOW + 0.02


class TestAClaimThatLeaves:
    def test_ends_its_own_hold(self) -> None:
        where, holder = held()
        where.drop(holder)
        assert (where.held_by, where.bar, where.held_until) == (None, NO_BAR, NEVER)
        assert where.claims == []

    def test_leaves_another_ones_hold(self) -> None:
        where, holder = held()
        where.drop(claim(where))
        assert (where.held_by, where.bar, where.held_until) == (holder, 300, NOW + 0.5)

    def test_leaves_another_one_in_control(self) -> None:
        where = output()
        first = claim(where)
        where.contend(first, NOW)
        where.drop(claim(where, priority=100))
        assert where.winner is first

    def test_is_blended_no_longer(self) -> None:
        where = output()
        where.configure("additive", 0.0)
        first, other = claim(where), claim(where, priority=100)
        where.contend(first, NOW)
        assert where.members == (first, other)
        where.drop(other)
        assert (where.members, where.winner) == ((first,), first)


class TestSettings:
    def test_blended_the_claim_in_control_is_a_member(self) -> None:
        where = output()
        first = claim(where)
        where.contend(first, NOW)
        where.configure("weighted", 0.25)
        assert (where.members, where.combine, where.blend_time_s) == ((first,), "mean", 0.25)
        where.configure("additive", 0.5)
        assert (where.members, where.combine, where.blend_time_s) == ((first,), "sum", 0.5)
        where.configure("priority", 0.0)
        assert (where.members, where.combine, where.winner) == (None, "sum", first)

    def test_order_by_priority_then_by_route(self) -> None:
        where = output()
        late, low, early = claim(where), claim(where, priority=100), claim(where)
        late.order, low.order, early.order = 2, 0, 1
        where.sort_claims()
        assert where.claims == [early, late, low]


class TestAReview:
    def test_nothing_is_due(self) -> None:
        where = output()
        where.contend(claim(where), NOW)
        where.value, where.is_moving = where.want, False
        assert where.review(NOW + 0.119) is False
        assert where.policy == "live"

    def test_a_claim_is_lost_at_its_very_deadline(self) -> None:
        where = output()
        made = claim(where)
        where.contend(made, NOW)
        where.value, where.is_moving = where.want, False
        assert where.review(made.deadline) is True
        assert where.policy == "ramp_to_zero"

    def test_a_step_is_a_change(self) -> None:
        where = output()
        where.contend(claim(where), NOW)
        where.value, where.is_moving = 0.0, True
        assert where.review(NOW + 0.02) is True

    def test_a_claim_that_is_steady_now_takes_over(self) -> None:
        where = output()
        where.contend(claim(where), NOW)
        other = claim(where, priority=400, steady_at=NOW + 0.05)
        where.contend(other, NOW)
        where.value, where.is_moving = where.want, False
        assert where.review(NOW + 0.049) is False
        assert where.review(NOW + 0.05) is True
        assert (where.winner, where.review_at) == (other, FOREVER)

    def test_a_hold_ends_at_its_very_end(self) -> None:
        where, _ = held()
        where.value, where.is_moving = 0.0, False
        assert where.review(NOW + 0.499) is False
        assert where.held_by is not None
        where.review(NOW + 0.5)
        assert where.held_by is None


class TestALostSource:
    def test_holds_what_it_drove(self) -> None:
        where, holder = held()
        assert (where.held_by, where.bar, where.held_until) == (holder, 300, NOW + 0.5)
        assert (where.winner, where.want) == (None, 0.0)

    def test_of_the_claim_that_timed_out_is_known_for_half_a_second(self) -> None:
        where = output()
        lost, other = claim(where), claim(where, received=LATE, source="web", priority=200)
        where.contend(lost, NOW)
        where.decide(LATE)
        assert (where.winner, where.timed_out, where.timed_out_at) == (other, lost, LATE)
        assert where.lost_by("rc", LATE + 0.499) is lost
        assert where.lost_by("rc", LATE + 0.501) is None
        assert where.lost_by("web", LATE) is other
        assert where.lost_by("face", LATE) is None
        assert where.hold_lost(lost, {}, LATE + 0.5, LATE)
        assert (where.held_by, where.bar, where.winner) == (lost, 300, None)
        assert where.lost_by("web", LATE) is None

    def test_a_claim_that_gave_way_has_not_timed_out(self) -> None:
        where = output()
        where.contend(claim(where), NOW)
        where.contend(claim(where, priority=400, source="web"), NOW)
        assert where.timed_out is None

    def test_a_claim_that_timed_out_is_forgotten_with_its_route(self) -> None:
        where = output()
        lost = claim(where)
        where.contend(lost, NOW)
        where.decide(LATE)
        assert where.timed_out is lost
        where.drop(lost)
        assert where.timed_out is None

    def test_a_longer_hold_of_a_velocity_is_no_change(self) -> None:
        where, holder = held()
        assert hold(where, {"x": 1.0}, NOW + 0.9, NOW + 0.1) is False
        assert (where.held_by, where.held_until, where.want) == (holder, NOW + 0.9, 0.0)

    def test_a_position_goes_where_the_failsafe_requests(self) -> None:
        where = output(is_velocity=False)
        where.contend(claim(where), NOW)
        assert hold(where, {"x": 0.75}, NOW + 0.5, NOW) is True
        assert where.want == 0.75
        assert hold(where, {"x": 0.75}, NOW + 0.6, NOW + 0.1) is False
        assert hold(where, {}, NOW + 0.7, NOW + 0.1) is False
        assert hold(where, {"x": 1.0}, NOW + 0.8, NOW + 0.1) is True
        assert (where.want, where.held_until) == (1.0, NOW + 0.8)

    def test_a_motion_that_goes_on_does_not_start_again(self) -> None:
        where = output(is_velocity=False)
        where.contend(claim(where), NOW)
        where.value = 0.0
        hold(where, {"x": 0.75}, NOW + 0.5, NOW)
        assert hold(where, {"x": 0.75}, NOW + 0.6, NOW + 0.1) is False
        assert (where.at, where.is_moving) == (NOW, True)

    def test_a_velocity_that_nobody_takes_stays_at_rest(self) -> None:
        where, _ = held()
        assert where.end_hold(LATE) is False
        assert (where.held_by, where.bar, where.winner) == (None, NO_BAR, None)

    def test_a_position_that_nobody_takes_follows_its_loss_policy(self) -> None:
        where = output(is_velocity=False, on_loss="neutral")
        where.contend(claim(where), NOW)
        hold(where, {"x": 0.75}, NOW + 0.5, NOW)
        assert where.end_hold(LATE) is True
        assert (where.policy, where.want) == ("neutral", 0.0)

    def test_the_next_claim_takes_the_field_when_the_hold_ends(self) -> None:
        where, _ = held()
        other = claim(where, 0.25, priority=100, received=LATE)
        assert where.contend(other, LATE) is False
        assert where.end_hold(LATE) is True
        assert (where.winner, where.want) == (other, 0.25)


class TestAStop:
    def test_nothing_is_in_control_nor_held_nor_awaited(self) -> None:
        where, _ = held()
        where.review_at = NOW + 0.3
        where.stop(NOW)
        assert (where.winner, where.held_by, where.bar) == (None, None, NO_BAR)
        assert where.review_at == FOREVER
        assert where.members is None  # not blended before, nor after

    def test_nothing_is_blended(self) -> None:
        where = output()
        where.configure("additive", 0.0)
        where.contend(claim(where), NOW)
        where.stop(NOW)
        assert where.members == ()
