"""Loads the role manifests and persists the registry."""

import asyncio
import hashlib
from collections.abc import Callable
from pathlib import Path

from ..lib import config as settings
from ..lib import log
from ..lib.errors import Code, SaintError
from ..lib.health import Health
from ..lib.robot.body import load_body
from ..lib.robot.manifest import RobotDescription, load, read_role
from ..lib.role_config.body import Body, packed
from ..lib.role_config.model import RoleConfig
from ..lib.role_config.outputs_mark import outputs_mark
from .registry import Catalog, RoleKey, RoleText
from .state import SavedRegistry, registry_store

_SAVE_PAUSE_S = 1.0  # flash wears out: a burst of changes is written once
_FILE = "nodes.json"  # the subject of its health issues
_log = log.get("adoptiond")


def load_catalog(manifests: Path, robot: str) -> Catalog:
    """Load the roles of a shipped robot. Raises config_invalid or config_missing. Blocks."""
    return catalog_of(manifests, load(manifests, robot))


def catalog_of(manifests: Path, robot: RobotDescription) -> Catalog:
    """Return what nodes get of a robot. Raises config_invalid or config_missing. Blocks."""
    manifest = robot.manifest
    configs = {entry.target: read_role(manifests, entry) for entry in manifest.roles}
    # Sizes that are invented must neither stop an arm nor promise that it keeps clear.
    body = None if robot.figure.is_generated else load_body(robot)
    roles = {
        RoleKey(entry.role, entry.instance): _role_text(*configs[entry.target], body)
        for entry in manifest.roles
    }
    return Catalog(manifest.name, roles)


def _role_text(config: RoleConfig, text: str, body: Body | None) -> RoleText:
    """Return what a node gets: a role with outputs gets their mark, one that moves positions of the
    model the robot's body."""
    if config.fields:
        text = f"{text.rstrip()}\n\noutputs_mark: {outputs_mark(config)}\n"
        config = settings.parse(RoleConfig, text, config.target)
    role = body.roles.get(config.target) if body else None
    if body and role and (role.angles or role.shares):
        text = f"{text.rstrip()}\n\nbody: {packed(body)}\n"
        config = settings.parse(RoleConfig, text, config.target)
    return RoleText(config, text, hashlib.sha256(text.encode()).hexdigest())


class RegistryFile:
    """Writes the registry when it changed; the newest state wins."""

    def __init__(self, folder: Path, health: Health) -> None:
        self._store = registry_store(folder)
        self._health = health
        self._changed = asyncio.Event()
        self._written = SavedRegistry()
        self._writing = asyncio.Lock()

    async def load(self) -> SavedRegistry:
        """Load the registry. A damaged file is set aside, a newer one is kept: the reports of the
        nodes then count."""
        try:
            self._written = await asyncio.to_thread(self._store.load)
        except SaintError as err:
            self._health.raise_issue(err.code, err.message, _FILE)
        if self._store.problem:
            self._health.raise_issue(Code.STATE_DAMAGED, self._store.problem.message, _FILE)
        return self._written

    @property
    def is_lost(self) -> bool:
        """Whether neither the registry nor its copy could be read, so nodes may be unknown."""
        return self._store.problem is not None and not self._written.nodes

    def touch(self) -> None:
        """Schedule a write."""
        self._changed.set()

    async def keep(self, read: Callable[[], SavedRegistry]) -> None:
        """Write changes until stopped; a failing disk is tried again with the next pause."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if not await self.save(read):
                self._changed.set()
            await asyncio.sleep(_SAVE_PAUSE_S)

    async def save(self, read: Callable[[], SavedRegistry]) -> bool:
        """Write the registry as it is now if it differs from the disk; return whether the disk is
        current."""
        async with self._writing:
            return await self._save(read())

    async def _save(self, value: SavedRegistry) -> bool:
        if value == self._written:
            return True
        try:
            await asyncio.to_thread(self._store.save, value)
        except SaintError as err:
            self._health.raise_issue(err.code, err.message, _FILE)
            return False
        self._written = value
        self._health.clear(Code.INTERNAL, _FILE)
        return True
