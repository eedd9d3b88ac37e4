"""What an output does when nobody is in control, and how fast it may move."""

import pytest

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
    assert rig.value("head.pan") == pytest.approx(3.6)  # 360 deg/s for 10 ms
    rig.wait(0.1)
    assert rig.value("head.pan") == pytest.approx(39.6, abs=0.1)


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
