"""The logs of all programs. Not here: the activity (management.py), who did what (users)."""

from typing import Any

from ...lib.api.logs import LogQuery
from ..api import messages as m
from ..robot.context import Robot
from .caller import Caller

Data = dict[str, Any]


async def query(robot: Robot, _: Caller, params: LogQuery) -> Data:
    """One page, newest first; `older` of the answer is `before` of the next page."""
    return (await robot.upkeep.logs.page(params)).model_dump(mode="json")


async def names(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Programs and machines that have written, and what these logs hold."""
    return (await robot.upkeep.logs.names()).model_dump(mode="json")
