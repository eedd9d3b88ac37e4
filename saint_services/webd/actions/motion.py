"""Motion of all targets: a command becomes an input sample. The router decides which of
it reaches an actuator, and drops the client when the next sample is missing: a velocity moves only
while a client keeps sending it, and a position is sent again until the robot must have reached it.
"""

from ...lib.api.endpoint import Nothing
from ...lib.api.routing import CommandReply
from ...lib.api.webd import motion as rows
from ...lib.api.webd.motion import (
    ArmHome,
    ArmMove,
    CameraReply,
    Drive,
    Enable,
    Gripper,
    HandMove,
    HandReply,
    HeadMove,
    PartsHome,
    PartsSet,
)
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.generated.std_msgs import Bool
from ...lib.role_config.base import base_target
from ...lib.role_config.model import RoleConfig
from .. import logic
from ..robot import latch
from ..robot.context import RobotContext
from .act import Acts, Caller, Data

ACTS = Acts()


def role_of(robot: RobotContext, target: str) -> RoleConfig:
    """Return the role of a target. Raises not_found where the robot has none."""
    role = robot.roles.by_target.get(target)
    if role is None:
        raise SaintError(Code.NOT_FOUND, f"{robot.roles.name} has no {target}")
    return role


def _aim(robot: RobotContext, caller: Caller, role: RoleConfig, values: logic.Values) -> Data:
    robot.aim(caller.source, role, values)
    return accepted(role, values)


def accepted(role: RoleConfig, values: logic.Values) -> Data:
    """Return the reply to a motion command: the values that were limited, or nothing."""
    limited = logic.limited(role, values)
    return CommandReply(limited=limited).model_dump(mode="json") if limited else {}


@ACTS.bind(rows.HEAD_MOVE)
def head_move(robot: RobotContext, caller: Caller, move: HeadMove) -> Data:
    return _aim(robot, caller, role_of(robot, "head"), logic.head_values(move))


@ACTS.bind(rows.HEAD_HOME)
def head_home(robot: RobotContext, caller: Caller, _: Nothing) -> Data:
    role = role_of(robot, "head")
    return _aim(robot, caller, role, logic.home_values(role))


@ACTS.bind(rows.HEAD_CAMERA)
def head_camera(robot: RobotContext, _: Caller, params: Enable) -> CameraReply | Data:
    if not role_of(robot, "head").camera.enabled:
        if not params.enable:
            return {"camera_active": False}
        text = "this head has no camera: its manifest says camera.enabled: false"
        raise SaintError(Code.HARDWARE_MISSING, text)
    robot.camera.publish(Bool(params.enable))
    return {"camera_requested": params.enable}


@ACTS.bind(rows.ARM_MOVE)
def arm_move(robot: RobotContext, caller: Caller, move: ArmMove) -> Data:
    role = role_of(robot, f"arms.{move.arm}")
    return _aim(robot, caller, role, logic.arm_values(move, role))


@ACTS.bind(rows.ARM_HAND)
async def arm_hand(robot: RobotContext, caller: Caller, move: HandMove) -> HandReply:
    role = role_of(robot, f"arms.{move.arm}")
    generation = _generation(robot)
    angles = await robot.hands.angles(robot.bus, role, move)
    if problem := latch.problem(robot.newest, monotonic_s()):
        raise problem
    if _generation(robot) != generation:  # no command of before a stop counts after it
        raise SaintError(Code.REFUSED, "the robot was stopped before the hand could move")
    values = angles if move.speed is None else {**angles, "speed": move.speed}
    robot.aim(caller.source, role, values)
    return HandReply(positions=list(angles.values()))


def _generation(robot: RobotContext) -> int:
    return robot.newest.estop.generation if robot.newest.estop else 0


@ACTS.bind(rows.ARM_HOME)
def arm_home(robot: RobotContext, caller: Caller, home: ArmHome) -> Data:
    roles = [role_of(robot, f"arms.{a}") for a in ("left", "right") if home.arm in (a, "both")]
    for role in roles:
        robot.aim(caller.source, role, logic.home_values(role))
    return {}


@ACTS.bind(rows.GRIPPER)
def gripper(robot: RobotContext, caller: Caller, grip: Gripper) -> Data:
    role = role_of(robot, f"arms.{grip.arm}")
    values = {"gripper": grip.position}
    force = {} if grip.force is None else {"force": grip.force}
    return _aim(robot, caller, role, values | force)


@ACTS.bind(rows.PARTS_SET)
def parts_set(robot: RobotContext, caller: Caller, params: PartsSet) -> Data:
    role = role_of(robot, params.target)
    logic.check_fields(params.values, role)
    moving, held = logic.by_rest(role, params.values)
    if moving:
        robot.send(caller.source, role.target, moving)
    if held:
        robot.aim(caller.source, role, held)
    return accepted(role, params.values)


@ACTS.bind(rows.PARTS_HOME)
def parts_home(robot: RobotContext, caller: Caller, params: PartsHome) -> Data:
    role = role_of(robot, params.target)
    values = logic.home_values(role)
    return _aim(robot, caller, role, values) if values else {}


@ACTS.bind(rows.DRIVE)
def drive(robot: RobotContext, caller: Caller, speed: Drive) -> Data:
    return _drive(robot, caller, role_of(robot, "tracks"), speed)


@ACTS.bind(rows.STOP_TRACKS)
def stop(robot: RobotContext, caller: Caller, _: Nothing) -> Data:
    return _drive(robot, caller, role_of(robot, "tracks"), Drive())


@ACTS.bind(rows.DRIVE_BASE)
def drive_base(robot: RobotContext, caller: Caller, speed: Drive) -> Data:
    return _drive(robot, caller, _base_of(robot), speed)


@ACTS.bind(rows.STOP_BASE)
def stop_base(robot: RobotContext, caller: Caller, _: Nothing) -> Data:
    return _drive(robot, caller, _base_of(robot), Drive())


def _base_of(robot: RobotContext) -> RoleConfig:
    target = base_target(robot.roles.by_target)
    if not target:
        raise SaintError(Code.NOT_FOUND, f"{robot.roles.name} has no base that drives")
    return robot.roles.by_target[target]


def _drive(robot: RobotContext, caller: Caller, role: RoleConfig, speed: Drive) -> Data:
    values = speed.model_dump()
    robot.send(caller.source, role.target, values)
    return accepted(role, values)
