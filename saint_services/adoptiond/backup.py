"""The sections of adoptiond in a backup: the owner's robot, the registry of nodes, the calibration
of roles. A node
itself knows its roles, so only names are restored for nodes that are online. The server's key is in
it only if it was added, sealed with a passphrase (server_key.py).
"""

import asyncio
from dataclasses import replace

from ..lib.api.keys import SealedKey
from ..lib.backup.sections import Backup, Section
from ..lib.clock import monotonic_s
from ..lib.machine.computer import is_token
from . import calibration
from .logic import MOST_NODES
from .registry import Node, Registry
from .registry_service import RegistryService
from .robots.service import RobotService
from .robots.versions import SavedRobot
from .state import MIGRATIONS, VERSION, SavedNode, SavedRegistry


def backup_of(service: RegistryService, robots: RobotService) -> Backup:
    """Return the sections."""

    async def current() -> SavedRegistry:
        return service.saved()

    async def check(saved: SavedRegistry) -> list[str]:
        return [
            f"{node_id} is left out: that is not a valid node id."
            for node_id in sorted(saved.nodes)
            if not is_token(node_id)
        ]

    async def use(saved: SavedRegistry) -> None:
        await service.use(restored(service.registry, saved, monotonic_s()))

    async def trims() -> calibration.SavedCalibration:
        return service.calibrations.saved

    async def no_key() -> SealedKey:
        return SealedKey()

    async def check_key(saved: SealedKey) -> list[str]:
        text = "The server's key stays sealed: saintctl backup restore --with-keys opens it."
        return [text] if saved.sealed else []

    async def use_no_key(_: SealedKey) -> None:
        """Skip the key: only its passphrase opens it (server_key.py)."""

    async def robot() -> SavedRobot:
        return await asyncio.to_thread(robots.saved)

    calibrations = service.calibrations
    return Backup(
        Section("robot", SavedRobot, 2, robot, robots.unfit, robots.restore, {1: dict}),
        Section("nodes", SavedRegistry, VERSION, current, check, use, MIGRATIONS),
        Section(
            "calibration",
            calibration.SavedCalibration,
            calibration.VERSION,
            trims,
            calibrations.unfit,
            calibrations.use,
            calibration.MIGRATIONS,
        ),
        Section("key", SealedKey, 1, no_key, check_key, use_no_key, is_exported=False),
    )


def restored(now: Registry, saved: SavedRegistry, now_s: float) -> Registry:
    """Return the registry with what was saved of it. Nodes that are offline and not in the backup
    are forgotten."""
    nodes: dict[str, Node] = {}
    for node_id, node in now.nodes.items():
        was = saved.nodes.get(node_id)
        if node.is_online(now_s):
            nodes[node_id] = replace(node, kept=_named_as(node.kept, was or SavedNode()))
    for node_id, kept in saved.nodes.items():
        if node_id not in nodes and is_token(node_id) and len(nodes) < MOST_NODES:
            nodes[node_id] = Node(node_id, kept)
    return replace(now, nodes=nodes)


def _named_as(kept: SavedNode, was: SavedNode) -> SavedNode:
    return kept.model_copy(update={"display_name": was.display_name, "is_ignored": was.is_ignored})
