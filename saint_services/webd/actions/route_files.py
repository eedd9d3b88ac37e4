"""All routes at once: as a text to keep, from a text, and a preset's before it is loaded. Not here:
single routes (router.py), what is a sound route (routerd).
"""

import asyncio
from typing import Any

from ...lib import route_text
from ...lib.api import Done
from ...lib.api.routing import RouteFile, RouteList
from ...lib.errors import Code, SaintError
from .. import messages as m
from ..robot import Robot
from . import router_params as p
from .caller import Caller
from .router import confirming

Data = dict[str, Any]


async def get_preset(robot: Robot, _: Caller, params: p.PresetParams) -> Data:
    """The routes of one preset, so that what loading it would change can be shown before."""
    found = await robot.daemons.routerd.get(f"/presets/{params.preset_name}", RouteFile)
    return found.model_dump(mode="json", by_alias=True)


async def export_routes(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """All routes and how rivals are combined, as YAML."""
    listed = await robot.daemons.routerd.get("/routes", RouteList)
    text = await asyncio.to_thread(route_text.write_list, listed)
    return {"yaml": text, "routes": len(listed.routes)}


async def import_routes(robot: Robot, caller: Caller, params: p.ImportRoutes) -> Data:
    """All routes by those of a YAML text. With `check_only` nothing changes: the reply is what
    would be in force.
    """
    try:
        file = await asyncio.to_thread(route_text.read, params.yaml, params.name)
    except SaintError as err:
        raise SaintError(Code.REQUEST_INVALID, err.message, fix="Correct that line.") from err
    if params.check_only:
        await robot.daemons.routerd.post("/routes/check", file, Done)
    else:
        await robot.daemons.routerd.put(f"/routes{confirming(params)}", file, RouteList)
        robot.note("INFO", caller.source, f"All routes were replaced: {len(file.routes)} now")
    return file.model_dump(mode="json", by_alias=True)
