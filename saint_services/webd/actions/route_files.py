"""All routes at once, as a text to keep and from a text. Not here: what is a sound route."""

import asyncio

from ...lib.api import routing
from ...lib.api.endpoint import Nothing
from ...lib.config import route_text
from ...lib.errors import Code, SaintError
from ..robot.context import Robot
from . import router_params as p
from .action import Data
from .caller import Caller


async def export_routes(robot: Robot, _: Caller, __: Nothing) -> Data:
    """All routes and how rivals are combined, as YAML."""
    listed = await robot.daemons.routerd.request(routing.LIST_ROUTES, Nothing())
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
        await robot.daemons.routerd.request(routing.CHECK_ROUTES, file)
    else:
        wish = routing.ReplaceRoutes(file=file, confirm=params.confirm)
        await robot.daemons.routerd.request(routing.REPLACE_ROUTES, wish, caller.person)
    return file.model_dump(mode="json", by_alias=True)
