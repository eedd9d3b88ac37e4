"""Programs of the owner's as actions. Not here: how they are stored and started (programs/)."""

from ...lib.api import Done
from ...lib.api.endpoint import Nothing
from ...lib.api.programs import ProgramList, ProgramParams
from ...lib.api.webd import programs as rows
from ..robot.context import RobotContext
from .act import Acts, Caller

ACTS = Acts()


@ACTS.bind(rows.LIST_PROGRAMS)
async def list_programs(robot: RobotContext, _: Caller, __: Nothing) -> ProgramList:
    return await robot.programs.list()


@ACTS.bind(rows.START_PROGRAM)
async def start_program(robot: RobotContext, _: Caller, params: ProgramParams) -> Done:
    await robot.programs.start(params.name)
    return Done(message=f"{params.name} starts, now and whenever the server does")


@ACTS.bind(rows.STOP_PROGRAM)
async def stop_program(robot: RobotContext, _: Caller, params: ProgramParams) -> Done:
    await robot.programs.stop(params.name)
    return Done(message=f"{params.name} has no access any more, and its process ends")


@ACTS.bind(rows.REMOVE_PROGRAM)
async def remove_program(robot: RobotContext, _: Caller, params: ProgramParams) -> Done:
    await robot.programs.remove(params.name)
    return Done(message=f"{params.name} was removed")
