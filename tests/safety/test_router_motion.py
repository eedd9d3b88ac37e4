"""How one output moves in time, one class per kind of limit: rate, cross-fade, loss, e-stop. On an
output made by hand, -1 to 2 at 10 per second; all numbers are typed by hand.
"""

from typing import Any

import pytest

from saint_services.routerd.fields.claims import NO_BAR, OutputField
from saint_services.routerd.fields.motion import FOREVER, NEVER
from tests.safety.claims_rig import claim, output

NOW = 100.0


def position(value: float | None = 0.5, **more: Any) -> OutputField:
    made = output(is_velocity=False, **{"on_loss": "hold", **more})
    made.value = made.want = value  # type: ignore[assignment]
    made.at = NOW
    return made


def moving(value: float) -> OutputField:
    """Make a field that is in control at this speed."""
    made = output(policy="live", at=NOW)
    made.value = made.want = value
    return made


class TestAtTheStart:
    def test_a_velocity_rests_and_a_position_is_unknown(self) -> None:
        assert output().value == 0.0
        assert output(low=0.25).value == 0.25
        assert output(is_velocity=False).value is None

    def test_neutral_and_park_are_within_the_limits(self) -> None:
        made = output(neutral=9.0, park=-9.0)
        assert (made.neutral, made.park) == (2.0, -1.0)

    def test_nobody_drives_it(self) -> None:
        made = output()
        assert (made.drivers, made.rate, made.name) == ((), 10.0, "t.f")
        assert made.bar < 0  # the lowest priority
        assert not made.is_driven and not made.is_moving

    def test_rest_is_zero_for_a_velocity_and_neutral_for_a_position(self) -> None:
        assert output(neutral=1.5).rest == 0.0
        assert output(low=0.5).rest == 0.5
        assert output(high=-0.5).rest == -0.5
        assert output(neutral=1.5, is_velocity=False).rest == 1.5


class TestRate:
    def test_a_first_position_is_taken_at_once(self) -> None:
        made = position(None)
        made.is_moving = True
        made.drive(1.5, NOW)
        assert (made.value, made.want, made.at, made.is_moving) == (1.5, 1.5, NOW, False)

    @pytest.mark.parametrize(
        ("later_s", "room"),
        [(0.0, 0.0), (-5.0, 0.0), (0.005, 0.05), (0.01, 0.1), (0.0101, 0.1), (60.0, 0.1)],
    )
    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_at_most_10_ms_of_the_rate_are_granted_at_once(
        self, later_s: float, room: float, sign: float
    ) -> None:
        made = moving(0.5)
        made.drive(0.5 + sign, NOW + later_s)
        assert made.value == pytest.approx(0.5 + sign * room, abs=1e-9)
        assert made.is_moving and made.want == 0.5 + sign

    @pytest.mark.parametrize("way", [0.0625, -0.0625])
    def test_what_just_fits_arrives(self, way: float) -> None:
        made = output(max_rate=8.0, at=NOW)  # 0.0625 in 1/128 s, all exact
        made.value = 0.5
        made.is_moving = True
        made.drive(0.5 + way, NOW + 0.0078125)
        assert (made.value, made.is_moving) == (0.5 + way, False)

    def test_what_was_granted_is_used_up(self) -> None:
        made = moving(0.5)
        made.drive(2.0, NOW + 1.0)
        made.drive(2.0, NOW + 1.0)
        assert made.value == pytest.approx(0.6)

    def test_a_share_of_the_rate(self) -> None:
        made = moving(0.5)
        made.rate = 5.0
        made.drive(2.0, NOW + 1.0)
        assert made.value == pytest.approx(0.55)


