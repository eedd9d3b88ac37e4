"""All outputs together: which claim gets a field, the change of control, when the next step is due.
On a board made by hand, one class per rule; all numbers are typed by hand.
"""

import pytest

from saint_services.lib.api.routing import Blending
from saint_services.routerd.fields.board import FieldBoard
from saint_services.routerd.fields.claims import NO_BAR
from saint_services.routerd.fields.motion import FOREVER, NEVER
from tests.safety.claims_rig import NOW, board, claim, driven, hold, output, slow


class TestAtTheStart:
    def test_nothing_is_due_and_nothing_is_dirty(self) -> None:
        made = FieldBoard([output()])
        assert (made.wake_at, made.dirty, made.hysteresis_s) == (FOREVER, set(), 0.0)

    def test_nothing_fades_before_it_is_configured(self) -> None:
        where = output()
        made = FieldBoard([where])
        driven(where, made)
        where.fade(where.blend_time_s, NOW)
        assert where.fade_s == 0.0


class TestSettings:
    def test_times_are_milliseconds(self) -> None:
        where = output()
        made = board(where, hysteresis_ms=250, blend_time_ms=400)
        driven(where, made)
        where.fade(where.blend_time_s, NOW)
        assert (made.hysteresis_s, where.fade_s) == (0.25, 0.4)

    @pytest.mark.parametrize(
        ("mode", "fields", "expected"),
        [
            ("priority", {}, 0.5),
            ("blend", {}, 0.25),  # (300 x 0.5 + 100 x -0.5) / 400
            ("additive", {}, 0.0),
            ("priority", {"t.f": "blend"}, 0.25),
            ("blend", {"t.f": "additive"}, 0.0),
            ("additive", {"t.f": "priority"}, 0.5),
        ],
    )
    def test_mode_of_all_and_of_one(
        self, mode: str, fields: dict[str, str], expected: float
    ) -> None:
        where = output(max_rate=1e6)
        made = board(where, mode=mode, fields=fields, blend_time_ms=0)
        for one in (claim(where, 0.5), claim(where, -0.5, priority=100, weight=100.0)):
            made.contend(one, NOW)
        assert where.want == pytest.approx(expected)
        if where.members is not None:
            made.follow(where, where.blended, NOW + 0.01)
            assert where.value == pytest.approx(expected)

    def test_who_drives_goes_on_when_the_mode_changes(self) -> None:
        where = output()
        made = board(where)
        winner = driven(where, made)
        made.configure(Blending(mode="blend"))
        assert where.members == (winner,)
        where.members = (winner, winner)
        made.configure(Blending(mode="additive"))
        assert where.members == (winner, winner)
        made.configure(Blending())
        assert (where.members, where.winner) == (None, winner)

    def test_a_sum_is_forgotten_with_its_mode(self) -> None:
        where = output(max_rate=1e6)
        made = board(where, mode="additive")
        first, second = claim(where, 0.5), claim(where, 0.25)
        made.contend(first, NOW)
        made.contend(second, NOW)
        made.configure(Blending(mode="blend"))
        where.fade_s = 0.0
        made.follow(where, where.blended, NOW + 0.01)
        assert where.value == 0.375


class TestAlarm:
    def test_the_earliest_counts(self) -> None:
        made = FieldBoard([])
        for at, expected in ((5.0, 5.0), (6.0, 5.0), (4.0, 4.0)):
            made.wake(at)
            assert made.wake_at == expected

    def test_the_winners_time_out_and_the_next_step(self) -> None:
        where = output()
        made = board(where)
        made.contend(claim(where, 0.05), NOW)  # within one step
        assert made.wake_at == 100.12
        made.contend(claim(where, 1.0, priority=900), NOW)
        assert made.wake_at == 100.01

    def test_advance_sets_it_again(self) -> None:
        where = output()
        made = board(where)
        driven(where, made)
        made.wake_at = 1.0
        made.advance(NOW + 0.05)
        assert made.wake_at == 100.12
        assert made.dirty == set()


