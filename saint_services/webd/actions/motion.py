"""Head, arms, tracks: a command becomes an input sample. The router decides what of it reaches an
actuator, and lets go of it when the next one is missing: so a velocity moves only while a client
goes on sending it, and a position is sent again for it until it must be reached.
"""

from typing import Any

from ...lib.api.routing import CommandReply
from ...lib.errors import Code, SaintError
from ...lib.generated.std_msgs import Bool
from ...lib.role_config.model import RoleConfig
from .. import logic
from ..api import messages as m
from ..robot.context import Robot
from .caller import Caller

Data = dict[str, Any]


def _role(robot: Robot, target: str) -> RoleConfig:
    role = robot.roles.by_target.get(target)
    if role is None:
        raise SaintError(Code.NOT_FOUND, f"{robot.roles.name} has no {target}")
    return role


def _aim(robot: Robot, caller: Caller, role: RoleConfig, values: logic.Values) -> Data:
    robot.aim(caller.source, role, values)
    return answer(role, values)


def answer(role: RoleConfig, values: logic.Values) -> Data:
    """Return what of the command was limited, where something was."""
    limited = logic.limited(role, values)
    return CommandReply(limited=limited).model_dump(mode="json") if limited else {}


def head_move(robot: Robot, caller: Caller, move: m.HeadMove) -> Data:
    """The named axes go to the named angles."""
    return _aim(robot, caller, _role(robot, "head"), logic.head_values(move))


def head_home(robot: Robot, caller: Caller, _: m.Nothing) -> Data:
    """All axes to neutral."""
    role = _role(robot, "head")
    return _aim(robot, caller, role, logic.home_values(role))


def head_camera(robot: Robot, _: Caller, params: m.Enable) -> Data:
    """Asks the head to switch its camera; camera_active of its state tells when pictures come."""
    if not _role(robot, "head").camera.enabled:
        if not params.enable:
            return {"camera_active": False}
        text = "this head has no camera: its manifest says camera.enabled: false"
        raise SaintError(Code.HARDWARE_MISSING, text)
    robot.camera.publish(Bool(params.enable))
    return {"camera_requested": params.enable}


def arm_move(robot: Robot, caller: Caller, move: m.ArmMove) -> Data:
    """Joints go to the named angles."""
    role = _role(robot, f"arms.{move.arm}")
    return _aim(robot, caller, role, logic.arm_values(move, role))


def arm_home(robot: Robot, caller: Caller, home: m.ArmHome) -> Data:
    """All joints to neutral."""
    roles = [_role(robot, f"arms.{a}") for a in ("left", "right") if home.arm in (a, "both")]
    for role in roles:
        robot.aim(caller.source, role, logic.home_values(role))
    return {}


def gripper(robot: Robot, caller: Caller, grip: m.Gripper) -> Data:
    """Opens or closes."""
    role = _role(robot, f"arms.{grip.arm}")
    values = {"gripper": grip.position}
    force = {} if grip.force is None else {"force": grip.force}
    return _aim(robot, caller, role, values | force)


def drive(robot: Robot, caller: Caller, speed: m.Drive) -> Data:
    """One velocity set-point."""
    role, values = _role(robot, "tracks"), speed.model_dump()
    robot.send(caller.source, "tracks", values)
    return answer(role, values)


def stop(robot: Robot, caller: Caller, _: m.Nothing) -> Data:
    """Zero velocity, as a set-point."""
    return drive(robot, caller, m.Drive())