class TestCrossFade:
    def test_the_middle_is_the_mean(self) -> None:
        made = moving(0.0)
        made.rate = 1000.0
        made.fade(0.2, NOW)
        made.drive(1.0, NOW + 0.1)
        assert made.value == pytest.approx(0.5)
        assert made.is_moving  # although it is where it should be
        made.drive(1.0, NOW + 0.15)
        assert made.value == pytest.approx(0.75)

    def test_a_quarter_from_where_it_was(self) -> None:
        made = moving(0.5)
        made.rate = 1000.0
        made.fade(0.25, NOW)
        made.drive(1.5, NOW + 0.0625)
        assert made.value == 0.75

    def test_before_its_time_it_is_where_it_was(self) -> None:
        made = moving(0.5)
        made.at = NOW - 10.0
        made.fade(0.25, NOW)
        made.drive(1.5, NOW - 5.0)
        assert made.value == 0.5

    def test_a_thousandth_is_left_to_the_rate(self) -> None:
        for now, is_over in ((0.999, False), (0.9991, True)):
            made = moving(0.0)
            made.fade(1.0, 0.0)
            made.drive(1.0, now)
            assert (made.fade_s == 0.0) is is_over

    def test_it_begins_where_it_was_and_a_clock_that_is_set_earlier_harms_nothing(self) -> None:
        made = moving(0.5)
        made.rate = 1000.0
        made.fade(0.2, NOW)
        made.drive(1.5, NOW)
        assert made.value == 0.5
        made.drive(1.5, NOW - 1.0)
        assert made.value == 0.5

    def test_it_ends_after_its_time(self) -> None:
        made = moving(0.0)
        made.rate = 1000.0
        made.fade(0.2, NOW)
        made.drive(1.0, NOW + 0.199)
        assert made.fade_s == 0.2 and made.is_moving
        made.drive(1.0, NOW + 0.2)
        assert (made.value, made.fade_s, made.is_moving) == (1.0, 0.0, False)

    @pytest.mark.parametrize(("duration_s", "value"), [(0.0, 0.5), (0.2, None)])
    def test_none_without_time_or_without_a_value(
        self, duration_s: float, value: float | None
    ) -> None:
        made = moving(0.0)
        made.value = value
        made.fade(duration_s, NOW)
        assert made.fade_s == 0.0

    def test_the_rate_holds_inside_it(self) -> None:
        made = moving(-1.0)
        made.fade(0.01, NOW)
        made.drive(2.0, NOW + 0.009)
        assert made.value == pytest.approx(-1.0 + 0.09)


class TestLoss:
    def test_a_velocity_is_zero_after_50_ms(self) -> None:
        made = moving(1.5)
        made.lose(NOW, NOW)
        assert (made.policy, made.want, made.is_moving, made.changed_at) == (
            "ramp_to_zero", 0.0, True, NOW,
        )  # fmt: skip
        for later_s, value in ((0.0, 1.5), (0.01, 1.2), (0.025, 0.75), (0.049, 0.03), (0.05, 0.0)):
            made.step(NOW + later_s)
            assert made.value == pytest.approx(value)
            assert made.is_moving is (later_s < 0.05)
            assert made.at == NOW + later_s

    def test_the_ramp_begins_when_it_was_lost_not_when_that_was_noticed(self) -> None:
        made = moving(1.5)
        made.lose(NOW - 0.025, NOW)
        made.step(NOW)
        assert made.value == pytest.approx(0.75)

    @pytest.mark.parametrize("back_s", [0.0, 1.0])
    def test_a_clock_that_is_set_earlier_makes_it_no_faster(self, back_s: float) -> None:
        made = moving(1.5)
        made.lose(NOW, NOW)
        made.step(NOW + 0.025)
        made.step(NOW - back_s)
        assert made.value == pytest.approx(0.75)

    def test_a_thousandth_is_not_worth_another_step(self) -> None:
        for now, is_over in ((0.04995, False), (0.049951, True)):
            made = moving(1.5)
            made.lose(0.0, 0.0)
            made.step(now)
            assert (made.value == 0.0) is is_over
            assert made.is_moving is not is_over

    @pytest.mark.parametrize(
        ("policy", "wanted"), [("hold", 0.5), ("neutral", 1.0), ("park", -0.75)]
    )
    def test_a_position_does_what_the_manifest_says(self, policy: Any, wanted: float) -> None:
        made = position(0.5, on_loss=policy, neutral=1.0, park=-0.75)
        made.at = NEVER
        made.lose(NOW, NOW)
        assert (made.policy, made.want, made.at) == (policy, wanted, NOW)
        assert made.is_moving is (wanted != 0.5)
        made.step(NOW + 0.01)  # it stood: a start is 2 ms of its rate
        assert made.value == pytest.approx(0.5 + max(-0.02, min(0.02, wanted - 0.5)))

    @pytest.mark.parametrize("policy", ["hold", "neutral", "park", "ramp_to_zero"])
    def test_a_position_that_nobody_commanded_stays_unknown(self, policy: str) -> None:
        made = position(None, on_loss=policy)
        made.is_moving = True
        made.lose(NOW, NOW)
        assert made.value is None and not made.is_moving

    def test_hold_means_where_it_is_not_where_it_was_going(self) -> None:
        made = position(0.5)
        made.want, made.is_moving = 1.5, True
        made.lose(NOW, NOW)
        assert (made.want, made.is_moving) == (0.5, False)

    def test_it_ends_a_cross_fade_and_a_slow_pace(self) -> None:
        made = moving(0.5)
        made.rate = 1.0
        made.fade(0.2, NOW)
        made.winner = claim(made)
        made.members = (made.winner,)
        made.lose(NOW, NOW)
        assert (made.fade_s, made.rate, made.winner, made.members) == (0.0, 10.0, None, ())

    def test_a_field_that_is_not_mixed_stays_so(self) -> None:
        made = moving(0.5)
        made.lose(NOW, NOW)
        assert made.members is None


