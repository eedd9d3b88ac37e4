"""Head, arms, tracks: a command becomes one new input sample. The router decides what of it
reaches an actuator, and lets go of it when the next one is missing.
"""

from typing import Any

from ...lib.errors import Code, SaintError
from ...lib.roles import RoleConfig
from .. import logic
from .. import messages as m
from ..robot import Robot
from .caller import Caller

Data = dict[str, Any]


def _role(robot: Robot, target: str) -> RoleConfig:
    role = robot.roles.by_target.get(target)
    if role is None:
        raise SaintError(Code.NOT_FOUND, f"{robot.roles.name} has no {target}")
    return role


async def head_move(robot: Robot, caller: Caller, move: m.HeadMove) -> Data:
    """The named axes go to the named angles."""
    _role(robot, "head")
    robot.send(caller.source, "head", logic.head_values(move))
    return {}


async def head_home(robot: Robot, caller: Caller, _: m.Nothing) -> Data:
    """All axes to neutral."""
    robot.send(caller.source, "head", logic.home_values(_role(robot, "head")))
    return {}


async def arm_move(robot: Robot, caller: Caller, move: m.ArmMove) -> Data:
    """Joints go to the named angles."""
    role = _role(robot, f"arms.{move.arm}")
    robot.send(caller.source, role.target, logic.arm_values(move, role))
    return {}


async def arm_home(robot: Robot, caller: Caller, home: m.ArmHome) -> Data:
    """All joints to neutral."""
    roles = [_role(robot, f"arms.{a}") for a in ("left", "right") if home.arm in (a, "both")]
    for role in roles:
        robot.send(caller.source, role.target, logic.home_values(role))
    return {}


async def gripper(robot: Robot, caller: Caller, grip: m.Gripper) -> Data:
    """Opens or closes."""
    role = _role(robot, f"arms.{grip.arm}")
    values = {"gripper": grip.position}
    robot.send(
        caller.source, role.target, values if grip.force is None else values | {"force": grip.force}
    )
    return {}


async def drive(robot: Robot, caller: Caller, speed: m.Drive) -> Data:
    """One velocity set-point."""
    _role(robot, "tracks")
    robot.send(caller.source, "tracks", {"linear": speed.linear, "angular": speed.angular})
    return {}


async def stop(robot: Robot, caller: Caller, _: m.Nothing) -> Data:
    """Zero velocity, as a set-point."""
    return await drive(robot, caller, m.Drive())
