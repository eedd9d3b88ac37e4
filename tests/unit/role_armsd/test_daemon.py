"""The arm at work: what it publishes."""

import math
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.generated.saint_msgs import ArmCommand, GripperCommand
from saint_services.lib.generated.topics import ARM_CMD, GRIPPER_CMD
from tests.unit.role.role_rig import Rig, load_role


@pytest.fixture(params=["left", "right"])
def rig(tmp_path: Path, request: pytest.FixtureRequest) -> Rig:
    return Rig(tmp_path, f"arms_{request.param}")


def test_state_has_positions_and_speeds(rig: Rig) -> None:
    side = rig.config.instance
    cmd = ARM_CMD.at(instance=side)
    rig.live(0.5, lambda: rig.send(cmd, ArmCommand([90.0, 30.0], 1.0)))
    state = rig.bus.sent[f"/saint/arms/{side}/state"][-1]
    assert len(state.joint_positions) == 6
    assert state.joint_velocities[0] == pytest.approx(120.0, rel=0.25)
    assert state.joint_velocities[1] == 0.0
    assert state.joint_positions[1] == 30.0
    assert state.joint_efforts == ()
    assert state.in_motion
    assert not state.error_state


def test_gripper_publishes_its_position(rig: Rig) -> None:
    side = rig.config.instance
    rig.live(0.5, lambda: rig.send(GRIPPER_CMD.at(instance=side), GripperCommand(0.75, 1.0)))
    state = rig.bus.sent[f"/saint/arms/{side}/gripper/state"][-1]
    assert (state.position, state.moving, state.holding) == (0.75, False, False)


def test_fault_is_in_the_state(rig: Rig) -> None:
    side = rig.config.instance
    rig.servo_chip.set_answers(False)
    rig.live(0.2, lambda: rig.send(ARM_CMD.at(instance=side), ArmCommand([90.0], 1.0)))
    state = rig.bus.sent[f"/saint/arms/{side}/state"][-1]
    assert state.error_state
    assert "servos" in state.error_message


def test_arm_without_instance_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match="instance"):
        Rig(tmp_path, "arms_left", load_role("arms_left", instance=""))


def test_arm_does_not_obey_the_other_arms_topic(rig: Rig) -> None:
    other = {"left": "right", "right": "left"}[rig.config.instance]
    rig.beat()
    rig.send(ARM_CMD.at(instance=other), ArmCommand([1.0], 1.0))
    assert rig.channels() == [0.0] * 16


def test_joints_are_published_in_radians_by_their_urdf_names(rig: Rig) -> None:
    side = rig.config.instance
    cmd = ARM_CMD.at(instance=side)
    rig.live(1.5, lambda: rig.send(cmd, ArmCommand([90.0, 45.0], 1.0)))
    joints = rig.bus.sent[f"/saint/arms/{side}/joint_states"][-1]
    assert joints.name == tuple(f"arms_{side}_joint_{index}" for index in range(6))
    assert joints.position[:2] == pytest.approx((math.pi / 2, math.pi / 4))
    assert joints.velocity[:2] == pytest.approx((0.0, 0.0))
    assert joints.effort == ()


def test_fault_is_published_at_once_and_stops_the_robot(rig: Rig) -> None:
    side = rig.config.instance
    rig.servo_chip.set_answers(False)
    rig.live(0.2, lambda: rig.send(ARM_CMD.at(instance=side), ArmCommand([90.0], 1.0)))
    (fault,) = rig.bus.sent["/saint/roles/faults"]
    assert (fault.target, fault.stops_robot, fault.node_id) == (f"arms.{side}", True, "pi_1")
    assert "servos" in fault.text
