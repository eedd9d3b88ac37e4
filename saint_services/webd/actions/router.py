"""Routes and outputs: routerd's socket."""

from typing import Any

from ...lib.api import Done
from ...lib.api.routing import RouteInfo, RouteList, RouterStatus, SetEnabled
from .. import messages as m
from ..robot import Robot
from .caller import Caller

Data = dict[str, Any]


async def get_status(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Outputs with their reasons, sources, the latch."""
    return (await robot.daemons.routerd.get("/status", RouterStatus)).model_dump(mode="json")


async def list_routes(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """All routes."""
    found = await robot.daemons.routerd.get("/routes", RouteList)
    return found.model_dump(mode="json", by_alias=True)


async def set_route(robot: Robot, caller: Caller, params: m.SetRoute) -> Data:
    """Creates or replaces a route; the router checks it against the roles."""
    route = params.route
    reply = await robot.daemons.routerd.put(f"/routes/{route.id}", route, RouteInfo)
    robot.note("INFO", caller.source, f"Route {route.id} was saved")
    return reply.model_dump(mode="json", by_alias=True)


async def delete_route(robot: Robot, caller: Caller, params: m.RouteParams) -> Data:
    """Removes a route."""
    reply = await robot.daemons.routerd.delete(f"/routes/{params.route_id}", Done)
    robot.note("INFO", caller.source, f"Route {params.route_id} was deleted")
    return reply.model_dump(mode="json")


async def set_route_enabled(robot: Robot, caller: Caller, params: m.RouteEnabled) -> Data:
    """On or off."""
    body = SetEnabled(enabled=params.enabled)
    path = f"/routes/{params.route_id}/enabled"
    reply = await robot.daemons.routerd.post(path, body, RouteInfo)
    word = "on" if params.enabled else "off"
    robot.note("INFO", caller.source, f"Route {params.route_id} was switched {word}")
    return reply.model_dump(mode="json", by_alias=True)
