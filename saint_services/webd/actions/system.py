"""The robot as a whole: status, what it is made of, the e-stop."""

import asyncio
from typing import Any

from ...lib.access.levels import Level
from ...lib.api import routing
from ...lib.api.routing import EStopClear, EStopInfo, EStopRequest
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.generated.std_msgs import Bool
from ...lib.role_config.hardware import hardware
from ...lib.role_config.model import RoleConfig
from ..api import messages as m
from ..robot.context import Robot
from ..topics import views
from ..topics.trends import GetHistory
from .caller import Caller

Data = dict[str, Any]

MODEL_PATH = "/api/robot/model/"  # answered by adapters/model_files.py
STORED_LIMIT_S = 2.0  # for the router's answer, which says whether the stop is stored
ESTOP_LIMIT_S = 0.2  # by then the roles stop by themselves: heartbeats are missing


async def status(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """What the topic "system" tells."""
    return {"robot": robot.roles.name, **views.system(robot.newest, monotonic_s())}


def describe(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Targets with their fields (units, limits, what happens on loss) and with the pins and devices
    that their roles need."""
    roles = robot.roles.by_target
    return {
        "robot": robot.roles.name,
        "targets": {target: _fields(role) for target, role in roles.items()},
        "hardware": {target: hardware(role).model_dump() for target, role in roles.items()},
        "model": f"{MODEL_PATH}{robot.roles.urdf.name}" if robot.roles.urdf else "",
        "joints": robot.roles.joints,
        "topics": list(robot.hub.names),
    }


def get_history(robot: Robot, _: Caller, params: GetHistory) -> Data:
    """How load, temperature, inputs and delays went: ten minutes or six hours of points."""
    return robot.trends.since(params).model_dump()


def _fields(role: RoleConfig) -> Data:
    return {
        name: {
            "unit": spec.unit,
            "kind": spec.kind,
            "limits": list(spec.limits),
            "neutral": spec.neutral,
            "on_loss": spec.on_loss,
            "max_rate": spec.max_rate,
        }
        for name, spec in role.fields.items()
    }


def estop_needs(params: m.EStop) -> Level:
    """Everyone may stop the robot, not everyone may set it moving again."""
    return Level.VIEWER if params.enable else Level.OPERATOR


async def estop(robot: Robot, caller: Caller, params: m.EStop) -> Data:
    """Raise the latch, or clear it: a clear names the generation that was seen and is refused when
    another press came since."""
    if params.enable:
        return _latch(await _raise(robot, caller, params.reason))
    if params.generation is None:
        raise SaintError(
            Code.REFUSED,
            "the e-stop stays: a clear must name the stop that it has seen",
            fix='Read "estop.generation" and "estop.presses" of the topic "system", look at the '
            'robot, then send {"enable": false, "generation": <that number>}.',
        )
    clear = EStopClear(source=caller.source, generation=params.generation)
    ask = robot.daemons.routerd.request
    return _latch(await ask(routing.CLEAR_ESTOP, clear, caller.person, timeout_s=3.0))


def _latch(info: EStopInfo) -> Data:
    return {"estop": info.model_dump(mode="json")}


async def _raise(robot: Robot, caller: Caller, reason: str) -> EStopInfo:
    """Press at the router. One that does not answer at once must not be in the way: the tracks get
    the stop directly, while the answer (it waits for the disk) is still awaited.
    """
    press, ask = EStopRequest(source=caller.source, reason=reason), robot.daemons.routerd.request
    asking = asyncio.ensure_future(
        ask(routing.ESTOP, press, caller.person, timeout_s=STORED_LIMIT_S)
    )
    try:
        done, _ = await asyncio.wait([asking], timeout=ESTOP_LIMIT_S)
        if not done:
            robot.stop.publish(Bool(data=True))
        return await asking
    except SaintError as err:
        robot.stop.publish(Bool(data=True))
        robot.note("ERROR", "router", f"Emergency stop sent to the tracks alone: {err.message}")
        raise SaintError(
            Code.DAEMON_UNREACHABLE,
            f"{err.message}; the stop was sent to the tracks directly",
            fix="Switch the robot off if anything still moves.",
        ) from err
    finally:
        asking.cancel()
