"""What a leader arm publishes, and when it stops leading; on simulated servos."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.role_leaderd.leader_rig import LeaderRig
from tools.sim.chips import servo_bus
from tools.sim.chips.base import ChipFault
from tools.sim.faults import Fault


@pytest.fixture(autouse=True)
def own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo what a rig has set."""
    monkeypatch.setattr(servo_bus, "monotonic_ns", servo_bus.monotonic_ns)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[LeaderRig]:
    rig = LeaderRig(tmp_path, clutch={"type": "squeeze"})
    rig.pass_time(0.3)
    yield rig
    rig.close()
    rig.peer.close()


def test_pose_is_degrees_from_the_middle_and_the_share_of_the_gripper(rig: LeaderRig) -> None:
    rig.turn(1, 2048.0 + 512.0)
    pose = rig.pose()
    assert pose["shoulder_pan"] == pytest.approx(512 * 360 / 4095, abs=0.01)
    assert pose["gripper"] == pytest.approx(0.5, abs=0.001)
    assert {each.target for each in rig.samples} == {"", "parts.follower"}
    assert {each.source for each in rig.samples} == {"leader:left"}


def test_several_followers_get_one_pose(tmp_path: Path) -> None:
    rig = LeaderRig(tmp_path, targets=["parts.one", "parts.two"])
    rig.pass_time(0.3)
    one, two = [each for each in rig.samples if each.target][-2:]
    assert (one.target, two.target, one.values) == ("parts.one", "parts.two", two.values)
    assert two.sequence == one.sequence + 1
    rig.close()


def test_arm_that_is_assigned_again_leads_on(tmp_path: Path) -> None:
    """The router knows the process by its origin: a lower sequence is a sample of before."""
    last = 0
    for number in range(2):
        rig = LeaderRig(tmp_path / str(number))
        rig.pass_time(0.3)
        assert rig.samples[0].sequence > last
        last = rig.samples[-1].sequence
        rig.close()
        rig.peer.close()


def test_arm_has_no_torque_and_loses_what_another_program_gives_it(rig: LeaderRig) -> None:
    assert rig.servo(1).get("torque_enable") == 0
    rig.servo(1).put("torque_enable", 1)
    rig.faults.set("shoulder_pan", Fault.UNPLUG)  # its power was away: it is surveyed again
    rig.pass_time(1.0)
    rig.faults.clear("shoulder_pan")
    rig.pass_time(1.0)
    assert rig.servo(1).get("torque_enable") == 0


def test_two_squeezes_close_the_clutch_and_two_open_it_and_one_does_nothing(
    rig: LeaderRig,
) -> None:
    rig.squeeze()
    rig.pass_time(1.5)
    assert rig.clutch() == 0.0
    rig.squeeze()
    rig.squeeze()
    assert rig.clutch() == 1.0
    rig.pass_time(1.5)
    rig.squeeze()
    rig.squeeze()
    assert rig.clutch() == 0.0


@pytest.mark.parametrize(
    ("fault", "value", "reason"),
    [
        (Fault.UNPLUG, None, "does not answer"),
        (Fault.HOT, 85.0, "too hot"),
        (Fault.BROWN_OUT, 3.0, "supply"),
    ],
)
def test_fault_of_a_servo_ends_the_lead_and_opens_the_clutch(
    rig: LeaderRig, fault: Fault, value: float | None, reason: str
) -> None:
    rig.squeeze()
    rig.squeeze()
    rig.faults.set("shoulder_pan", fault, value)
    rig.pass_time(0.5)
    after = rig.pass_time(0.5)
    assert after and all(each.failsafe and not each.names for each in after)
    assert reason in rig.session.condition.reason
    rig.faults.clear("shoulder_pan")
    rig.pass_time(2.0)
    assert (rig.clutch(), rig.session.condition.reason) == (0.0, "")


def test_servo_that_lies_ends_the_lead(rig: LeaderRig) -> None:
    rig.servo(1).shaft = 2048.0 + 1500.0  # within a few milliseconds
    assert any(each.failsafe for each in rig.pass_time(0.5))
    assert "shoulder_pan has jumped by 1500 positions" in rig.session.condition.reason


def test_leader_has_no_outputs_and_is_safe(rig: LeaderRig) -> None:
    assert rig.session.is_safe
    assert rig.session.report().ready


def test_arm_reports_place_load_and_temperature_of_its_joints(rig: LeaderRig) -> None:
    rig.turn(1, 2048.0 + 512.0)
    state = rig.bus.sent["/saint/leader/left/parts/state"][-1]
    found = dict(zip(state.sensors, state.readings, strict=True))
    units = dict(zip(state.sensors, state.reading_units, strict=True))
    assert found["shoulder_pan_position"] == pytest.approx(512 * 360 / 4095, abs=0.01)
    assert found["gripper_position"] == pytest.approx(0.5, abs=0.2)
    assert (units["shoulder_pan_position"], units["gripper_position"]) == ("deg", "ratio")
    assert found["gripper_temperature"] > 0.0
    assert tuple(state.names) == ()
    rig.faults.set("shoulder_pan", Fault.UNPLUG)
    rig.pass_time(1.0)
    state = rig.bus.sent["/saint/leader/left/parts/state"][-1]
    found = dict(zip(state.sensors, state.readings, strict=True))
    assert math.isnan(found["shoulder_pan_position"])
    assert not math.isnan(found["gripper_position"])


def test_arm_whose_plug_is_out_reports_that_nothing_is_measured(rig: LeaderRig) -> None:
    rig.peer.set_fault(ChipFault.UNPLUGGED)
    rig.pass_time(1.0)
    states = rig.bus.sent["/saint/leader/left/parts/state"]
    assert all(math.isnan(each) for each in states[-1].readings)


def test_arm_reports_fifty_times_a_second(rig: LeaderRig) -> None:
    states = rig.bus.sent["/saint/leader/left/parts/state"]
    before = len(states)
    rig.pass_time(1.0)
    assert 45 <= len(states) - before <= 52
