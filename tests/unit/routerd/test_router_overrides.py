"""What the buttons of the console ask the router for."""

import pytest

from saint_services.routerd.overrides import REPEAT_S, Overrides
from tests.unit.routerd.rig import DIRECT, DRIVE, Rig, route


class Console:
    """Buttons, and the loop that carries on what they began."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.overrides = Overrides(rig.router)

    def press(self, action: str, target: str = "") -> str:
        return self.overrides.act(target, action, self.rig.now)

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / REPEAT_S)):
            self.rig.wait(REPEAT_S)
            if self.overrides.is_homing:
                self.overrides.step(self.rig.now)


def value(rig: Rig, target: str, name: str) -> float | None:
    return rig.router.by_name[target, name].value


def console(*routes: object) -> Console:
    return Console(Rig(*(routes or (DIRECT, DRIVE))))  # type: ignore[arg-type]


def test_home_brings_the_joints_to_neutral_at_a_gentle_pace() -> None:
    at = console()
    at.rig.stream(2.0, "websocket:page", "head", pan=90.0, tilt=30.0)
    at.rig.wait(0.5)
    assert value(at.rig, "head", "pan") == pytest.approx(90.0)
    assert at.press("home") == ""
    at.wait(0.5)
    # 360 degrees a second, 30 % of it: after half a second it is under way.
    assert 20.0 < (value(at.rig, "head", "pan") or 0.0) < 60.0
    at.wait(1.0)
    assert value(at.rig, "head", "pan") == pytest.approx(0.0)
    assert value(at.rig, "head", "tilt") == pytest.approx(0.0)
    assert value(at.rig, "tracks", "linear") == 0.0
    at.wait(10.0)  # the slowest joint of an arm may need so long
    assert not at.overrides.is_homing


def test_home_of_one_role_leaves_the_others_and_the_grippers_alone() -> None:
    at = console()
    at.rig.stream(3.0, "websocket:page", "head", pan=90.0)
    at.rig.stream(3.0, "websocket:page", "arms.left", joint_1=40.0, gripper=0.5)
    at.rig.wait(0.5)
    assert at.press("home", "arms") == ""
    at.wait(3.0)
    assert value(at.rig, "arms.left", "joint_1") == pytest.approx(0.0)
    assert value(at.rig, "arms.left", "gripper") == pytest.approx(0.5)
    assert value(at.rig, "head", "pan") == pytest.approx(90.0)


def test_home_works_again_after_a_stop_that_interrupted_it() -> None:
    at = console()
    at.rig.stream(2.0, "websocket:page", "head", pan=90.0)
    at.rig.wait(0.5)
    at.press("home")
    at.wait(0.3)
    at.press("stop")
    at.wait(0.3)
    stopped_at = value(at.rig, "head", "pan") or 0.0
    assert not at.overrides.is_homing and stopped_at > 45.0
    assert at.press("home") == "joints do not go home while the e-stop is active"
    at.rig.clear("console", at.rig.now)
    at.wait(0.5)
    assert value(at.rig, "head", "pan") == pytest.approx(stopped_at)
    assert at.press("home") == ""
    at.wait(1.5)
    assert value(at.rig, "head", "pan") == pytest.approx(0.0)


def test_stop_says_who_pressed_it_and_for_what() -> None:
    at = console()
    at.rig.send("rc", stick=0.5, wheel=0.0)
    at.press("stop")
    latch = at.rig.router.latch
    assert (latch.active, latch.source, latch.reason) == (
        True, "console", "manual override of everything",
    )  # fmt: skip


def test_release_gives_everybodys_targets_back_and_ends_homing() -> None:
    at = console()
    at.rig.router.take_control("head", "websocket:page", 60.0, at.rig.now)
    at.press("home", "arms")
    assert at.press("release") == ""
    assert at.rig.router.locks.held == {} and not at.overrides.is_homing


def test_home_without_a_route_or_a_target_says_so() -> None:
    assert "no route takes commands" in console(DRIVE).press("home")
    assert "there are no joints" in console().press("home", "wings")
    assert "there are no joints" in console().press("home", "tracks")


def test_home_gives_way_to_rc() -> None:
    pan = route("rc_pan", "rc", "head", [{"from": "stick", "to": "pan", "scale": 90.0}])
    at = console(DIRECT, pan)
    at.rig.send("rc", stick=1.0)
    at.press("home")
    for _ in range(20):
        at.rig.send("rc", stick=1.0)
        at.wait(0.1)
    assert value(at.rig, "head", "pan") == pytest.approx(90.0)


def test_unknown_word_means_nothing() -> None:
    at = console()
    assert at.press("dance") == "" and not at.rig.router.latch.active


def test_home_ends_with_a_stop_that_was_cleared_before_the_next_step() -> None:
    at = console()
    at.rig.stream(2.0, "websocket:page", "head", pan=90.0)
    at.rig.wait(0.5)
    at.press("home")
    at.rig.router.raise_estop("test", "pressed", at.rig.now)
    at.rig.clear("test", at.rig.now)
    stood = value(at.rig, "head", "pan")
    at.wait(2.0)
    assert not at.overrides.is_homing
    assert value(at.rig, "head", "pan") == stood
