"""Checks that roles which share a computer fit on it together, and names line and key of what does
not. Pure. Not here: what one role reserves (lib/role_config/resources.py), which node holds which
role (adoptiond).
"""

from collections.abc import Iterable, Mapping

from .. import config as settings
from ..config.document import Document, Place
from ..role_config.resources import find_conflict
from .manifest import RobotDescription

_SEPARATE: Mapping[int, int] = {}


def misplaced(
    robot: RobotDescription,
    text: str,
    name: str,
    targets: Iterable[str],
    channels: Mapping[int, int] = _SEPARATE,
) -> str:
    """Return why these roles do not fit on one computer, with the line in the robot's text; empty
    when they do. `channels`: the computer's PWM channel of each pin that has one.
    """
    held = [robot.roles[target] for target in targets if target in robot.roles]
    for index, role in enumerate(held):
        if found := find_conflict(held[:index], role, channels):
            place = _place_of(robot, role.target)
            line = _deepest(settings.read_yaml(text, name), place, found.place)
            where = f"{role.target}.{found.place}" if found.place else role.target
            return f"{name}, line {line}: {where}: {found.text}"
    return ""


def _place_of(robot: RobotDescription, target: str) -> Place:
    targets = [entry.target for entry in robot.manifest.roles]
    return "roles", targets.index(target), "config"


def _deepest(document: Document, place: Place, key: str) -> int:
    return document.line((*place, *(word for word in key.split(".") if word)))
