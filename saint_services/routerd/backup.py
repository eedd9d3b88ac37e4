"""What routerd adds to a backup and restores from it: the routes in force, the operators' presets
and the sequences (sequences/backup.py). Not the e-stop latch: an old backup must not decide whether
the robot may move.
"""

import asyncio
from typing import Any

from pydantic import Field

from ..lib.api.routing import RouteFile
from ..lib.backup.sections import Backup, Section
from ..lib.errors import SaintError
from ..lib.strict import StrictModel
from .adapters import MOST_PRESETS, PresetStore
from .api import RoutesApi
from .fields.targets import RobotTargets
from .routes import stops
from .routes.checks import check, check_file
from .routes.presets_api import check_name
from .sequences.backup import SavedSequences
from .state import (
    PRESET_MIGRATIONS,
    PRESET_VERSION,
    ROUTES_MIGRATIONS,
    ROUTES_VERSION,
    SavedPreset,
    SavedRoutes,
)


class SavedPresets(StrictModel):
    """The operators' own presets, by name."""

    presets: dict[str, SavedPreset] = Field(default={}, max_length=MOST_PRESETS)


def _presets_before(data: dict[str, Any]) -> dict[str, Any]:
    """Migrate each of the presets."""
    presets = data.get("presets") or {}
    return data | {"presets": {name: PRESET_MIGRATIONS[1](each) for name, each in presets.items()}}


class RouterBackup:
    """Exports and restores both sections."""

    def __init__(
        self,
        control: RoutesApi,
        store: PresetStore,
        robot: RobotTargets,
        start: RouteFile,
        start_name: str,
        sequences: Section[SavedSequences],
    ) -> None:
        self._control = control
        self._store = store
        self._robot = robot
        self._start = start
        self._start_name = start_name
        self._sequences = sequences

    def backup(self) -> Backup:
        return Backup(
            Section(
                "routes",
                SavedRoutes,
                ROUTES_VERSION,
                self._routes,
                self._check_routes,
                self._use_routes,
                ROUTES_MIGRATIONS,
                self._to_confirm,
            ),
            Section(
                "presets",
                SavedPresets,
                PRESET_VERSION,
                self._presets,
                self._check_presets,
                self._use_presets,
                {1: _presets_before},
            ),
            self._sequences,
        )

    async def _routes(self) -> SavedRoutes:
        listed = self._control.listed()
        return SavedRoutes(
            routes=[info.route for info in listed.routes],
            blending=listed.blending,
            loaded=self._control.loaded,
        )

    async def _check_routes(self, saved: SavedRoutes) -> list[str]:
        return self._fitting(saved)[1]

    async def _use_routes(self, saved: SavedRoutes) -> None:
        name = self._start_name if saved.routes is None else saved.loaded
        # webd had the names confirmed before it began, and goes on after a power cut.
        await self._control.replace_all(self._file(saved), name, self._to_confirm(saved))

    def _to_confirm(self, saved: SavedRoutes) -> tuple[str, ...]:
        return stops.change(self._control.in_force(), self._file(saved)).names

    def _file(self, saved: SavedRoutes) -> RouteFile:
        return self._start if saved.routes is None else self._fitting(saved)[0]

    def _fitting(self, saved: SavedRoutes) -> tuple[RouteFile, list[str]]:
        """Return the routes that fit this robot, and sentences about the others."""
        notes, sound = [], []
        for route in saved.routes or []:
            try:
                check(route, self._robot)
            except SaintError as err:
                notes.append(f"Route {route.id} is left out: {err.message}.")
            else:
                sound.append(route)
        file = RouteFile(routes=sound, blending=saved.blending)
        check_file(file, self._robot)
        return file, notes

    async def _presets(self) -> SavedPresets:
        return await asyncio.to_thread(self._read_presets)

    def _read_presets(self) -> SavedPresets:
        found = {}
        for name, is_shipped in self._store.names():
            if is_shipped:
                continue
            try:
                file = self._store.read(name)
            except SaintError:
                continue  # a damaged one is left out; the list of presets shows it
            found[name] = SavedPreset(routes=file.routes, blending=file.blending)
        return SavedPresets(presets=found)

    async def _check_presets(self, saved: SavedPresets) -> list[str]:
        names = await asyncio.to_thread(self._store.names)
        shipped = {name for name, is_shipped in names if is_shipped}
        for name in saved.presets:
            check_name(name)
        return [
            f"Preset {name} is left out: this release ships one of that name."
            for name in sorted(saved.presets.keys() & shipped)
        ]

    async def _use_presets(self, saved: SavedPresets) -> None:
        await asyncio.to_thread(self._write_presets, saved)

    def _write_presets(self, saved: SavedPresets) -> None:
        own = {name for name, is_shipped in self._store.names() if not is_shipped}
        shipped = {name for name, is_shipped in self._store.names() if is_shipped}
        for name in own - saved.presets.keys():
            self._store.delete(name)
        for name, preset in saved.presets.items():
            if name not in shipped:
                file = RouteFile(routes=preset.routes, blending=preset.blending)
                self._store.write(name, file)
