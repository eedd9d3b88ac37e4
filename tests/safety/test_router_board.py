"""All outputs together: who is given a field, when time-outs and reviews fall due, what a lost
source keeps. On a board made by hand, one class per rule; all numbers are typed by hand.
"""

import pytest

from saint_services.lib.api.routing import Blending
from saint_services.routerd.arbitration import Claim
from saint_services.routerd.board import Board
from saint_services.routerd.outputs import FOREVER, NEVER, NO_BAR, Output
from saint_services.routerd.targets import Modifier
from tests.safety.claims_rig import claim, output

NOW = 100.0  # a claim that was heard now is lost at 100.12
SPEED = Modifier("speed", "speed", 0.0, 1.0, 1.0, is_pace=True)


def board(*outputs: Output, mode: str = "priority", **more: object) -> Board:
    made = Board(outputs)
    made.configure(Blending.model_validate({"mode": mode, **more}))
    return made


def driven(where: Output, made: Board, value: float = 0.5, now: float = NOW, **more: int) -> Claim:
    """In control since now, and where it wants to be."""
    winner = claim(where, value, received=now, **more)
    made.contend(winner, now)
    assert where.winner is winner
    where.value, where.is_moving = value, False
    made.dirty.clear()
    made.wake_at = FOREVER
    return winner


def hold(made: Board, winner: Claim, now: float = NOW, **said: float) -> None:
    """Its signal is lost, and it keeps what it has for half a second."""
    assert winner.stream is not None
    winner.stream.received = NEVER
    made.hold_source(winner.source, said, now + 0.5, now)


def slow(one: Claim) -> Claim:
    """It asks for a quarter of the rate."""
    assert one.plan is not None
    one.plan.modifiers = ((SPEED, 1),)
    return one


class TestAtTheStart:
    def test_nothing_is_due_and_nothing_is_told(self) -> None:
        made = Board([output()])
        assert (made.wake_at, made.dirty, made.hysteresis_s) == (FOREVER, set(), 0.0)

    def test_nothing_fades_before_it_is_configured(self) -> None:
        where = output()
        made = Board([where])
        driven(where, made)
        made.fade_in(where, NOW)
        assert where.fade_s == 0.0


class TestSettings:
    def test_times_are_milliseconds(self) -> None:
        where = output()
        made = board(where, hysteresis_ms=250, blend_time_ms=400)
        driven(where, made)
        made.fade_in(where, NOW)
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
            made.remix(where, NOW + 0.01)
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
        made.remix(where, NOW + 0.01)
        assert where.value == 0.375


class TestAlarm:
    def test_the_earliest_counts(self) -> None:
        made = Board([])
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

    def test_advance_sets_it_anew(self) -> None:
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
    def test_not_by_who_may_not_drive(self, flags: dict[str, bool]) -> None:
        where = output()
        board(where).contend(claim(where, **flags), NOW)
        assert where.winner is None

    def test_not_by_who_is_barred(self) -> None:
        where = output(bar=300)
        board(where).contend(claim(where, priority=300), NOW)
        assert where.winner is None

    @pytest.mark.parametrize(("priority", "wins"), [(299, False), (300, False), (301, True)])
    def test_only_a_higher_priority_takes_it(self, priority: int, wins: bool) -> None:
        where = output()
        made = board(where)
        winner = driven(where, made)
        rival = claim(where, priority=priority)
        made.contend(rival, NOW)
        assert where.winner is (rival if wins else winner)

    def test_an_equal_one_does_not_even_ask(self) -> None:
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
        made.contend(claim(where, priority=300, steady_at=NOW + 0.07), NOW)
        assert where.review_at == 100.05
        made.contend(claim(where, priority=300, steady_at=NOW + 0.02), NOW)
        assert (where.review_at, made.wake_at) == (100.02, 100.02)

    @pytest.mark.parametrize(("steady_at", "wins"), [(100.0, True), (100.001, False)])
    def test_steady_at_this_moment_is_steady(self, steady_at: float, wins: bool) -> None:
        where = output()
        made = board(where)
        driven(where, made, priority=100)
        rival = claim(where, priority=300, steady_at=steady_at)
        made.contend(rival, NOW)
        assert (where.winner is rival) is wins

    def test_nobody_waits_for_a_winner_that_is_lost(self) -> None:
        where = output()
        made = board(where)
        driven(where, made, priority=100)
        rival = claim(where, priority=300, received=NOW + 0.12, steady_at=NOW + 9.0)
        made.contend(rival, NOW + 0.12)
        assert where.winner is rival


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
        rival = claim(where, 1.0, received=NOW + later_s, priority=300)
        made.contend(rival, NOW + later_s)
        assert (where.fade_s, where.fade_from) == (fade_s, 0.5)
        assert (where.winner, where.changed_at) == (rival, NOW + later_s)

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

    def test_whoever_takes_it_ends_a_keeping(self) -> None:
        where = output()
        made = board(where)
        kept = driven(where, made)
        hold(made, kept, x=0.5)
        assert where.keeper is kept
        made.contend(claim(where, priority=301), NOW)
        assert (where.keeper, where.bar, where.kept_until) == (None, NO_BAR, NEVER)


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
        made.pace(slow(claim(where, 1.0)))
        assert where.rate == 10.0

    def test_of_a_mix_nobody_does(self) -> None:
        where = output()
        made = board(where, mode="blend")
        made.contend(slow(claim(where, 1.0)), NOW)
        assert where.rate == 10.0


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
        rival = claim(where, priority=300, received=NOW + 0.02, steady_at=NOW + 0.05)
        made.contend(rival, NOW)
        made.advance(NOW + 0.049)
        assert (where.winner, made.wake_at) == (winner, 100.05)
        made.advance(NOW + 0.05)
        assert (where.winner, where.review_at) == (rival, FOREVER)