class TestWhoContends:
    def test_a_free_field_is_taken(self) -> None:
        where = output(command=3)
        made = board(where)
        one = claim(where, 0.05)
        made.contend(one, NOW)
        assert (where.winner, where.policy, where.is_driven) == (one, "live", True)
        assert (where.value, where.changed_at, made.dirty) == (0.05, NOW, {3})

    @pytest.mark.parametrize("flags", [{"is_armed": False}, {"is_locked": True}])
    def test_not_by_a_claim_that_may_not_drive(self, flags: dict[str, bool]) -> None:
        where = output()
        board(where).contend(claim(where, **flags), NOW)
        assert where.winner is None

    def test_not_by_a_claim_that_is_barred(self) -> None:
        where = output(bar=300)
        board(where).contend(claim(where, priority=300), NOW)
        assert where.winner is None

    @pytest.mark.parametrize(("priority", "wins"), [(299, False), (300, False), (301, True)])
    def test_only_a_higher_priority_takes_it(self, priority: int, wins: bool) -> None:
        where = output()
        made = board(where)
        winner = driven(where, made)
        contender = claim(where, priority=priority)
        made.contend(contender, NOW)
        assert where.winner is (contender if wins else winner)

    def test_who_was_not_steady_when_the_field_became_free_is_looked_at_when_it_is(self) -> None:
        where = output()
        made = board(where)
        claim(where, priority=50)
        claim(where, priority=200, steady_at=NOW + 0.05)
        made.decide(where, NOW)
        assert where.winner is not None
        assert where.winner.priority == 50
        assert (where.review_at, made.wake_at <= NOW + 0.05) == (NOW + 0.05, True)

    def test_the_alarm_rings_when_it_is_steady(self) -> None:
        where = output()
        made = board(where)
        claim(where, 0.05, priority=50)  # within one step
        claim(where, priority=200, steady_at=NOW + 0.05)
        made.decide(where, NOW)
        assert made.wake_at == 100.05

    @pytest.mark.parametrize(
        ("priority", "review_at"), [(49, FOREVER), (50, FOREVER), (51, 100.05)]
    )
    def test_only_a_higher_one_is_looked_at_again(self, priority: int, review_at: float) -> None:
        where = output()
        made = board(where)
        claim(where, priority=50)
        claim(where, priority=priority, steady_at=NOW + 0.05)
        made.decide(where, NOW)
        assert where.review_at == review_at

    def test_of_a_mix_also_a_lower_one(self) -> None:
        where = output()
        made = board(where, mode="blend")
        winner = claim(where, steady_at=NOW)
        made.decide(where, NOW)
        assert (where.members, where.review_at) == ((winner,), FOREVER)
        claim(where, priority=100, steady_at=NOW + 0.05)
        made.decide(where, NOW)
        assert (where.members, where.review_at) == ((winner,), 100.05)

    def test_an_equal_one_does_not_contend(self) -> None:
        where = output()
        made = board(where)
        driven(where, made)
        made.contend(claim(where, priority=300, steady_at=NOW + 0.05), NOW)
        assert where.review_at == FOREVER

    def test_the_same_again_follows(self) -> None:
        where = output()
        made = board(where)
        winner = driven(where, made)
        assert winner.stream is not None
        winner.stream.values = (0.55, 0.0)
        made.contend(winner, NOW + 0.01)
        assert (where.value, where.changed_at) == (0.55, NOW)

    def test_who_came_back_is_reviewed_when_it_is_steady(self) -> None:
        where = output()
        made = board(where)
        winner = driven(where, made, priority=100)
        made.contend(claim(where, priority=300, steady_at=NOW + 0.05), NOW)
        assert (where.winner, where.review_at, made.wake_at) == (winner, 100.05, 100.05)
        assert made.dirty == set()
        made.contend(claim(where, priority=300, steady_at=NOW + 0.07), NOW)
        assert where.review_at == 100.05
        made.contend(claim(where, priority=300, steady_at=NOW + 0.02), NOW)
        assert (where.review_at, made.wake_at) == (100.02, 100.02)

    @pytest.mark.parametrize(("steady_at", "wins"), [(100.0, True), (100.001, False)])
    def test_steady_at_this_moment_is_steady(self, steady_at: float, wins: bool) -> None:
        where = output()
        made = board(where)
        driven(where, made, priority=100)
        contender = claim(where, priority=300, steady_at=steady_at)
        made.contend(contender, NOW)
        assert (where.winner is contender) is wins

    def test_nobody_waits_for_a_winner_that_is_lost(self) -> None:
        where = output()
        made = board(where)
        driven(where, made, priority=100)
        contender = claim(where, priority=300, received=NOW + 0.12, steady_at=NOW + 9.0)
        made.contend(contender, NOW + 0.12)
        assert where.winner is contender


