"""The stop drill: a person tries every way to stop the robot; routerd measures, keeps reports."""

from typing import Any

from pydantic import BaseModel

from ...lib.api.drill import DrillBegin, DrillInfo, DrillKill, DrillSkip, DrillWait
from ...lib.levels import Level
from .. import messages as m
from ..robot import Robot
from .action import Action, Quick
from .caller import Caller

Data = dict[str, Any]
_KILL_LIMIT_S = 20.0  # the node waits for the role's guard


async def status(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """The drill under way, and the newest reports."""
    return (await robot.daemons.routerd.get("/drill", DrillInfo)).model_dump(mode="json")


async def begin(robot: Robot, caller: Caller, _: m.Nothing) -> Data:
    """Every way is open; a drill under way is dropped."""
    return await _posted(robot, "begin", DrillBegin(by=caller.identity.name))


async def wait(robot: Robot, _: Caller, params: DrillWait) -> Data:
    """The next press of this way is measured; refused while the robot is stopped."""
    return await _posted(robot, "wait", params)


async def skip(robot: Robot, _: Caller, params: DrillSkip) -> Data:
    """This way is not tried, for this reason."""
    return await _posted(robot, "skip", params)


async def kill(robot: Robot, caller: Caller, params: DrillKill) -> Data:
    """Ends the process of the role that drives this target; its guard has to stop the outputs."""
    robot.note("WARNING", caller.source, f"The process of {params.target} is killed for a test")
    return await _posted(robot, "kill", params, _KILL_LIMIT_S)


async def finish(robot: Robot, caller: Caller, _: m.Nothing) -> Data:
    """Stores the report."""
    found = await _posted(robot, "finish", None)
    failed = [each["way"] for each in found["reports"][0]["steps"] if each["state"] == "failed"]
    text = f"The stop test failed by {', '.join(failed)}" if failed else "The stop was tested"
    robot.note("ERROR" if failed else "INFO", caller.source, text)
    return found


async def _posted(
    robot: Robot, step: str, body: BaseModel | None, timeout_s: float | None = None
) -> Data:
    limit = {"timeout_s": timeout_s} if timeout_s else {}
    found = await robot.daemons.routerd.post(f"/drill/{step}", body, DrillInfo, **limit)
    return found.model_dump(mode="json")


DRILL: dict[str, dict[str, Action[Any] | Quick[Any]]] = {
    "drill": {
        "status": Action(m.Nothing, status, DrillInfo, needs=Level.VIEWER),
        "begin": Action(m.Nothing, begin, DrillInfo),
        "wait": Action(DrillWait, wait, DrillInfo),
        "skip": Action(DrillSkip, skip, DrillInfo),
        "kill": Action(DrillKill, kill, DrillInfo, needs=Level.ADMIN),
        "finish": Action(m.Nothing, finish, DrillInfo),
    }
}
