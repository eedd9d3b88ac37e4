"""Names and units of joints, with the SO-101 of the shipped template."""

from pathlib import Path

import pytest

from saint_services.lib.remote.joints import JointMap
from saint_services.lib.remote.messages import JointCommand, JointReading, RemoteMessageError
from saint_services.lib.robot.manifest import load
from saint_services.lib.role_config.model import RoleConfig

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def arm() -> RoleConfig:
    return load(ROOT / "manifests", "so101_pair").roles["parts.follower"]


def commands(*pairs: tuple[str, float]) -> list[JointCommand]:
    return [JointCommand(name=name, value=value) for name, value in pairs]


def test_arenas_names_stand_for_those_of_lerobot(arm: RoleConfig) -> None:
    joints = JointMap(arm)
    found = joints.values(commands(("Rotation", 45), ("Elbow", -30), ("Jaw", 25)))
    assert found == {"shoulder_pan": 45.0, "elbow_flex": -30.0, "gripper": 0.25}
    assert [j.name for j in joints.commands({"shoulder_pan": 1.0, "wrist_roll": 2.0})] == [
        "Rotation", "wrist_roll",
    ]  # fmt: skip


def test_a_command_with_an_unknown_joint_counts_not_at_all(arm: RoleConfig) -> None:
    with pytest.raises(RemoteMessageError, match="has no joint Nose"):
        JointMap(arm).values(commands(("Rotation", 45), ("Nose", 1)))


def test_a_joint_may_not_occur_twice(arm: RoleConfig) -> None:
    with pytest.raises(RemoteMessageError, match="twice"):
        JointMap(arm).values(commands(("Rotation", 45), ("shoulder_pan", -45)))


def test_what_is_sent_comes_back_as_the_same_values(arm: RoleConfig) -> None:
    values = {"shoulder_pan": -12.25, "gripper": 0.5, "wrist_roll": 100.0}
    sender, receiver = JointMap(arm), JointMap(arm)
    assert receiver.values(sender.commands(values)) == values


def test_a_report_has_commanded_and_measured_values(arm: RoleConfig) -> None:
    found = JointMap(arm).readings({"elbow_flex": 10.0, "gripper": 0.5}, {"elbow_flex": 9.9})
    by_name = {each.name: each for each in found}
    assert by_name["elbow_flex"].virtual_value == 10.0
    assert by_name["elbow_flex"].real_value == 9.9
    assert by_name["gripper"].virtual_value == 50.0
    assert by_name["gripper"].real_value is None


def test_a_reported_joint_that_the_role_lacks_is_refused(arm: RoleConfig) -> None:
    with pytest.raises(RemoteMessageError, match="Nose"):
        JointMap(arm).reported([JointReading(name="Nose", real_value=1.0)])
