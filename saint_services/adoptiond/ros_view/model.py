"""Finds what the ROS view needs of a robot: the text of its model, its body, its tracks. Pure.
Not here: what is published of it (publisher.py).
"""

from dataclasses import dataclass

from ...lib.robot.body import load_body
from ...lib.robot.manifest import RobotDescription
from ...lib.role_config.body import Body
from ...lib.role_config.model import RoleConfig


@dataclass(frozen=True, slots=True)
class ViewedRobot:
    """A robot with its figure."""

    urdf: str
    body: Body
    roles: dict[str, RoleConfig]  # by target
    wheels: dict[str, tuple[str, float]]  # motor of the tracks: joint, radius in metres
    track_width_m: float


def load_viewed(found: RobotDescription) -> ViewedRobot:
    """Return what is viewed of a robot."""
    wheels: dict[str, tuple[str, float]] = {}
    width_m = 1.0
    for target, joints in found.figure.joints.items():
        geometry = found.roles[target].geometry
        if geometry:
            width_m = geometry.track_width_m
            for motor, joint in joints.items():
                wheels[motor] = joint, geometry.wheel_radius_m
    return ViewedRobot(found.figure.text, load_body(found), found.roles, wheels, width_m)
