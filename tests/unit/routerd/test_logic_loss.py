"""What an output does when no claim is in control, and how fast it may move."""

from typing import Any

import pytest

from saint_services.routerd.fields.claims import NO_BAR, OutputField
from tests.unit.routerd.rig import DIRECT, DRIVE, FACE, Rig, route


def test_velocity_ramps_to_zero_within_60_ms_of_the_loss() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.4, "rc", stick=1.0)
    lost_at = rig.now - 0.01 + 0.12
    rig.wait(lost_at - rig.now + 0.0301)
    assert 0.5 < (rig.value("tracks.linear") or 0) < 1.0
    rig.wait(0.031)
    assert rig.value("tracks.linear") == 0.0
    assert rig.output("tracks.linear").policy == "ramp_to_zero"


def test_late_timer_does_not_prolong_the_ramp() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.4, "rc", stick=1.0)
    rig.now += 0.3  # the loop was blocked
    rig.router.advance(rig.now)
    assert rig.value("tracks.linear") == 0.0


def test_lock_that_ends_in_a_stall_does_not_prolong_the_ramp() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.4, "rc", stick=1.0)
    rig.router.take_control("tracks", "rc", 0.2, rig.now)
    rig.now += 0.2
    rig.router.advance(rig.now)
    assert rig.value("tracks.linear") == 0.0


@pytest.mark.parametrize("how", ["route", "failsafe", "lock"])
def test_velocity_that_is_taken_away_ramps_and_does_not_jump(how: str) -> None:
    rig = Rig(DRIVE)
    rig.stream(0.4, "rc", stick=1.0)
    if how == "route":
        rig.router.set_routes([], rig.now)
    elif how == "failsafe":
        rig.send("rc", failsafe=True)
    else:
        rig.router.take_control("tracks", "websocket:1", 5.0, rig.now)
    assert rig.value("tracks.linear") == 1.5
    rig.wait(0.0301)
    assert rig.value("tracks.linear") == pytest.approx(0.6)
    rig.wait(0.03)
    assert rig.value("tracks.linear") == 0.0


def test_position_holds_where_it_is() -> None:
    rig = Rig(FACE)
    rig.stream(0.1, "livelink:a", headYaw=0.5)
    rig.wait(5.0)
    assert rig.value("head.pan") == pytest.approx(28.6479)
    assert rig.output("head.pan").policy == "hold"
    assert rig.is_driven("head.pan")


def test_neutral_policy_returns_at_the_fields_rate() -> None:
    rig = Rig(route("jaw", "livelink", "head", [{"from": "jawOpen", "to": "jaw"}]))
    rig.stream(0.1, "livelink:a", jawOpen=1.0)
    rig.wait(0.5)  # lost 490 ms after the last sample
    assert 0.7 < (rig.value("head.jaw") or 0) < 1.0
    rig.wait(0.1)
    assert rig.value("head.jaw") == 0.0
    assert rig.output("head.jaw").policy == "neutral"


def test_velocity_follows_no_faster_than_its_rate() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.1, "rc", stick=0.0)
    start = rig.now
    while (rig.value("tracks.linear") or 0.0) < 1.5:
        rig.send("rc", stick=1.0)
        rig.wait(0.004)
        assert (rig.value("tracks.linear") or 0) <= 6.0 * (rig.now - start + 0.0101)
    assert rig.now - start == pytest.approx(0.25, abs=0.02)


def test_idle_time_is_not_saved_up_for_a_jump() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "head", pan=0.0)
    rig.wait(10.0)
    rig.send("websocket:1", "head", pan=100.0)
    assert rig.value("head.pan") == pytest.approx(0.72)  # 360 deg/s for 2 ms
    rig.wait(0.1)
    assert rig.value("head.pan") == pytest.approx(36.72, abs=0.1)


def test_moving_field_schedules_its_next_step() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", stick=0.0)
    assert rig.router.wake_at == pytest.approx(rig.now + 0.12)
    rig.stream(0.02, "rc", stick=0.0)
    rig.send("rc", stick=1.0)
    assert rig.router.wake_at == pytest.approx(rig.now + 0.01)
    rig.stream(0.4, "rc", stick=1.0)
    rig.send("rc", stick=1.0)
    rig.router.advance(rig.now)
    assert rig.router.wake_at == pytest.approx(rig.now + 0.12)


def test_small_step_is_applied_at_once() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "head", pan=0.0)
    rig.wait(0.01)
    rig.send("websocket:1", "head", pan=2.0)
    assert rig.value("head.pan") == 2.0


def test_takeover_moves_at_the_fields_rate() -> None:
    rig = Rig(DRIVE, DIRECT)
    rig.stream(0.4, "websocket:1", "tracks", linear=1.5)
    rig.send("rc", stick=-1.0)
    assert rig.value("tracks.linear") == pytest.approx(1.5)  # the cross-fade begins here
    rig.stream(0.2, "rc", stick=-1.0)
    assert rig.value("tracks.linear") == pytest.approx(0.3)  # 6 m/s2
    rig.stream(0.4, "rc", stick=-1.0)
    assert rig.value("tracks.linear") == -1.5


def test_nothing_wakes_a_router_at_rest() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.4, "rc", stick=1.0)
    rig.wait(1.0)
    assert rig.router.wake_at == float("inf")


def field(**settings: Any) -> OutputField:
    """Make a field that moves one unit per second between -1 and 1."""
    given = {
        "target": "a", "field": "b", "unit": "m/s", "is_velocity": False, "low": -1.0, "high": 1.0,
        "max_rate": 1.0, "on_loss": "hold", "neutral": 0.25, "command": 0,
    }  # fmt: skip
    return OutputField(**(given | settings))


