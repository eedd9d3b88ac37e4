"""How a role's own hardware differs from its manifest: adoptiond's calibrations, for the pages. Not
here: moving a joint meanwhile; that is an input like any other.
"""

from typing import Any

from pydantic import Field

from ...lib.api import Request
from ...lib.api.calibration import CalibrateRequest, CalibrationReply
from ..robot import Robot
from .caller import Caller

Data = dict[str, Any]


class GetCalibration(Request):
    """Of one role."""

    target: str = Field(pattern=r"^[a-z][a-z0-9_.]{0,63}$")  # "arms.left"


class Calibrate(CalibrateRequest, GetCalibration):
    """One field of a role. What is left out stays."""


async def get_calibration(robot: Robot, _: Caller, params: GetCalibration) -> Data:
    """What is in force for every field of a role, and what its manifest says."""
    reply = await robot.daemons.adoptiond.get(_path(params.target), CalibrationReply)
    return reply.model_dump(mode="json")


async def calibrate(robot: Robot, caller: Caller, params: Calibrate) -> Data:
    """Changes it, within the manifest. The role starts anew with it as soon as nothing moves."""
    body = CalibrateRequest.model_validate(params.model_dump(exclude={"target"}))
    reply = await robot.daemons.adoptiond.post(_path(params.target), body, CalibrationReply)
    robot.note("INFO", caller.source, f"{params.target}.{params.field} was calibrated")
    return reply.model_dump(mode="json")


def _path(target: str) -> str:
    return f"/roles/{target}/calibration"
