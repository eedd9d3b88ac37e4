"""Head, arms, tracks: a command becomes an input sample. The router decides what of it reaches an
actuator, and lets go of it when the next one is missing: so a velocity moves only while a client
goes on sending it, and a position is sent again for it until it must be reached.
"""

from typing import Any

from ...lib.errors import Code, SaintError
from ...lib.generated.std_msgs import Bool
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


def head_move(robot: Robot, caller: Caller, move: m.HeadMove) -> Data:
    """The named axes go to the named angles."""
    robot.aim(caller.source, _role(robot, "head"), logic.head_values(move))
    return {}


def head_home(robot: Robot, caller: Caller, _: m.Nothing) -> Data:
    """All axes to neutral."""
    role = _role(robot, "head")
    robot.aim(caller.source, role, logic.home_values(role))
    return {}


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
    robot.aim(caller.source, role, logic.arm_values(move, role))
    return {}


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
    robot.aim(caller.source, role, values | force)
    return {}


def drive(robot: Robot, caller: Caller, speed: m.Drive) -> Data:
    """One velocity set-point."""
    _role(robot, "tracks")
    robot.send(caller.source, "tracks", {"linear": speed.linear, "angular": speed.angular})
    return {}


def stop(robot: Robot, caller: Caller, _: m.Nothing) -> Data:
    """Zero velocity, as a set-point."""
    return drive(robot, caller, m.Drive())
