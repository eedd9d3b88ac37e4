"""Requests that the specification names otherwise than the daemons' own rows: route files,
exclusive control, LiveLink sources, RC protocol and channels.
"""

import asyncio

from ...lib.api import livelink, rc, routing
from ...lib.api.endpoint import Nothing
from ...lib.api.livelink import SubjectDetail, SubjectList, SubjectRef
from ...lib.api.routing import RouteFile, RoutesText
from ...lib.api.webd import routes as rows
from ...lib.api.webd.routes import (
    ChannelReply,
    ControlReply,
    ImportRoutes,
    ProtocolReply,
    RcChannelParams,
    ReleaseTarget,
    TakeTarget,
)
from ...lib.config import route_text
from ...lib.errors import Code, SaintError
from ..robot.context import RobotContext
from .act import Acts, Caller

ACTS = Acts()


@ACTS.bind(rows.EXPORT_ROUTES)
async def export_routes(robot: RobotContext, _: Caller, __: Nothing) -> RoutesText:
    listed = await robot.daemons.routerd.request(routing.LIST_ROUTES, Nothing())
    text = await asyncio.to_thread(route_text.write_list, listed)
    return RoutesText(yaml=text, routes=len(listed.routes))


@ACTS.bind(rows.IMPORT_ROUTES)
async def import_routes(robot: RobotContext, caller: Caller, params: ImportRoutes) -> RouteFile:
    try:
        file = await asyncio.to_thread(route_text.read, params.yaml, params.name)
    except SaintError as err:
        raise SaintError(Code.REQUEST_INVALID, err.message, fix="Correct that line.") from err
    if params.check_only:
        await robot.daemons.routerd.request(routing.CHECK_ROUTES, file)
    else:
        given = routing.ReplaceRoutes(file=file, confirm=params.confirm)
        await robot.daemons.forward(routing.REPLACE_ROUTES, given, caller.person)
    return file


@ACTS.bind(rows.TAKE_CONTROL)
async def take_control(robot: RobotContext, caller: Caller, params: TakeTarget) -> ControlReply:
    given = routing.TakeControl(holder=caller.source, **dict(params))
    status = await robot.daemons.forward(routing.TAKE_CONTROL, given, caller.person)
    return ControlReply(control=status.control)


@ACTS.bind(rows.RELEASE_CONTROL)
async def release_control(
    robot: RobotContext, caller: Caller, params: ReleaseTarget
) -> ControlReply:
    given = routing.ReleaseControl(holder=caller.source, **dict(params))
    status = await robot.daemons.forward(routing.RELEASE_CONTROL, given, caller.person)
    return ControlReply(control=status.control)


@ACTS.bind(rows.LIST_LIVELINK_SOURCES)
async def list_livelink_sources(robot: RobotContext, _: Caller, params: Nothing) -> SubjectList:
    return await robot.daemons.livelinkd.request(livelink.LIST_SOURCES, params)


@ACTS.bind(rows.GET_LIVELINK_SUBJECT)
async def get_livelink_subject(robot: RobotContext, _: Caller, params: SubjectRef) -> SubjectDetail:
    return await robot.daemons.livelinkd.request(livelink.GET_SUBJECT, params)


@ACTS.bind(rows.GET_PROTOCOL)
async def get_protocol(robot: RobotContext, _: Caller, __: Nothing) -> ProtocolReply:
    status = await robot.daemons.rcd.request(rc.GET_STATUS, Nothing())
    return ProtocolReply(protocol=status.protocol)


@ACTS.bind(rows.GET_CHANNEL_CONFIG)
async def get_channel_config(
    robot: RobotContext, _: Caller, params: RcChannelParams
) -> ChannelReply:
    rcd = robot.daemons.rcd
    if params.channel is None:
        every = await rcd.request(rc.LIST_CHANNELS, Nothing())
        return ChannelReply(every)
    one = await rcd.request(rc.GET_CHANNEL, rc.ChannelRef(channel=params.channel))
    return ChannelReply(one)
