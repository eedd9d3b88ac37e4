"""What the buttons of the console do to the router."""

from dataclasses import replace

import pytest

from saint_services.lib.role_config.model import FieldSpec
from saint_services.routerd.inputs.console import REPEAT_S, ConsoleButtons, _longest_s
from saint_services.routerd.logic import Router
from tests.unit.routerd.rig import DIRECT, DRIVE, Rig, robot, route


class Console:
    """Presses buttons, and calls step() as the loop does."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.overrides = ConsoleButtons(rig.router)

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
    assert at.press("home") == "Home was refused: the e-stop is active. Clear it first."
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
    assert "no enabled route has the source websocket" in console(DRIVE).press("home")
    assert "has no joints" in console().press("home", "wings")
    assert "has no joints" in console().press("home", "tracks")


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


def test_home_begins_with_the_press_and_at_three_tenths_of_the_top_rate() -> None:
    at = console()
    at.rig.stream(2.0, "websocket:page", "arms.left", joint_1=40.0)
    at.rig.wait(0.5)
    at.press("home", "arms.left")
    joint = at.rig.router.by_name["arms.left", "joint_1"]
    assert (joint.want, joint.rate) == (0.0, 36.0)  # of 120 degrees a second
    assert dict(at.rig.router.refused) == {}


def test_home_ends_when_the_slowest_joint_must_be_there() -> None:
    at = console()
    at.press("home", "head")
    # 360 degrees of pan at 30 % of 360 degrees a second, and half a second more.
    began = at.rig.now
    at.overrides.step(began + 3.833)
    assert at.overrides.is_homing
    at.overrides.step(began + 360.0 / (360.0 * 0.3) + 0.5)
    assert not at.overrides.is_homing


def test_home_of_the_slowest_joint_ends_after_half_a_minute() -> None:
    facts = {"command": "c", "path": "p", "kind": "position", "unit": "deg", "on_loss": "hold"}
    spec = FieldSpec.model_validate({**facts, "limits": (-180.0, 180.0), "max_rate": 1.0})
    assert _longest_s(spec) == 30.0


def test_home_of_a_target_without_a_pace_sends_none() -> None:
    own = robot()
    plain = {"type": "sensor_msgs/msg/JointState"}  # this type has no modifiers
    commands = tuple(
        each if each.target == "head" else replace(each, topic=each.topic.model_copy(update=plain))
        for each in own.commands
    )
    router = Router(replace(own, commands=commands), [DIRECT])
    assert ConsoleButtons(router).act("arms", "home", 100.0) == ""
    assert dict(router.refused) == {}


def test_home_that_no_route_takes_does_not_go_on() -> None:
    at = console(DRIVE)
    at.press("home")
    assert not at.overrides.is_homing


def test_home_of_an_unknown_target_names_it() -> None:
    assert console().press("home", "wings") == "Home was refused: wings has no joints."


def test_forgotten_home_sends_nothing_more() -> None:
    at = console()
    at.press("home")
    samples = at.rig.router.samples
    at.overrides.forget()
    at.overrides.step(at.rig.now)
    assert not at.overrides.is_homing and at.rig.router.samples == samples


def test_step_before_the_first_press_does_nothing() -> None:
    at = console()
    at.overrides.step(at.rig.now)
    assert at.rig.router.samples == 0


def test_long_name_of_a_target_is_shortened() -> None:
    at = console()
    at.press("stop", "x" * 100)
    assert at.rig.router.latch.reason == "manual override of " + "x" * 64
