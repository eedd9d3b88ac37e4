"""Nodes: adoptiond's registry and the activity log."""

from typing import Any

from ...lib.api import Done
from ...lib.api.adoption import (
    AdoptReply,
    AdoptRequest,
    IgnoreRequest,
    NodeInfo,
    NodeList,
    NodeState,
    RenameRequest,
    ReplaceRequest,
    ResetRequest,
    RoleList,
)
from .. import messages as m
from ..robot import Robot
from .caller import Caller

Data = dict[str, Any]

ADOPT_LIMIT_S = 30.0  # adoptiond itself gives a node 20 s
_FREE = (NodeState.BOOT, NodeState.UNADOPTED, NodeState.ADOPTING)


async def list_nodes(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """All of them."""
    return (await robot.daemons.adoptiond.get("/nodes", NodeList)).model_dump(mode="json")


async def list_unadopted(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Those without a role."""
    return await _some(robot, is_adopted=False)


async def list_adopted(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Those with a role, offline ones too."""
    return await _some(robot, is_adopted=True)


async def _some(robot: Robot, is_adopted: bool) -> Data:
    found = (await robot.daemons.adoptiond.get("/nodes", NodeList)).nodes
    kept = [n for n in found if (bool(n.role) and n.state not in _FREE) == is_adopted]
    return NodeList(nodes=kept).model_dump(mode="json")


async def list_roles(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Roles of the robot and who holds them."""
    return (await robot.daemons.adoptiond.get("/roles", RoleList)).model_dump(mode="json")


async def get_node_info(robot: Robot, _: Caller, params: m.NodeParams) -> Data:
    """One node."""
    node = await robot.daemons.adoptiond.get(f"/nodes/{params.node_id}", NodeInfo)
    return node.model_dump(mode="json")


async def adopt_node(robot: Robot, caller: Caller, params: m.AdoptNode) -> Data:
    """Gives a node its role; takes as long as the node needs to open its drivers."""
    body = AdoptRequest(
        role=params.role,
        instance=params.instance,
        display_name=params.display_name,
        add=params.add,
    )
    path = f"/nodes/{params.node_id}/adopt"
    reply = await robot.daemons.adoptiond.post(path, body, AdoptReply, timeout_s=ADOPT_LIMIT_S)
    role = f"{params.role} {params.instance}".strip()
    robot.note("INFO", caller.source, f"{params.node_id} was adopted as {role}")
    return reply.model_dump(mode="json")


async def reset_node(robot: Robot, caller: Caller, params: m.ResetNode) -> Data:
    """Takes a node's roles away, or one of them."""
    body = ResetRequest(
        factory_reset=params.factory_reset, role=params.role, instance=params.instance
    )
    path = f"/nodes/{params.node_id}/reset"
    reply = await robot.daemons.adoptiond.post(path, body, Done, timeout_s=ADOPT_LIMIT_S)
    role = f"{params.role} {params.instance}".strip()
    told = f"{params.node_id} gave back {role}" if role else f"{params.node_id} was reset"
    robot.note("WARNING", caller.source, told)
    return reply.model_dump(mode="json")


async def set_node_name(robot: Robot, caller: Caller, params: m.NameNode) -> Data:
    """How people call it."""
    body = RenameRequest(display_name=params.display_name)
    reply = await robot.daemons.adoptiond.patch(f"/nodes/{params.node_id}", body, NodeInfo)
    robot.note("INFO", caller.source, f"{params.node_id} is now called {params.display_name}")
    return reply.model_dump(mode="json")


async def replace_node(robot: Robot, caller: Caller, params: m.ReplaceNode) -> Data:
    """Role and name of a node that is gone move to another one."""
    body = ReplaceRequest(by=params.by, display_name=params.display_name)
    path = f"/nodes/{params.node_id}/replace"
    reply = await robot.daemons.adoptiond.post(path, body, AdoptReply, timeout_s=ADOPT_LIMIT_S)
    robot.note("INFO", caller.source, f"{params.by} took the place of {params.node_id}")
    return reply.model_dump(mode="json")


async def ignore_node(robot: Robot, caller: Caller, params: m.IgnoreNode) -> Data:
    """Whether it is offered for adoption."""
    body = IgnoreRequest(is_ignored=params.is_ignored)
    reply = await robot.daemons.adoptiond.post(f"/nodes/{params.node_id}/ignore", body, NodeInfo)
    done = "ignored" if params.is_ignored else "offered again"
    robot.note("INFO", caller.source, f"{params.node_id} is {done}")
    return reply.model_dump(mode="json")


def get_activity_log(robot: Robot, _: Caller, params: m.ActivityLog) -> Data:
    """Newest first."""
    entries = robot.log.newest(
        params.limit, params.offset, params.level, params.source, params.about
    )
    return {"entries": entries}