def test_rest_of_a_velocity_is_0_and_of_a_position_its_neutral() -> None:
    assert field().rest == 0.25
    assert field(is_velocity=True).rest == 0.0
    assert field(is_velocity=True, low=0.5).rest == 0.5
    assert field(neutral=5.0).rest == 1.0
    assert field(park=-5.0).park == -1.0


def test_clock_that_is_set_earlier_moves_nothing() -> None:
    output = field(value=0.0, at=10.0)
    output.drive(1.0, 9.0)
    assert output.value == 0.0


def test_field_is_granted_the_time_that_passed_and_one_step_at_most() -> None:
    output = field(value=0.0, at=10.0, moved_at=10.0)
    output.drive(1.0, 10.004)
    assert output.value == pytest.approx(0.004)
    output.drive(1.0, 10.044)
    assert output.value == pytest.approx(0.014)
    output.drive(-1.0, 10.054)
    assert output.value == pytest.approx(0.004)


def test_field_that_stood_starts_with_2_ms_of_its_rate() -> None:
    output = field(value=0.0, at=10.0, moved_at=10.0)
    output.drive(1.0, 10.051)
    assert output.value == pytest.approx(0.002)
    output.drive(1.0, 10.061)
    assert output.value == pytest.approx(0.012)


def test_field_that_was_never_commanded_has_nothing_to_fade_from() -> None:
    output = field()
    output.fade(1.0, 10.0)
    output.drive(1.0, 10.0)
    assert (output.value, output.is_moving, output.fade_s) == (1.0, False, 0.0)


def test_loss_in_a_fade_holds_where_it_is() -> None:
    output = field(value=0.0, at=10.0, policy="live", max_rate=100.0)
    output.fade(1.0, 10.0)
    output.drive(1.0, 10.5)
    assert output.value == pytest.approx(0.5)
    output.lose(10.5, 10.5)
    assert (output.is_moving, output.policy) == (False, "hold")
    output.drive(output.want, 10.6)
    assert output.value == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("policy", "goal"), [("hold", 0.5), ("neutral", 0.25), ("park", -0.5), ("ramp_to_zero", 0.25)]
)
def test_loss_policy_names_the_goal(policy: Any, goal: float) -> None:
    output = field(value=0.5, at=10.0, on_loss=policy, park=-0.5, policy="live")
    output.lose(10.0, 10.0)
    assert (output.want, output.policy, output.is_moving) == (goal, policy, policy != "hold")
    for tick in range(200):
        output.step(10.0 + tick / 100)
    assert (output.value, output.is_moving) == (goal, False)


def test_loss_of_what_nobody_commanded_moves_nothing() -> None:
    output = field(on_loss="neutral", policy="live")
    output.lose(10.0, 10.0)
    assert (output.value, output.is_moving) == (None, False)


def test_ramp_is_a_line_of_50_ms_from_the_loss() -> None:
    output = field(value=1.0, at=10.0, is_velocity=True, on_loss="ramp_to_zero", policy="live")
    output.value = 1.0
    output.lose(10.0, 10.02)
    for now, value in ((10.02, 0.6), (10.03, 0.4), (10.04, 0.2), (10.05, 0.0)):
        output.step(now)
        assert output.value == pytest.approx(value)
    assert not output.is_moving


def test_who_takes_a_ramping_field_is_granted_the_time_since_the_last_step() -> None:
    output = field(value=1.0, is_velocity=True, on_loss="ramp_to_zero", policy="live")
    output.value = 1.0
    output.lose(10.0, 10.0)
    output.step(10.02)
    output.policy = "live"
    output.drive(1.0, 10.021)
    assert output.value == pytest.approx(0.601)


@pytest.mark.parametrize("is_velocity", [True, False])
def test_stop_ends_whatever_was_under_way(is_velocity: bool) -> None:
    output = field(value=0.5, at=10.0, is_velocity=is_velocity, policy="live", is_driven=True)
    output.value = 0.5
    output.fade(1.0, 10.0)
    output.review_at, output.held_until, output.bar = 11.0, 11.0, 300
    output.stop(10.5)
    assert (output.policy, output.is_moving, output.fade_s) == ("estop", False, 0.0)
    assert (output.bar, output.held_by, output.review_at) == (NO_BAR, None, float("inf"))
    assert (output.value, output.is_driven) == ((0.0, True) if is_velocity else (0.5, False))
    assert output.changed_at == 10.5


def test_rest_grants_no_time_that_passed_before_it() -> None:
    output = field(value=0.5, at=10.0, policy="estop")
    output.resume(20.0)
    assert (output.policy, output.changed_at) == ("hold", 20.0)
    output.drive(1.0, 20.001)
    assert output.value == pytest.approx(0.501)


def test_held_velocity_rests_and_held_position_goes_where_it_is_commanded() -> None:
    moving = field(value=0.5, is_velocity=True, policy="live")
    moving.value = 0.5
    moving.hold(0.7, 10.0)
    assert (moving.policy, moving.want, moving.is_moving) == ("ramp_to_zero", 0.0, True)
    for want, policy, is_moving in ((None, "hold", False), (0.7, "neutral", True)):
        placed = field(value=0.5, want=0.5, policy="live")
        placed.hold(want, 10.0)
        assert (placed.policy, placed.is_moving) == (policy, is_moving)
    unknown = field(policy="live")
    unknown.hold(0.7, 10.0)
    assert (unknown.value, unknown.is_moving) == (None, False)
