"""Nodes as the specification lists them, and the activity log. Not here: what adoptiond answers as
it is asked (lib/api/adoption.py).
"""

from typing import Any

from ...lib.api.adoption import LIST_NODES, NodeList, NodeState
from ...lib.api.endpoint import Nothing
from ..api import messages as m
from ..robot.context import Robot
from .caller import Caller

Data = dict[str, Any]

_FREE = (NodeState.BOOT, NodeState.UNADOPTED, NodeState.ADOPTING)


async def list_unadopted(robot: Robot, _: Caller, __: Nothing) -> Data:
    """Those without a role."""
    return await _some(robot, is_adopted=False)


async def list_adopted(robot: Robot, _: Caller, __: Nothing) -> Data:
    """Those with a role, offline ones too."""
    return await _some(robot, is_adopted=True)


async def _some(robot: Robot, is_adopted: bool) -> Data:
    found = (await robot.daemons.adoptiond.request(LIST_NODES, Nothing())).nodes
    kept = [n for n in found if (bool(n.role) and n.state not in _FREE) == is_adopted]
    return NodeList(nodes=kept).model_dump(mode="json")


def get_activity_log(robot: Robot, _: Caller, params: m.ActivityLog) -> Data:
    """Newest first."""
    entries = robot.log.newest(
        params.limit, params.offset, params.level, params.source, params.about
    )
    return {"entries": entries}
