"""Links to remote masters and slaves. Not here: what a link does (webd/remote)."""

from ...lib.api import Done
from ...lib.api.endpoint import Nothing
from ...lib.api.webd import links as rows
from ...lib.api.webd.links import (
    EngageLink,
    LinkInfo,
    LinkList,
    LinkParams,
    LinkSpec,
    RemoteList,
)
from ...lib.clock import monotonic_s
from ..robot import latch
from ..robot.context import RobotContext
from ..robot.links import RobotLinks
from .act import Acts, Caller

ACTS = Acts()


def _links(robot: RobotContext) -> RobotLinks:
    assert robot.links is not None, "the site is open before the links"
    return robot.links


@ACTS.bind(rows.LIST_LINKS)
def list_links(robot: RobotContext, _: Caller, __: Nothing) -> LinkList:
    return LinkList(links=_links(robot).links())


@ACTS.bind(rows.LINK_STATUS)
def link_status(robot: RobotContext, _: Caller, __: Nothing) -> RemoteList:
    return RemoteList(links=_links(robot).links(), connected=_links(robot).connected())


@ACTS.bind(rows.ADD_LINK)
async def add_link(robot: RobotContext, _: Caller, spec: LinkSpec) -> LinkInfo:
    return await _links(robot).add(spec)


@ACTS.bind(rows.REMOVE_LINK)
async def remove_link(robot: RobotContext, _: Caller, params: LinkParams) -> Done:
    await _links(robot).remove(params.link)
    return Done(message=f"link {params.link} was removed")


@ACTS.bind(rows.ENGAGE_LINK)
def engage_link(robot: RobotContext, _: Caller, params: EngageLink) -> LinkInfo:
    if problem := latch.problem(robot.newest, monotonic_s()):
        raise problem
    return _links(robot).engage(params.link, takes_over=params.takeover)


@ACTS.bind(rows.DISENGAGE_LINK)
def disengage_link(robot: RobotContext, _: Caller, params: LinkParams) -> LinkInfo:
    return _links(robot).disengage(params.link)
