"""All outputs together: time-outs, reviews, what a lost source holds, the e-stop. On a board made
by hand, one class per rule; all numbers are typed by hand.
"""

import pytest

from saint_services.routerd.fields.claims import NO_BAR
from saint_services.routerd.fields.motion import FOREVER, NEVER
from tests.safety.claims_rig import NOW, board, claim, driven, hold, output


class TestTimeOut:
    def test_at_120_ms_the_next_in_line_has_it(self) -> None:
        where = output()
        made = board(where)
        winner = driven(where, made)
        other = claim(where, received=NOW + 0.1, priority=100)
        made.advance(NOW + 0.1199)
        assert where.winner is winner
        made.advance(NOW + 0.120)
        assert where.winner is other

    def test_or_its_loss_policy(self) -> None:
        where = output(command=3)
        made = board(where)
        driven(where, made, 1.5)
        made.advance(NOW + 0.120)
        assert (where.winner, where.policy, made.dirty) == (None, "ramp_to_zero", {3})
        assert made.wake_at == pytest.approx(100.13)

    @pytest.mark.parametrize(("noticed_s", "value"), [(0.12, 1.5), (0.145, 0.75), (0.17, 0.0)])
    def test_the_ramp_begins_at_the_time_out_however_late_it_is_noticed(
        self, noticed_s: float, value: float
    ) -> None:
        where = output()
        made = board(where)
        driven(where, made, 1.5)
        made.advance(NOW + noticed_s)
        assert where.value == pytest.approx(value)

    def test_of_a_mix_any_member_is_watched(self) -> None:
        where = output()
        made = board(where, mode="blend")
        winner = driven(where, made)
        other = claim(where, received=NOW + 0.05, priority=300)
        made.contend(other, NOW + 0.05)
        made.advance(NOW + 0.06)
        assert (where.members, made.wake_at) == ((winner, other), pytest.approx(100.07))
        made.advance(NOW + 0.12)
        assert where.members == (other,)

    def test_a_member_that_says_that_it_is_lost_leaves_the_mix(self) -> None:
        where = output()
        made = board(where, mode="blend")
        winner = driven(where, made)
        other = claim(where, source="web", priority=200)
        made.contend(other, NOW)
        assert where.members == (winner, other)
        assert other.stream is not None
        other.stream.received = NEVER
        made.lose_source("web", NOW)
        assert where.members == (winner,)

    def test_a_lost_source_of_a_field_that_was_never_live_changes_nothing(self) -> None:
        where = output(policy="hold")
        made = board(where)
        made.decide_all(NOW)
        assert (where.policy, made.dirty, made.wake_at) == ("hold", set(), FOREVER)

    def test_a_winner_that_routes_took_away_is_lost_now(self) -> None:
        where = output()
        made = board(where)
        driven(where, made, 1.5)
        where.winner = None
        where.claims.clear()
        made.decide_all(NOW + 1.0)
        assert (where.policy, where.ramp_at) == ("ramp_to_zero", 101.0)

    def test_a_source_that_said_so_is_lost_now(self) -> None:
        where = output()
        made = board(where)
        winner = driven(where, made, 1.5)
        assert winner.stream is not None
        winner.stream.received = NEVER
        made.decide(where, NOW + 0.05)
        assert where.ramp_at == 100.05


class TestReview:
    def test_it_is_held_when_it_is_due_and_once(self) -> None:
        where = output()
        made = board(where)
        winner = driven(where, made, priority=100)
        contender = claim(where, priority=300, received=NOW + 0.02, steady_at=NOW + 0.05)
        made.contend(contender, NOW)
        made.advance(NOW + 0.049)
        assert (where.winner, made.wake_at) == (winner, 100.05)
        made.advance(NOW + 0.05)
        assert (where.winner, where.review_at) == (contender, FOREVER)


