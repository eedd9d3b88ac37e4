"""Persists the calibrations (calibration.json), applies them to the roles' configurations, and has
the node of a role fetch a changed one. Not here: what a calibration changes (calibration.py).
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


class CalibrationStore:
    """The calibrations of all roles of this robot."""

    def __init__(self, folder: Path, health: Health, catalog: Catalog) -> None:
        path = folder / "calibration.json"
        self._store = StateStore(path, SavedCalibration, VERSION, MIGRATIONS, keeps_last_good=True)
        self._health = health
        self._plain = catalog  # the manifests without calibration
        self.saved = SavedCalibration()
        self.catalog = catalog  # the manifests as served
        self._writing = asyncio.Lock()

    async def load(self) -> None:
        """Load the file or its last good copy; without both the manifests are in force, and a newer
        file is kept."""
        try:
            self.saved = await asyncio.to_thread(self._store.load)
        except SaintError as err:
            self._health.raise_issue(err.code, err.message)
        if self._store.problem:
            self._health.raise_issue(Code.STATE_DAMAGED, self._store.problem.message)
        self._serve()

    def show(self, target: str) -> CalibrationReply:
        """Return a role's calibration. Raises not_found."""
        role = self._role(target)
        trims = self.saved.roles.get(target, RoleTrims())
        found = fields(role.config, trims)
        return CalibrationReply(target=target, revision=trims.revision, fields=found)

    def use_catalog(self, catalog: Catalog) -> None:
        """Serve the roles of another robot from now on; their calibration stays."""
        self._plain = replace(catalog, server_key=self._plain.server_key)
        self._serve()

    def use_key(self, public: str) -> None:
        """Serve this public key of the server from now on."""
        self._plain = replace(self._plain, server_key=public)
        self._serve()

    async def change(
        self, wanted: Calibrate, notify: Callable[[RoleKey], Awaitable[str]]
    ) -> CalibrationReply:
        """Save a change, then put it in force. `notify` has the node fetch it and returns a message
        for the user. Raises SaintError, and nothing has changed."""
        target = wanted.target
        role = self._role(target)
        async with self._writing:
            trims = changed(role.config, self.saved.roles.get(target, RoleTrims()), wanted)
            await self.use(SavedCalibration(roles={**self.saved.roles, target: trims}))
        _log.info("calibrated", role=target, field=wanted.field, revision=trims.revision)
        message = await notify(RoleKey(role.config.role, role.config.instance))
        return self.show(target).model_copy(update={"message": message})

    async def use(self, saved: SavedCalibration) -> None:
        """Replace all calibrations. Raises SaintError when they cannot be saved."""
        await asyncio.to_thread(self._store.save, saved)
        self.saved = saved
        self._serve()

    async def unfit(self, saved: SavedCalibration) -> list[str]:
        """Return a sentence for each entry that this robot's manifests do not allow."""
        found = []
        for target, trims in sorted(saved.roles.items()):
            roles = [r for r in self._plain.roles.values() if r.config.target == target]
            if not roles:
                found.append(
                    f"The calibration of {target} is skipped: this robot has no such role."
                )
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
            _log.warning("calibration skipped", reason=problem)
        return found.role