class TestHandOver:
    def test_the_first_takes_it_without_a_fade(self) -> None:
        where = output()
        board(where, blend_time_ms=200).contend(claim(where, 1.0), NOW)
        assert where.fade_s == 0.0

    @pytest.mark.parametrize(
        ("is_velocity", "later_s", "blend_ms", "fade_s"),
        [
            (True, 0.119, 200, 0.2),
            (True, 0.120, 200, 0.05),  # a lost velocity does not outlive its source for long
            (True, 0.120, 20, 0.02),
            (False, 0.120, 200, 0.2),
        ],
    )
    def test_it_fades(
        self, is_velocity: bool, later_s: float, blend_ms: int, fade_s: float
    ) -> None:
        where = output(is_velocity=is_velocity)
        made = board(where, blend_time_ms=blend_ms)
        driven(where, made, priority=100)
        contender = claim(where, 1.0, received=NOW + later_s, priority=300)
        made.contend(contender, NOW + later_s)
        assert (where.fade_s, where.fade_from) == (fade_s, 0.5)
        assert (where.winner, where.changed_at) == (contender, NOW + later_s)

    def test_one_lost_member_of_a_mix_makes_it_short(self) -> None:
        where = output()
        made = board(where, mode="blend", blend_time_ms=200)
        driven(where, made)
        made.contend(claim(where, 0.5, received=NOW + 0.1), NOW + 0.1)
        where.fade_s = 0.0
        made.contend(claim(where, 0.5, received=NOW + 0.12, priority=301), NOW + 0.12)
        assert where.fade_s == 0.05

    def test_a_new_member_fades_in_but_control_did_not_change(self) -> None:
        where = output()
        made = board(where, mode="blend", blend_time_ms=200)
        winner = driven(where, made)
        other = claim(where, -0.5, received=NOW + 0.05, priority=300)
        made.contend(other, NOW + 0.05)
        assert where.members == (winner, other)
        assert (where.fade_s, where.changed_at) == (0.2, NOW)
        where.fade_s = 0.0
        made.decide(where, NOW + 0.06)
        assert where.fade_s == 0.0  # nothing new

    def test_a_new_winner_ends_a_hold(self) -> None:
        where = output()
        made = board(where)
        kept = driven(where, made)
        hold(made, kept, x=0.5)
        assert where.held_by is kept
        made.contend(claim(where, priority=301), NOW)
        assert (where.held_by, where.bar, where.held_until) == (None, NO_BAR, NEVER)


class TestPace:
    def test_the_winner_sets_it(self) -> None:
        where = output()
        made = board(where)
        made.contend(slow(claim(where, 1.0)), NOW)
        assert where.rate == 2.5  # a quarter of 10
        assert where.value == pytest.approx(0.025)

    def test_nobody_else_does(self) -> None:
        where = output()
        made = board(where)
        driven(where, made)
        where.set_pace(slow(claim(where, 1.0)))
        assert where.rate == 10.0

    def test_of_a_mix_nobody_does(self) -> None:
        where = output()
        made = board(where, mode="blend")
        made.contend(slow(claim(where, 1.0)), NOW)
        assert where.rate == 10.0


class TestUnboundedValue:
    def test_by_the_one_in_control_without_any_limit(self) -> None:
        where = output()
        made = board(where)
        driven(where, made, 0.5)  # without limits it is ten times as much
        assert (where.want, where.unbounded) == (0.5, 5.0)

    def test_by_nobody_is_what_the_policy_wants(self) -> None:
        where = output()
        where.want = 0.25
        assert where.unbounded == 0.25

    def test_by_nobody_of_a_mix_is_what_the_policy_wants(self) -> None:
        where = output()
        board(where, mode="additive")
        where.want = 0.25
        assert (where.members, where.unbounded) == ((), 0.25)

    @pytest.mark.parametrize(("mode", "expected"), [("blend", 6.25), ("additive", 5.0)])
    def test_by_a_mix_as_it_is_mixed(self, mode: str, expected: float) -> None:
        where = output()
        made = board(where, mode=mode)
        made.contend(claim(where, 1.0), NOW)
        made.contend(claim(where, -0.5, priority=100, weight=100.0), NOW)
        assert where.unbounded == expected  # (300 x 10 - 100 x 5) / 400, and 10 - 5
