"""Modes and velocity of a walking robot: each command becomes an input sample, which the router
drops when the next one is missing. Not here: which mode the robot enters (role_legsd).
"""

from ...lib.api.endpoint import Nothing
from ...lib.api.webd import legs as rows
from ...lib.walker.model import WalkMode
from ..robot.context import RobotContext
from . import motion
from .act import Acts, Caller, Data

ACTS = Acts()
_STILL = rows.Walk()


def _hold(
    robot: RobotContext, caller: Caller, mode: WalkMode, velocity: rows.Walk = _STILL
) -> Data:
    role = motion.role_of(robot, "legs")
    values = {"mode": float(mode), **velocity.model_dump()}
    robot.send(caller.source, "legs", values)
    return motion.accepted(role, values)


@ACTS.bind(rows.STAND)
def stand(robot: RobotContext, caller: Caller, _: Nothing) -> Data:
    return _hold(robot, caller, WalkMode.STAND)


@ACTS.bind(rows.BALANCE)
def balance(robot: RobotContext, caller: Caller, _: Nothing) -> Data:
    return _hold(robot, caller, WalkMode.BALANCE)


@ACTS.bind(rows.MOVE)
def move(robot: RobotContext, caller: Caller, velocity: rows.Walk) -> Data:
    return _hold(robot, caller, WalkMode.MOVE, velocity)


@ACTS.bind(rows.DAMP)
def damp(robot: RobotContext, caller: Caller, _: Nothing) -> Data:
    return _hold(robot, caller, WalkMode.DAMP)
