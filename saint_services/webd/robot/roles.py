"""The robot's roles as the robot in force lists them. Not here: their state (topics/newest.py)."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from ...lib.robot.body import load_body
from ...lib.robot.figure.figure import Figure
from ...lib.robot.manifest import RobotDescription, load
from ...lib.robot.source import RobotPlaces, load_robot
from ...lib.role_config.body import Body
from ...lib.role_config.model import RoleConfig


@dataclass(frozen=True, slots=True)
class Roles:
    """The robot manifest with its role manifests, by target ("head", "arms.left")."""

    name: str
    by_target: dict[str, RoleConfig]
    joints: dict[str, dict[str, str]] = field(default_factory=dict)  # target -> field -> joint
    figure: Figure | None = None
    body: Body | None = None
    mark: str = ""  # of this robot (lib/robot/source.py)
    edition: str = ""


def load_roles(share: Path, robot: str) -> Roles:
    """Read a shipped robot. Blocks: use asyncio.to_thread."""
    return _roles(load(share / "manifests", robot))


def load_roles_in_force(places: RobotPlaces) -> Roles:
    """Read the robot in force. Blocks: use asyncio.to_thread."""
    found = load_robot(places)
    roles = _roles(found.description)
    return replace(roles, mark=found.mark, edition=found.edition)


def with_hardware_of(roles: Roles, newer: Roles) -> Roles:
    """Return the roles with the pins and chips of a newer edition; a robot with other outputs is
    read at a restart (lib/robot/restart.py)."""
    if newer.mark != roles.mark:
        return roles
    return replace(roles, by_target=newer.by_target, edition=newer.edition)


def _roles(robot: RobotDescription) -> Roles:
    return Roles(
        robot.manifest.name,
        robot.roles,
        robot.figure.joints,
        robot.figure,
        load_body(robot),
    )
