"""Loads what the ROS view needs of a robot: the text of its model, its body, its tracks. Blocks.
Not here: what is published of it (publisher.py).
"""

from dataclasses import dataclass
from pathlib import Path

from ...lib.robot.body import load_body
from ...lib.robot.manifest import RobotDescription
from ...lib.role_config.body import Body
from ...lib.role_config.model import RoleConfig


@dataclass(frozen=True, slots=True)
class ViewedRobot:
    """A robot with a model."""

    urdf: str
    body: Body
    roles: dict[str, RoleConfig]  # by target
    wheels: dict[str, tuple[str, float]]  # motor of the tracks: joint, radius in metres
    track_width_m: float


def load_viewed(manifests: Path, found: RobotDescription) -> ViewedRobot | None:
    """Load what is viewed of a robot; None for one without a model. Raises config_invalid."""
    body = load_body(manifests, found.manifest, found.roles)
    if found.urdf is None or body is None:
        return None
    text = found.urdf.read_text(encoding="utf-8")
    wheels: dict[str, tuple[str, float]] = {}
    width_m = 1.0
    for entry in found.manifest.roles:
        geometry = found.roles[entry.target].geometry
        if geometry:
            width_m = geometry.track_width_m
            for motor, joint in entry.joints.items():
                wheels[motor] = joint, geometry.wheel_radius_m
    return ViewedRobot(text, body, found.roles, wheels, width_m)
