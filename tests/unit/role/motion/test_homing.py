"""Joints that go home by themselves: when, how fast, and when not."""

import math
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from saint_services.lib.generated.saint_msgs import ArmCommand, HeadCommand
from saint_services.lib.generated.topics import ARM_CMD, HEAD_CMD
from saint_services.lib.role.gate import CommandGate
from saint_services.lib.role.motion.homing import Homecoming
from saint_services.lib.role.motion.joints import Joints
from saint_services.lib.role.motion.positions import PositionSession
from saint_services.lib.role_config.model import Homing
from tests.unit.role.role_rig import Rig, load_role

CMD = ARM_CMD.at(instance="left")
WITHOUT = [0.0] * 16


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path, "arms_left")


def place(rig: Rig, name: str) -> float:
    session = rig.session
    assert isinstance(session, PositionSession)
    return session.joints.by_name[name].axis.applied


def left_standing(folder: Path, *places: float) -> None:
    """Leave the pulses of a process that has ended."""
    rig = Rig(folder, "arms_left")
    rig.live(0.9, lambda: rig.send(CMD, ArmCommand(places, 1.0)))
    rig.board.close()


def test_nothing_moves_before_a_router_is_there(rig: Rig) -> None:
    rig.clock.advance(5.0)
    assert rig.channels() == WITHOUT


def test_nothing_moves_while_the_router_has_just_come(rig: Rig) -> None:
    rig.live(0.95, lambda: None)
    assert rig.channels() == WITHOUT


def test_router_that_flickers_does_not_count_as_being_there(rig: Rig) -> None:
    for _ in range(6):
        rig.live(0.5, lambda: None)
        rig.clock.advance(0.3)
    assert rig.channels() == WITHOUT


def test_servos_without_a_pulse_wake_one_after_the_other(rig: Rig) -> None:
    rig.live(1.16, lambda: None)  # one is called, and moves with the next slice
    assert sum(us > 0.0 for us in rig.channels()) == 1
    rig.live(0.3, lambda: None)
    assert sum(us > 0.0 for us in rig.channels()) == 2
    rig.live(2.0, lambda: None)
    assert rig.channels()[:6] == pytest.approx([1500.0] * 6, abs=4.88)
    assert rig.session.report().safe


def test_joint_with_a_pulse_goes_home_slowly(tmp_path: Path) -> None:
    left_standing(tmp_path, 60.0, 0.0)
    rig = Rig(tmp_path, "arms_left")
    rig.live(1.0, lambda: None)
    assert place(rig, "joint_0") == pytest.approx(60.0, abs=1.0)
    rig.live(1.0, lambda: None)
    # 15 percent of 120 degrees per second
    assert place(rig, "joint_0") == pytest.approx(60.0 - 18.0, abs=3.0)
    rig.live(3.0, lambda: None)
    assert place(rig, "joint_0") == 0.0
    rig.close()


def test_command_takes_a_joint_over_from_its_way_home(tmp_path: Path) -> None:
    left_standing(tmp_path, 60.0, 30.0)
    rig = Rig(tmp_path, "arms_left")
    rig.live(1.5, lambda: None)
    rig.live(1.5, lambda: rig.send(CMD, ArmCommand([100.0], 1.0)))
    assert place(rig, "joint_0") == 100.0
    assert place(rig, "joint_1") < 10.0  # this one goes on
    rig.close()


def test_commanded_joints_do_not_go_home(tmp_path: Path) -> None:
    left_standing(tmp_path, 60.0)
    rig = Rig(tmp_path, "arms_left")
    rig.live(3.0, lambda: rig.send(CMD, ArmCommand([60.0], 1.0)))
    assert place(rig, "joint_0") == 60.0
    rig.close()


def test_others_on_their_way_home_do_not_disturb_a_commanded_motion(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "head")
    turn = HeadCommand(150.0, math.nan, math.nan, 0.5)
    rig.live(1.05, lambda: rig.send(HEAD_CMD, HeadCommand(0.0, math.nan, math.nan, 1.0)))
    rig.live(0.05, lambda: rig.send(HEAD_CMD, turn))
    rig.beat()
    before = rig.pin(12).writes
    rig.clock.advance(0.2)  # looks of the others fall between the slices
    assert rig.pin(12).writes - before == 20
    rig.close()


def test_way_home_ends_when_the_router_goes(tmp_path: Path) -> None:
    left_standing(tmp_path, 60.0)
    rig = Rig(tmp_path, "arms_left")
    rig.live(1.5, lambda: None)
    rig.beat()
    rig.clock.advance(0.25)
    stopped = place(rig, "joint_0")
    assert 30.0 < stopped < 58.0
    rig.clock.advance(2.0)
    assert place(rig, "joint_0") == stopped
    assert rig.session.report().safe
    rig.close()


def test_estop_ends_the_way_home_for_good(tmp_path: Path) -> None:
    left_standing(tmp_path, 60.0)
    rig = Rig(tmp_path, "arms_left")
    rig.live(1.5, lambda: None)
    rig.estop(True, 1)
    stopped = place(rig, "joint_0")
    awake = rig.channels()
    rig.live(1.0, lambda: None)
    rig.estop(False, 2)
    rig.live(3.0, lambda: None)
    assert place(rig, "joint_0") == stopped
    assert rig.channels() == awake
    rig.close()


def test_manifest_without_homing_moves_nothing_by_itself(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "arms_left", load_role("arms_left", homing=None))
    rig.live(3.0, lambda: None)
    assert rig.channels() == WITHOUT
    rig.close()


class Played:
    """Joints of which one has no pulse yet: records which are sent home, and when."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, float, float]] = []
        self.by_name = {
            name: SimpleNamespace(name=name, neutral=5.0, is_driven=False, was_found=name == "a")
            for name in "abc"
        }
        self.are_still = True

    def aim(self, joint: SimpleNamespace, value: float, share: float) -> None:
        joint.is_driven = True
        self.sent.append((joint.name, value, share))

    def set_off(self, now_s: float) -> None:
        """Record that the next slice moves."""

    def hold(self) -> None:
        """Do nothing."""


def test_waits_are_over_at_their_ends() -> None:
    played, gate = Played(), CommandGate(1000)
    gate.prove("router", 1)
    settings = Homing(speed=0.25, wait_s=2.0, stagger_s=0.5)
    coming = Homecoming(settings, cast(Joints, played), gate)
    found = []
    for number in range(30):
        now_s = 8.0 + number / 8
        gate.heartbeat("router", number, False, 1, now_s)
        before = len(played.sent)
        coming.look(now_s)
        found += [(now_s, *each) for each in played.sent[before:]]
    assert found == [
        (10.0, "a", 5.0, 0.25), (10.0, "b", 5.0, 0.25), (10.5, "c", 5.0, 0.25)
    ]  # fmt: skip
