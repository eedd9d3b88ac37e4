"""Which targets the page Arms shows, by the description of a robot."""

from pathlib import Path

import pytest

from saint_services.webd.actions.system import arms_of, leaders_of
from saint_services.webd.robot.roles import load_roles

SHARE = Path(__file__).resolve().parents[4]
JOINTS = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper"]


@pytest.mark.parametrize(
    ("robot", "arms", "leaders"),
    [
        ("so101", ["parts.follower"], {}),
        ("so101_pair", ["parts.follower"], {"hand": ["parts.follower"]}),
        ("saint", [], {}),
    ],
)
def test_arms_are_the_targets_of_bus_servos_and_leaders_name_what_they_lead(
    robot: str, arms: list[str], leaders: dict[str, list[str]]
) -> None:
    roles = load_roles(SHARE, robot).by_target
    assert arms_of(roles) == dict.fromkeys(arms, JOINTS)
    assert leaders_of(roles) == leaders
