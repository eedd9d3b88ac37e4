"""Which nodes a simulated robot has, by its manifest. Not here: what a node is (robot.py)."""

from dataclasses import replace
from pathlib import Path

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.machine.service_manager import Directories

from . import robot
from .registry import Role
from .robot import Node, Roster

_NAME = "robot.name"  # in the robot's folder: settings and roles there are those of this robot


def choose(name: str, root: Path, prefix: str | None = None) -> Roster:
    """The robot for a folder, which belongs to one robot; `prefix` begins the ids of its nodes.
    Raises SaintError."""
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
    if prefix:
        return Roster(name, tuple(replace(node, prefix=prefix) for node in roster.nodes))
    return roster


def read(name: str, manifests: Path | None = None) -> Roster:
    """From manifests/robots/<name>.yaml: its nodes, one for each role that none of them holds, and
    a spare one.
    """
    from saint_services.lib.robot.manifest import load

    folder = manifests or Directories.from_environment().share / "manifests"
    manifest = load(folder, name).manifest
    roles = {entry.target: Role(entry.role, entry.instance) for entry in manifest.roles}
    shared = [
        Node(node, node.replace("_", " ").capitalize(), tuple(roles.pop(each) for each in targets))
        for node, targets in manifest.nodes.items()
    ]
    alone = [_node(role) for role in roles.values()]
    return Roster(name, (*shared, *alone, Node("spare", "Spare")))


def _node(role: Role) -> Node:
    """A role in the plural has one node for each of its instances: arms left is the left arm."""
    one = role.role.removesuffix("s") if role.instance else role.role
    name = f"{one}_{role.instance}" if role.instance else one
    display_name = f"{role.instance} {one}".strip().capitalize()
    return Node(name, display_name, (role,))
