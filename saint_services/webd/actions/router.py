"""Routes, presets, outputs and exclusive control: routerd's socket."""

from typing import Any
from urllib.parse import urlencode

from ...lib.api import Done
from ...lib.api.routing import (
    Curve,
    CurveRequest,
    FieldOutput,
    PresetInfo,
    PresetList,
    Preview,
    PreviewRequest,
    ReleaseControl,
    RouteInfo,
    RouteList,
    RouterStatus,
    SavePreset,
    SetEnabled,
    SetPriority,
    TakeControl,
)
from ...lib.levels import Level
from .. import messages as m
from ..robot import Robot
from . import router_params as p
from .caller import Caller

Data = dict[str, Any]


def level_of(params: m.Confirming) -> Level:
    """An operator changes routes; taking away what stops the robot needs an admin."""
    return Level.ADMIN if params.confirm else Level.OPERATOR


def confirming(params: m.Confirming) -> str:
    """The query that confirms these names to the router."""
    return f"?{urlencode({'confirm': ','.join(params.confirm)})}" if params.confirm else ""


async def get_status(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Outputs with their reasons, sources, the latch, who has exclusive control."""
    return (await robot.daemons.routerd.get("/status", RouterStatus)).model_dump(mode="json")


async def get_output(robot: Robot, _: Caller, params: p.OutputParams) -> Data:
    """Why one field has its value."""
    reply = await robot.daemons.routerd.get(f"/outputs/{params.output}", FieldOutput)
    return reply.model_dump(mode="json")


async def list_routes(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """All routes."""
    found = await robot.daemons.routerd.get("/routes", RouteList)
    return found.model_dump(mode="json", by_alias=True)


async def set_route(robot: Robot, caller: Caller, params: m.SetRoute) -> Data:
    """Creates or replaces a route; the router checks it against the roles."""
    route = params.route
    reply = await robot.daemons.routerd.put(
        f"/routes/{route.id}{confirming(params)}", route, RouteInfo
    )
    robot.note("INFO", caller.source, f"Route {route.id} was saved")
    return reply.model_dump(mode="json", by_alias=True)


async def delete_route(robot: Robot, caller: Caller, params: m.RouteParams) -> Data:
    """Removes a route."""
    reply = await robot.daemons.routerd.delete(
        f"/routes/{params.route_id}{confirming(params)}", Done
    )
    robot.note("INFO", caller.source, f"Route {params.route_id} was deleted")
    return reply.model_dump(mode="json")


async def set_route_enabled(robot: Robot, caller: Caller, params: m.RouteEnabled) -> Data:
    """On or off."""
    body = SetEnabled(enabled=params.enabled)
    path = f"/routes/{params.route_id}/enabled{confirming(params)}"
    reply = await robot.daemons.routerd.post(path, body, RouteInfo)
    word = "on" if params.enabled else "off"
    robot.note("INFO", caller.source, f"Route {params.route_id} was switched {word}")
    return reply.model_dump(mode="json", by_alias=True)


async def set_route_priority(robot: Robot, caller: Caller, params: p.RoutePriority) -> Data:
    """Who wins against whom."""
    body = SetPriority(priority=params.priority)
    path = f"/routes/{params.route_id}/priority{confirming(params)}"
    reply = await robot.daemons.routerd.post(path, body, RouteInfo)
    told = "its source's" if params.priority is None else params.priority
    robot.note("INFO", caller.source, f"The priority of route {params.route_id} is {told} now")
    return reply.model_dump(mode="json", by_alias=True)


async def set_blending(robot: Robot, caller: Caller, params: p.SetBlending) -> Data:
    """How rivals are combined, cross-fade and time-outs."""
    path = f"/blending{confirming(params)}"
    reply = await robot.daemons.routerd.put(path, params.blending, RouteList)
    robot.note("INFO", caller.source, f"Rivals are combined by {params.blending.mode} now")
    return reply.blending.model_dump(mode="json")


async def preview_route(robot: Robot, _: Caller, params: p.PreviewRoute) -> Data:
    """Input -> output of a route that is not saved."""
    body = PreviewRequest(route=params.route, values=params.values)
    reply = await robot.daemons.routerd.post("/preview", body, Preview)
    return reply.model_dump(mode="json")


async def preview_curve(robot: Robot, _: Caller, params: p.PreviewCurve) -> Data:
    """The line of one mapping: what it makes of a range of inputs."""
    body = CurveRequest(**dict(params))
    reply = await robot.daemons.routerd.post("/preview/curve", body, Curve)
    return reply.model_dump(mode="json")


async def list_presets(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Shipped ones and the operators' own."""
    reply = await robot.daemons.routerd.get("/presets", PresetList)
    return reply.model_dump(mode="json")


async def load_preset(robot: Robot, caller: Caller, params: p.LoadPreset) -> Data:
    """All routes by those of the preset."""
    name = params.preset_name
    path = f"/presets/{name}/load{confirming(params)}"
    reply = await robot.daemons.routerd.post(path, None, RouteList)
    robot.note("INFO", caller.source, f"Preset {name} was loaded")
    return reply.model_dump(mode="json", by_alias=True)


async def save_preset(robot: Robot, caller: Caller, params: p.SavePreset) -> Data:
    """The routes in force, or those given, under a name."""
    name = params.preset_name
    body = SavePreset(routes=params.routes, blending=params.blending)
    reply = await robot.daemons.routerd.put(f"/presets/{name}", body, PresetInfo)
    robot.note("INFO", caller.source, f"Preset {name} was saved")
    return reply.model_dump(mode="json")


async def delete_preset(robot: Robot, caller: Caller, params: p.PresetParams) -> Data:
    """Only an operator's own."""
    reply = await robot.daemons.routerd.delete(f"/presets/{params.preset_name}", Done)
    robot.note("INFO", caller.source, f"Preset {params.preset_name} was deleted")
    return reply.model_dump(mode="json")


async def take_control(robot: Robot, caller: Caller, params: p.TakeControl) -> Data:
    """The target for this client alone."""
    body = TakeControl(target=params.target, holder=caller.source, timeout_ms=params.timeout_ms)
    reply = await robot.daemons.routerd.post("/control/take", body, RouterStatus)
    robot.note("INFO", caller.source, f"Exclusive control of {params.target} was taken")
    return {"control": [each.model_dump(mode="json") for each in reply.control]}


async def release_control(robot: Robot, caller: Caller, params: p.ReleaseControl) -> Data:
    """The target for everybody again."""
    body = ReleaseControl(target=params.target, holder=caller.source, force=params.force)
    reply = await robot.daemons.routerd.post("/control/release", body, RouterStatus)
    robot.note("INFO", caller.source, f"Exclusive control of {params.target} was released")
    return {"control": [each.model_dump(mode="json") for each in reply.control]}
