"""The RC receiver: rcd's socket."""

from typing import Any

from ...lib.api.rc import RcStatus, SetEnabled
from .. import messages as m
from ..robot import Robot
from .caller import Caller

Data = dict[str, Any]


async def get_status(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Receiver and channels."""
    return (await robot.daemons.rcd.get("/status", RcStatus)).model_dump(mode="json")


async def get_protocol(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Which protocol it listens for."""
    return {"protocol": (await robot.daemons.rcd.get("/status", RcStatus)).protocol}


async def set_enabled(robot: Robot, caller: Caller, params: m.Enabled) -> Data:
    """On or off."""
    body = SetEnabled(enabled=params.enabled)
    reply = await robot.daemons.rcd.post("/enabled", body, RcStatus)
    word = "on" if params.enabled else "off"
    robot.note("WARNING", caller.source, f"RC receiver was switched {word}")
    return reply.model_dump(mode="json")
