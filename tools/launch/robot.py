"""A simulated robot: one server, nodes with their roles, one spare node."""

import asyncio
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import sim
from . import requests, settings
from .launcher import Launcher
from .machines.machine import Folders, Plan
from .machines.receiver import Receiver
from .machines.updates import Updates
from .registry import Known, Registry, Role

_POLL_S = 0.1
_ANSWER_S = 30.0


@dataclass(frozen=True, slots=True)
class Node:
    """A simulated node and the roles that its first run gives it, in this order."""

    name: str
    display_name: str
    roles: tuple[Role, ...] = ()
    prefix: str = "sim"

    @property
    def node_id(self) -> str:
        return f"{self.prefix}_{self.name}"


NODES = (
    Node("head", "Head", (Role("head"),)),
    Node("arm_left", "Left arm", (Role("arms", "left"),)),
    Node("arm_right", "Right arm", (Role("arms", "right"),)),
    Node("tracks", "Tracks", (Role("tracks"),)),
    Node("console", "Console", (Role("console"),)),
    Node("spare", "Spare"),
)


SAINT = "saint"  # manifests/robots/saint.yaml
NODE_TARGET = "saint-node.target"
_TRACKS, _FEELS, _LEGS = Role("tracks"), Role("head"), Role("legs")


@dataclass(frozen=True, slots=True)
class Roster:
    """A robot's name below manifests/robots, and its nodes."""

    robot: str
    nodes: tuple[Node, ...]

    @property
    def carrier(self) -> str:
        """The machine whose motion the head's sensors feel."""
        return next((node.name for node in self.nodes if _TRACKS in node.roles), "")


def bus_environment(domain: int) -> dict[str, str]:
    """For every process of the robot: its bus, on this computer only."""
    return {"ROS_DOMAIN_ID": str(domain), "SAINT_DDS_INTERFACE": "lo"}


def node_environment(folders: Folders, node_id: str) -> dict[str, str]:
    """For every process of a node."""
    hardware = {"SAINT_HW": f"sim:{folders.hw}"} | sim.environment()
    return {"SAINT_NODE_ID": node_id} | hardware


def write_settings(folders: Folders, roles: Collection[Role], carrier: str) -> None:
    """Of a node's daemons and its board."""
    settings.write(folders.config, settings.node())
    if _FEELS in roles and carrier not in ("", folders.machine):
        settings.write(folders.hw, settings.board(Path("../..") / carrier / "hw"))


@dataclass(frozen=True, slots=True)
class Ports:
    """First ports to try; 0 is any free one."""

    http: int = 8080
    saint: int = 9090
    face: int = 11111

    @property
    def by_unit(self) -> dict[str, int]:
        """Keyed by the port in the unit. Nodes get the releases' address, so any port will do."""
        ports = {"80": self.http, "9090": self.saint, "11111": self.face, "8080": 0, "443": 0}
        if self.http:
            ports["443"] = 8443
        if not self.face:  # then the other formats of face capture are anywhere too
            ports |= dict.fromkeys(("54321", "39539", "49983", "54322"), 0)
        return ports


class Robot:
    """All machines of the robot in one launcher."""

    def __init__(
        self,
        launcher: Launcher,
        root: Path,
        domain: int,
        ports: Ports,
        roster: Roster,
        updates: Updates | None = None,
        *,
        is_locked: bool = False,
    ) -> None:
        self._launcher = launcher
        self._nodes = roster.nodes
        self._adopting: set[Node] = set()
        self._root = root
        shared = bus_environment(domain)
        server = Folders("server", root)
        server.create()
        named = "" if roster.robot == SAINT else roster.robot
        self._registry = Registry(server.run)
        self.receiver = Receiver(server.home, asyncio.get_running_loop())
        settings.lock_pages(server.config, named, is_locked=is_locked)
        preset = "walk" if any(_LEGS in node.roles for node in roster.nodes) else ""
        own = settings.server(self.receiver.path, root, named, is_locked=is_locked, preset=preset)
        settings.write(server.config, own)
        sound = {"SAINT_HW": f"sim:{server.hw}"} | sim.environment()
        board = updates.add(server, is_server=True) if updates else {}
        self.server = launcher.add(
            Plan(server, "saint-server.target", shared | sound | board, ports.by_unit)
        )
        for node in roster.nodes:
            folders = Folders(node.name, root)
            write_settings(folders, node.roles, roster.carrier)
            environment = node_environment(folders, node.node_id)
            board = updates.add(folders, is_server=False) if updates else {}
            launcher.add(Plan(folders, NODE_TARGET, shared | environment | board))
        if updates:
            updates.open_buses()
        self.ports = Ports(*(self.server.port(name) for name in ("http", "saint", "llf")))
        self._current = root / "current"
        self._point(server.run)

    async def become_whole(self) -> list[str]:
        """Wait for the page and for every node, adopting those that have no role yet. Waits as long
        as it takes; returns what went wrong, in sentences.
        """
        problems: dict[Node, str] = {}
        requested: set[Node] = set()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._wait_for_page())
            while not self._is_whole(known := await self._registry.nodes(), problems):
                for node in self._nodes:
                    if node not in requested and (roles := lacking(node, known)):
                        requested.add(node)
                        self._adopting.add(node)
                        tasks.create_task(self._adopt(node, roles, problems))
                await asyncio.sleep(_POLL_S)
        return list(problems.values())

    def close(self) -> None:
        """After the launcher has stopped."""
        self.receiver.close()
        self._current.unlink(missing_ok=True)

    async def _adopt(self, node: Node, roles: Sequence[Role], problems: dict[Node, str]) -> None:
        problem = await self._registry.adopt(node.node_id, roles, node.display_name)
        if problem:
            problems[node] = f"{node.display_name} was not adopted: {problem}"
        self._adopting.discard(node)

    def _is_whole(self, known: dict[str, Known], problems: dict[Node, str]) -> bool:
        """A node that could not be adopted is not waited for."""
        return all(
            node in problems or (node not in self._adopting and is_settled(node, known))
            for node in self._nodes
        )

    async def _wait_for_page(self) -> None:
        while True:
            try:
                if (
                    await requests.page("127.0.0.1", self.ports.http, "/", timeout_s=_ANSWER_S)
                    == 200
                ):
                    return
            except (OSError, TimeoutError):
                pass  # webd is starting (again)
            await asyncio.sleep(_POLL_S)

    def _point(self, run: Path) -> None:
        """saintctl finds the sockets by this link."""
        aside = self._current.with_name("current.new")
        aside.unlink(missing_ok=True)
        aside.symlink_to(os.path.relpath(run, self._root))
        aside.replace(self._current)


def lacking(node: Node, known: Mapping[str, Known]) -> tuple[Role, ...]:
    """Return the roles that a node is still to get: it is free, or was stopped before it had got
    all of them. A role that was moved to another node stays there.
    """
    found = known.get(node.node_id)
    if found is None or found.state not in ("unadopted", "active"):
        return ()
    held = {role for other in known.values() for role in other.roles}
    return tuple(role for role in node.roles if role not in held)


def is_settled(node: Node, known: Mapping[str, Known]) -> bool:
    """Whether a node works in the roles that it holds, or waits without any."""
    found = known.get(node.node_id)
    if found is None or lacking(node, known):
        return False
    return found.state == ("active" if found.roles else "unadopted")
