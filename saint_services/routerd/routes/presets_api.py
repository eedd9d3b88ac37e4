"""Requests about presets: list, show, save, load and delete. Not here: their files (adapters.py),
what loading does (api.py).
"""

import asyncio
import re

from ...lib.api import Done, presets
from ...lib.api.endpoint import Nothing
from ...lib.api.presets import LoadPreset, PresetInfo, PresetList, PresetParams, SavePreset
from ...lib.api.routing import RouteFile, RouteList
from ...lib.errors import Code, SaintError
from ...lib.ipc import Api, Call
from ..adapters import PresetStore
from ..api import RoutesApi
from ..fields.targets import RobotTargets
from .checks import ANY, check_file, missing_targets

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class PresetsApi:
    """Answers requests about presets."""

    def __init__(self, control: RoutesApi, store: PresetStore, robot: RobotTargets) -> None:
        self._control = control
        self._store = store
        self._robot = robot

    def add_to(self, api: Api) -> Api:
        api.bind(presets.LIST_PRESETS, self.list_presets)
        api.bind(presets.GET_PRESET, self.get_preset)
        api.bind(presets.SAVE_PRESET, self.save_preset)
        api.bind(presets.DELETE_PRESET, self.delete_preset)
        api.bind(presets.LOAD_PRESET, self.load_preset)
        return api

    async def list_presets(self, _: Call[Nothing]) -> PresetList:
        infos = await asyncio.to_thread(self._infos)
        return PresetList(presets=infos, loaded=self._control.loaded)

    def _infos(self) -> list[PresetInfo]:
        return [
            self._info(name, is_shipped)
            for name, is_shipped in self._store.names()
            if not (is_shipped and self._is_of_another_robot(name))
        ]

    def _is_of_another_robot(self, name: str) -> bool:
        """Return whether a preset drives only targets that this robot does not have."""
        try:
            file = self._store.read(name)
        except SaintError:
            return False  # it is listed with what is wrong
        named = {route.output.target for route in file.routes} - {ANY}
        return bool(named) and named == missing_targets(file, self._robot)

    def _info(self, name: str, is_shipped: bool) -> PresetInfo:
        routes, fault = 0, ""
        try:
            file = self._store.read(name)
            routes = len(file.routes)
            check_file(file, self._robot)
        except SaintError as err:
            fault = err.message
        return PresetInfo(name=name, is_shipped=is_shipped, routes=routes, fault=fault)

    async def get_preset(self, call: Call[PresetParams]) -> RouteFile:
        return await asyncio.to_thread(self._store.read, call.body.preset_name)

    async def save_preset(self, call: Call[SavePreset]) -> PresetInfo:
        name, body = call.body.preset_name, call.body
        now = self._control.in_force()
        routes = now.routes if body.routes is None else body.routes
        file = RouteFile(routes=routes, blending=body.blending or now.blending)
        check_file(file, self._robot)
        await asyncio.to_thread(self._store.write, name, file)
        return PresetInfo(name=name, is_shipped=False, routes=len(routes))

    async def delete_preset(self, call: Call[PresetParams]) -> Done:
        name = call.body.preset_name
        await asyncio.to_thread(self._store.delete, name)
        return Done(message=f"preset {name} is deleted")

    async def load_preset(self, call: Call[LoadPreset]) -> RouteList:
        name = call.body.preset_name
        file = await asyncio.to_thread(self._store.read, name)
        try:
            await self._control.replace_all(file, name, call.body.confirm)
        except SaintError as err:
            if err.code is Code.STOP_CHANGED:
                raise
            message = f"preset {name} does not fit this robot: {err.message}"
            raise SaintError(err.code, message, fix=err.fix) from err
        return self._control.listed()


def check_name(text: str) -> str:
    """Return a name that may become the name of a file; else raise SaintError request_invalid."""
    if not _NAME.fullmatch(text):
        raise SaintError(
            Code.REQUEST_INVALID,
            f"{text[:64]!r} is no valid name for a preset",
            fix="Use 1 to 64 letters, digits, _ and -.",
        )
    return text
