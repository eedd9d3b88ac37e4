"""Releases as the specification asks for them. Not here: what otad answers as it is asked
(lib/api/firmware.py), uploading (adapters/firmware.py).
"""

from typing import Any

from ...lib.api.endpoint import Nothing
from ...lib.api.firmware import ROLLOUT, STATUS, RolloutRequest
from ...lib.update import firmware_check
from ..api import messages as m
from ..robot.context import Robot
from ..upkeep.wiring import now
from .caller import Caller

Data = dict[str, Any]


async def check(robot: Robot, _: Caller, __: Nothing) -> Data:
    """Asks anew which machines do not run the newest release that lies on the server."""
    report = await robot.daemons.otad.request(STATUS, Nothing())
    return firmware_check.check(report, now()).model_dump(mode="json")


async def trigger(robot: Robot, caller: Caller, params: m.TriggerUpdate) -> Data:
    """The newest release, for one or all."""
    wanted = RolloutRequest(nodes=[params.node_id] if params.node_id else [])
    plan = await robot.daemons.otad.request(ROLLOUT, wanted, caller.person)
    return plan.model_dump(mode="json")
