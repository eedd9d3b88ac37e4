"""Where joints stand, by the states of their roles."""

import pytest

from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.clock import monotonic_s
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import ArmState, GripperState, PartState
from saint_services.lib.robot.manifest import load
from saint_services.routerd.fields.places import JointPlaces
from saint_services.routerd.fields.targets import RobotTargets
from tests.unit.routerd.rig import SHARE
from tests.waiting import turns


@pytest.fixture
async def domain() -> LocalDomain:
    return LocalDomain()


def _targets(name: str) -> RobotTargets:
    return RobotTargets.of(load(SHARE / "manifests", name).roles.values())


@pytest.fixture
def so101() -> RobotTargets:
    return _targets("so101")


@pytest.fixture
def saint() -> RobotTargets:
    return _targets("saint")


async def test_measured_position_of_a_part_precedes_the_applied_one(
    domain: LocalDomain, so101: RobotTargets
) -> None:
    places = JointPlaces(domain.bus("router"), so101)
    (target,) = places.targets
    instance = target.partition(".")[2]
    state = PartState(names=("shoulder_pan", "gripper"), values=(30.0, 0.5))
    state.sensors, state.readings = ("shoulder_pan_position", "other_position"), (28.0, 1.0)
    domain.bus("role").publisher(topics.PARTS_STATE.at(instance=instance)).publish(state)
    await turns()
    assert places.of(target) == {"shoulder_pan": 28.0, "gripper": 0.5}


async def test_joints_of_an_arm_are_found_by_their_place_in_the_message(
    domain: LocalDomain, saint: RobotTargets
) -> None:
    places = JointPlaces(domain.bus("router"), saint)
    role = domain.bus("role")
    state = ArmState(joint_positions=(1.0, 2.0, float("nan"), 4.0, 5.0, 6.0))
    role.publisher(topics.ARM_STATE.at(instance="left")).publish(state)
    role.publisher(topics.GRIPPER_STATE.at(instance="left")).publish(GripperState(position=0.25))
    await turns()
    assert places.of("arms.left") == {
        "joint_0": 1.0, "joint_1": 2.0, "joint_3": 4.0, "joint_4": 5.0, "joint_5": 6.0,
        "gripper": 0.25,
    }  # fmt: skip
    assert places.of("arms.right") == {}


async def test_old_state_says_nothing(domain: LocalDomain, saint: RobotTargets) -> None:
    late = {"s": 0.0}
    places = JointPlaces(domain.bus("router"), saint, lambda: monotonic_s() + late["s"])
    state = ArmState(joint_positions=(1.0,))
    domain.bus("role").publisher(topics.ARM_STATE.at(instance="left")).publish(state)
    await turns()
    assert places.of("arms.left") == {"joint_0": 1.0}
    late["s"] = 0.6
    assert places.of("arms.left") == {}