class TestWhatALostSourceHolds:
    def test_until_then_and_no_longer(self) -> None:
        where = output(is_velocity=False, on_loss="neutral", command=3)
        made = board(where)
        winner = driven(where, made)
        hold(made, winner, x=0.5)
        assert (where.held_by, where.bar, where.winner) == (winner, 300, None)
        assert (made.wake_at, made.dirty) == (100.5, {3})
        made.dirty.clear()
        made.advance(NOW + 0.499)
        assert (where.policy, made.wake_at, made.dirty) == ("hold", 100.5, set())
        made.advance(NOW + 0.5)
        assert (where.held_by, where.bar, where.held_until) == (None, NO_BAR, NEVER)
        assert (where.policy, made.dirty) == ("neutral", {3})

    def test_a_velocity_stays_at_rest_afterwards(self) -> None:
        where = output()
        made = board(where)
        hold(made, driven(where, made), x=0.5)
        made.advance(NOW + 0.2)
        made.dirty.clear()
        made.advance(NOW + 0.5)
        assert (where.value, where.changed_at, made.dirty) == (0.0, NOW, set())

    def test_afterwards_the_next_in_line_has_it(self) -> None:
        where = output()
        made = board(where)
        winner = driven(where, made)
        other = claim(where, received=NOW + 0.45, priority=100)
        hold(made, winner, x=0.5)
        made.advance(NOW + 0.499)
        assert where.winner is None
        made.advance(NOW + 0.5)
        assert where.winner is other

    def test_a_higher_priority_has_it_at_once(self) -> None:
        where = output()
        made = board(where)
        winner = driven(where, made)
        other = claim(where, priority=301)
        hold(made, winner, x=0.5)
        assert where.winner is other

    def test_it_goes_where_the_newest_values_say(self) -> None:
        where = output(is_velocity=False, on_loss="hold")
        made = board(where)
        winner = driven(where, made)
        for said, wanted in (({"x": 0.5}, 0.5), ({"x": 1.0}, 1.0), ({}, 1.0), ({"x": 0.5}, 0.5)):
            hold(made, winner, **said)
            assert where.want == wanted

    def test_the_same_values_again_change_nothing_but_the_end(self) -> None:
        where = output(is_velocity=False, on_loss="hold")
        made = board(where)
        winner = driven(where, made)
        for more_s in (0.0, 0.1):
            hold(made, winner, NOW + more_s, x=0.5)
            assert (where.changed_at, where.held_until) == (NOW, NOW + more_s + 0.5)

    @pytest.mark.parametrize("said", [1.5, 0.25])
    def test_a_velocity_does_not_begin_its_ramp_again(self, said: float) -> None:
        where = output()
        made = board(where)
        winner = driven(where, made, 1.5)
        for more_s in (0.0, 0.02):
            hold(made, winner, NOW + more_s, x=said)
            assert where.ramp_at == NOW

    def test_it_holds_no_field_of_others_and_none_that_is_blended(self) -> None:
        free, others, mix = (output(field=name, command=ord(name)) for name in "abc")
        made = board(free, others, mix, fields={"t.c": "blend"})
        theirs = claim(others, source="web")
        made.contend(theirs, NOW)
        hold(made, driven(mix, made), x=0.5)
        assert [each.held_by for each in (free, others, mix)] == [None] * 3
        assert (others.winner, mix.winner, mix.policy) == (theirs, None, "ramp_to_zero")
        assert made.dirty == {ord("c")}

    def test_only_the_loss_of_the_holder_ends_it(self) -> None:
        where, other = output(field="a"), output(field="b")
        made = board(where, other)
        winner, theirs = driven(where, made), driven(other, made)
        theirs.source = "web"
        hold(made, winner, x=0.5)
        made.lose_source("web", NOW)
        assert where.held_by is winner
        made.lose_source("rc", NOW)
        assert (where.held_by, other.winner) == (None, theirs)

    def test_a_position_follows_its_policy_when_the_hold_ends(self) -> None:
        where = output(is_velocity=False, on_loss="neutral", command=3)
        made = board(where)
        hold(made, driven(where, made), x=0.5)
        made.dirty.clear()
        made.wake_at = FOREVER
        made.lose_source("rc", NOW)
        assert (where.policy, where.is_moving) == ("neutral", True)
        assert (made.dirty, made.wake_at) == ({3}, 100.01)

    def test_a_source_that_is_lost_without_values_releases_at_once(self) -> None:
        where = output(command=3)
        made = board(where)
        winner = driven(where, made)
        assert winner.stream is not None
        winner.stream.received = NEVER
        made.lose_source("web", NOW)
        assert (where.winner, made.dirty) == (winner, set())
        made.lose_source("rc", NOW)
        assert (where.winner, made.dirty, made.wake_at) == (None, {3}, 100.01)


class TestSteps:
    def test_what_moves_is_dirty_and_goes_on_every_10_ms(self) -> None:
        where = output(command=3)
        made = board(where)
        driven(where, made)
        made.follow(where, 0.65, NOW + 0.01)
        assert (where.value, made.dirty) == (pytest.approx(0.6), {3})
        assert made.wake_at == pytest.approx(100.02)
        for later_s, dirty in ((0.02, {3}), (0.03, set())):
            made.dirty.clear()
            made.advance(NOW + later_s)
            assert (where.value, made.dirty) == (0.65, dirty)


class TestEstop:
    def test_everything_stands_and_nothing_more_is_sent(self) -> None:
        one, two = output(field="a"), output(field="b", is_velocity=False, on_loss="hold")
        made = board(one, two)
        driven(one, made, 1.5)
        driven(two, made, 1.5)
        made.follow(one, 0.5, NOW)
        made.stop_all(NOW)
        assert (one.value, one.policy, two.policy) == (0.0, "estop", "estop")
        assert (made.dirty, made.wake_at) == (set(), FOREVER)
        made.rest_all(NOW + 1.0)
        assert (one.policy, two.policy) == ("ramp_to_zero", "hold")
