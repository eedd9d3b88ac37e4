"""Which nodes a simulated robot has, by its manifest. Not here: what a node is (robot.py)."""

from pathlib import Path
from typing import TYPE_CHECKING

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.sd import Directories

from . import robot
from .robot import Node, Roster

if TYPE_CHECKING:
    from saint_services.lib.robot_manifest import RobotRole

_NAME = "robot.name"  # in the robot's folder: settings and roles there are those of this robot


def choose(name: str, root: Path) -> Roster:
    """The robot for a folder, which belongs to one robot. Raises SaintError."""
    mark = root / _NAME
    held = mark.read_text(encoding="utf-8") if mark.exists() else robot.SAINT
    if held != name and (root / "server").exists():
        raise SaintError(
            Code.CONFLICT,
            f"{root} holds the robot {held}, not {name}",
            fix="Choose another --root, or --fresh to forget that one.",
        )
    # SAINT's own nodes are known by heart: reading its manifest would be the longest part of the
    # launcher's start.
    roster = Roster(name, robot.NODES) if name == robot.SAINT else read(name)
    mark.write_text(name, encoding="utf-8")
    return roster


def read(name: str, manifests: Path | None = None) -> Roster:
    """From manifests/robots/<name>.yaml: a node for each role, and a spare one."""
    from saint_services.lib import robot_manifest

    folder = manifests or Directories.from_environment().share / "manifests"
    found = [_node(entry) for entry in robot_manifest.load(folder, name).manifest.roles]
    return Roster(name, (*found, Node("spare", "Spare")))


def _node(entry: "RobotRole") -> Node:
    """A role in the plural has one node for each of its instances: arms left is the left arm."""
    one = entry.role.removesuffix("s") if entry.instance else entry.role
    name = f"{one}_{entry.instance}" if entry.instance else one
    display_name = f"{entry.instance} {one}".strip().capitalize()
    return Node(name, display_name, entry.role, entry.instance)