class TestWhatALostSourceKeeps:
    def test_until_then_and_no_longer(self) -> None:
        where = output(is_velocity=False, on_loss="neutral", command=3)
        made = board(where)
        winner = driven(where, made)
        hold(made, winner, x=0.5)
        assert (where.keeper, where.bar, where.winner) == (winner, 300, None)
        assert (made.wake_at, made.dirty) == (100.5, {3})
        made.dirty.clear()
        made.advance(NOW + 0.499)
        assert (where.policy, made.wake_at, made.dirty) == ("hold", 100.5, set())
        made.advance(NOW + 0.5)
        assert (where.keeper, where.bar, where.kept_until) == (None, NO_BAR, NEVER)
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

    def test_it_goes_where_the_newest_word_says(self) -> None:
        where = output(is_velocity=False, on_loss="hold")
        made = board(where)
        winner = driven(where, made)
        for said, wanted in (({"x": 0.5}, 0.5), ({"x": 1.0}, 1.0), ({}, 1.0), ({"x": 0.5}, 0.5)):
            hold(made, winner, **said)
            assert where.want == wanted

    def test_the_same_word_again_changes_nothing_but_the_end(self) -> None:
        where = output(is_velocity=False, on_loss="hold")
        made = board(where)
        winner = driven(where, made)
        for more_s in (0.0, 0.1):
            hold(made, winner, NOW + more_s, x=0.5)
            assert (where.changed_at, where.kept_until) == (NOW, NOW + more_s + 0.5)

    @pytest.mark.parametrize("said", [1.5, 0.25])
    def test_a_velocity_does_not_begin_its_ramp_again(self, said: float) -> None:
        where = output()
        made = board(where)
        winner = driven(where, made, 1.5)
        for more_s in (0.0, 0.02):
            hold(made, winner, NOW + more_s, x=said)
            assert where.ramp_at == NOW

    def test_it_keeps_no_field_of_others_and_none_that_is_mixed(self) -> None:
        free, others, mix = (output(field=name, command=ord(name)) for name in "abc")
        made = board(free, others, mix, fields={"t.c": "blend"})
        theirs = claim(others, source="web")
        made.contend(theirs, NOW)
        hold(made, driven(mix, made), x=0.5)
        assert [each.keeper for each in (free, others, mix)] == [None] * 3
        assert (others.winner, mix.winner, mix.policy) == (theirs, None, "ramp_to_zero")
        assert made.dirty == {ord("c")}

    def test_only_itself_lets_go(self) -> None:
        where, other = output(field="a"), output(field="b")
        made = board(where, other)
        winner, theirs = driven(where, made), driven(other, made)
        theirs.source = "web"
        hold(made, winner, x=0.5)
        made.lose_source("web", NOW)
        assert where.keeper is winner
        made.lose_source("rc", NOW)
        assert (where.keeper, other.winner) == (None, theirs)

    def test_a_position_goes_to_its_policy_when_it_lets_go(self) -> None:
        where = output(is_velocity=False, on_loss="neutral", command=3)
        made = board(where)
        hold(made, driven(where, made), x=0.5)
        made.dirty.clear()
        made.wake_at = FOREVER
        made.lose_source("rc", NOW)
        assert (where.policy, where.is_moving) == ("neutral", True)
        assert (made.dirty, made.wake_at) == ({3}, 100.01)

    def test_a_source_that_is_lost_without_a_word_lets_go_at_once(self) -> None:
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
    def test_what_moves_is_told_and_goes_on_every_10_ms(self) -> None:
        where = output(command=3)
        made = board(where)
        driven(where, made)
        made.follow(where, 0.65, NOW + 0.01)
        assert (where.value, made.dirty) == (pytest.approx(0.6), {3})
        assert made.wake_at == pytest.approx(100.02)
        for later_s, told in ((0.02, {3}), (0.03, set())):
            made.dirty.clear()
            made.advance(NOW + later_s)
            assert (where.value, made.dirty) == (0.65, told)


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
