"""Keeps what was calibrated (calibration.json), serves each role's configuration with it, and has
it told to the node that holds the role. Not here: what a calibration changes (calibration.py).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path

from ..lib import log
from ..lib.api.calibration import Calibrate, CalibrationReply
from ..lib.errors import Code, SaintError
from ..lib.health import Health
from ..lib.state import StateStore
from .calibration import MIGRATIONS, VERSION, RoleTrims, SavedCalibration, applied, changed, fields
from .registry import Catalog, RoleKey, RoleText

_log = log.get("adoptiond")


class Calibrations:
    """Of all roles of this robot."""

    def __init__(self, folder: Path, health: Health, catalog: Catalog) -> None:
        path = folder / "calibration.json"
        self._store = StateStore(path, SavedCalibration, VERSION, MIGRATIONS, keeps_last_good=True)
        self._health = health
        self._plain = catalog  # the manifests as they are
        self.saved = SavedCalibration()
        self.catalog = catalog  # what is served
        self._writing = asyncio.Lock()

    async def load(self) -> None:
        """Take what the file or its last good copy says; without both the manifests are in force,
        and a newer file is kept."""
        try:
            self.saved = await asyncio.to_thread(self._store.load)
        except SaintError as err:
            self._health.raise_issue(err.code, err.message)
        if self._store.problem:
            self._health.raise_issue(Code.STATE_DAMAGED, self._store.problem.message)
        self._serve()

    def show(self, target: str) -> CalibrationReply:
        """Raises not_found."""
        role = self._role(target)
        trims = self.saved.roles.get(target, RoleTrims())
        found = fields(role.config, trims)
        return CalibrationReply(target=target, revision=trims.revision, fields=found)

    def use_key(self, public: str) -> None:
        """The server has this key from now on."""
        self._plain = replace(self._plain, server_key=public)
        self._serve()

    async def change(
        self, wanted: Calibrate, tell: Callable[[RoleKey], Awaitable[str]]
    ) -> CalibrationReply:
        """On the disk first, then in force. `tell` brings it to the node; what it says is for the
        person who asked. Raises SaintError, and nothing has changed."""
        target = wanted.target
        role = self._role(target)
        async with self._writing:
            trims = changed(role.config, self.saved.roles.get(target, RoleTrims()), wanted)
            await self.use(SavedCalibration(roles={**self.saved.roles, target: trims}))
        _log.info("calibrated", role=target, field=wanted.field, revision=trims.revision)
        message = await tell(RoleKey(role.config.role, role.config.instance))
        return self.show(target).model_copy(update={"message": message})

    async def use(self, saved: SavedCalibration) -> None:
        """From now on. Raises SaintError when it cannot be kept."""
        await asyncio.to_thread(self._store.save, saved)
        self.saved = saved
        self._serve()

    async def unfit(self, saved: SavedCalibration) -> list[str]:
        """What of it this robot's manifests do not allow, in sentences."""
        found = []
        for target, trims in sorted(saved.roles.items()):
            roles = [r for r in self._plain.roles.values() if r.config.target == target]
            if not roles:
                found.append(f"The calibration of {target} is left out: there is no such role.")
            for role in roles:
                found += [f"{problem}." for problem in applied(role, trims).problems]
        return found

    def _role(self, target: str) -> RoleText:
        for role in self._plain.roles.values():
            if role.config.target == target:
                return role
        known = ", ".join(role.config.target for role in self._plain.roles.values())
        message = f"this robot has no role '{target[:64]}'"
        raise SaintError(Code.NOT_FOUND, message, fix=f"Roles: {known}.")

    def _serve(self) -> None:
        roles: Mapping[RoleKey, RoleText] = {
            key: self._applied(role) for key, role in self._plain.roles.items()
        }
        self.catalog = replace(self._plain, roles=roles)

    def _applied(self, role: RoleText) -> RoleText:
        found = applied(role, self.saved.roles.get(role.config.target, RoleTrims()))
        for problem in found.problems:
            _log.warning("calibration left out", reason=problem)
        return found.role