class TestHeldByALostSource:
    def test_a_velocity_goes_to_rest_whatever_its_policy(self) -> None:
        made = moving(1.5)
        made.on_loss = "hold"
        made.hold(1.5, NOW)
        assert (made.policy, made.want, made.is_moving) == ("ramp_to_zero", 0.0, True)
        assert (made.ramp_from, made.ramp_at, made.at) == (1.5, NOW, NOW)
        made.step(NOW + 0.025)
        assert made.value == pytest.approx(0.75)

    def test_nobody_is_in_control(self) -> None:
        made = position(0.5)
        made.winner = claim(made)
        assert made.drivers == (made.winner,)
        made.members = (made.winner, made.winner)
        assert made.drivers == made.members
        made.rate = 1.0
        made.hold(None, NOW)
        assert (made.winner, made.members, made.rate, made.changed_at) == (None, (), 10.0, NOW)

    def test_a_velocity_at_rest_does_not_move(self) -> None:
        made = moving(0.0)
        made.hold(None, NOW)
        assert not made.is_moving

    @pytest.mark.parametrize(
        ("want", "policy", "wanted"),
        [(None, "hold", 0.5), (0.5, "hold", 0.5), (1.0, "neutral", 1.0)],
    )
    def test_a_position_stays_or_goes_where_it_is_commanded(
        self, want: float | None, policy: str, wanted: float
    ) -> None:
        made = position(0.5)
        made.hold(want, NOW + 1.0)
        assert (made.policy, made.want, made.at) == (policy, wanted, NOW + 1.0)
        assert made.is_moving is (wanted != 0.5)

    def test_a_position_that_nobody_commanded_stays_unknown(self) -> None:
        made = position(None)
        made.is_moving = True
        made.hold(1.0, NOW)
        assert made.value is None and not made.is_moving and made.at == NOW


class TestEstop:
    def test_a_velocity_is_at_rest_at_once(self) -> None:
        made = moving(1.5)
        made.is_driven = made.is_moving = True
        made.stop(NOW)
        assert (made.value, made.want, made.policy, made.is_moving) == (0.0, 0.0, "estop", False)
        assert made.is_driven and made.changed_at == NOW

    def test_a_position_is_no_longer_commanded(self) -> None:
        made = position(0.5)
        made.is_driven = made.is_moving = True
        made.stop(NOW)
        assert (made.value, made.is_driven, made.is_moving) == (0.5, False, False)

    def test_nobody_keeps_it_any_more(self) -> None:
        made = moving(1.5)
        made.bar, made.review_at = 300, 7.0
        made.held_by = object()  # type: ignore[assignment]
        made.stop(NOW)
        assert (made.bar, made.held_by, made.review_at) == (NO_BAR, None, FOREVER)

    def test_after_the_reset_its_loss_policy_is_in_force(self) -> None:
        made = moving(1.5)
        made.stop(NOW)
        made.resume(NOW + 1.0)
        assert (made.policy, made.value, made.changed_at, made.at) == (
            "ramp_to_zero", 0.0, NOW + 1.0, NOW + 1.0,
        )  # fmt: skip
