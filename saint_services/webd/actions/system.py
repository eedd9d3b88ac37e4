"""The robot as a whole: status, description, e-stop, history, clients, encryption."""

import asyncio
from collections.abc import Mapping

from ...lib.api import Done, routing
from ...lib.api.endpoint import Nothing
from ...lib.api.machine import TlsInfo
from ...lib.api.routing import EStopClear, EStopInfo, EStopRequest
from ...lib.api.webd import system as rows
from ...lib.api.webd.system import (
    ClientList,
    ClientParams,
    Description,
    EStop,
    GetHistory,
    HistoryReply,
    LatchReply,
    SystemReply,
)
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.generated.std_msgs import Bool
from ...lib.role_config.base import base_target
from ...lib.role_config.bus_servos import BUS_SERVO
from ...lib.role_config.hardware import hardware
from ...lib.role_config.model import RoleConfig
from ..robot.context import RobotContext
from ..robot.daemon_clients import AnsweredError
from ..topics import views
from .act import Acts, Caller, Data

ACTS = Acts()

MODEL_PATH = "/api/robot/model/"  # served by pages/files.py
STORED_LIMIT_S = 2.0  # for the router's reply, which says whether the stop is stored
ESTOP_LIMIT_S = 0.2  # by then the roles stop by themselves, because heartbeats are missing


@ACTS.bind(rows.STATUS)
def status(robot: RobotContext, _: Caller, __: Nothing) -> SystemReply | Data:
    return {"robot": robot.roles.name, **views.system(robot.newest, monotonic_s())}


@ACTS.bind(rows.DESCRIBE)
def describe(robot: RobotContext, _: Caller, __: Nothing) -> Description | Data:
    roles, body = robot.roles.by_target, robot.roles.body
    return {
        "robot": robot.roles.name,
        "targets": {target: _fields(role) for target, role in roles.items()},
        "base": base_target(roles),
        "hardware": {target: hardware(role).model_dump() for target, role in roles.items()},
        "model": f"{MODEL_PATH}{robot.roles.figure.file}" if robot.roles.figure else "",
        "joints": robot.roles.joints,
        "hands": [name for name, role in body.roles.items() if role.hand] if body else [],
        "arms": arms_of(roles),
        "leaders": leaders_of(roles),
        "topics": list(robot.hub.names),
    }


def arms_of(roles: Mapping[str, RoleConfig]) -> dict[str, list[str]]:
    """Return the joints that servos on a serial bus move, by target."""
    return {target: found for target, role in roles.items() if (found := _servos(role))}


def leaders_of(roles: Mapping[str, RoleConfig]) -> dict[str, list[str]]:
    """Return the targets of each leader arm, by its name."""
    return {role.instance: list(role.lead.targets) for role in roles.values() if role.lead}


def _servos(role: RoleConfig) -> list[str]:
    pins = role.gpio_mapping
    return [name for name in role.fields if name in pins and pins[name].type == BUS_SERVO]


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


@ACTS.bind(rows.GET_HISTORY)
def get_history(robot: RobotContext, _: Caller, params: GetHistory) -> HistoryReply:
    return robot.trends.since(params)


@ACTS.bind(rows.LIST_CLIENTS)
def list_clients(robot: RobotContext, _: Caller, __: Nothing) -> ClientList | Data:
    return {"clients": robot.clients.data(monotonic_s()) if robot.clients else []}


@ACTS.bind(rows.DISCONNECT_CLIENT)
def disconnect_client(robot: RobotContext, caller: Caller, params: ClientParams) -> Done:
    by = f"disconnected by {caller.client_id}"
    if robot.clients is None or not robot.clients.end(params.client_id, by):
        raise SaintError(Code.NOT_FOUND, f"no client {params.client_id!r} is connected")
    return Done(message=f"{params.client_id} was disconnected")


@ACTS.bind(rows.ESTOP, rows.TRACKS_ESTOP)
async def estop(robot: RobotContext, caller: Caller, params: EStop) -> LatchReply:
    if params.enable:
        return LatchReply(estop=await press_estop(robot, caller, params.reason))
    if params.generation is None:
        raise SaintError(
            Code.REFUSED,
            "the e-stop stays: a clear must name the stop that it has seen",
            fix='Read "estop.generation" and "estop.presses" of the topic "system", look at the '
            'robot, then send {"enable": false, "generation": <that number>}.',
        )
    clear = EStopClear(source=caller.source, generation=params.generation)
    forward = robot.daemons.forward
    cleared = await forward(routing.CLEAR_ESTOP, clear, caller.person, timeout_s=3.0)
    return LatchReply(estop=cleared)


async def press_estop(robot: RobotContext, caller: Caller, reason: str) -> EStopInfo:
    """Press the e-stop at the router. A router that does not answer at once must not delay the
    stop: the tracks get it directly, while the reply, which waits for the disk, is still awaited.
    """
    press = EStopRequest(source=caller.source, reason=reason)
    forwarding = asyncio.ensure_future(
        robot.daemons.forward(routing.ESTOP, press, caller.person, timeout_s=STORED_LIMIT_S)
    )
    try:
        done, _ = await asyncio.wait([forwarding], timeout=ESTOP_LIMIT_S)
        if not done:
            robot.stop.publish(Bool(data=True))
        robot.newest.estop_answered = await forwarding
        return robot.newest.estop_answered
    except SaintError as err:
        robot.stop.publish(Bool(data=True))
        robot.note("ERROR", "router", f"Emergency stop sent to the tracks only: {err.message}")
        failure = AnsweredError if isinstance(err, AnsweredError) else SaintError
        raise failure(
            Code.DAEMON_UNREACHABLE,
            f"{err.message}; the stop was sent to the tracks directly",
            fix="Switch the robot off if anything still moves.",
        ) from err
    finally:
        forwarding.cancel()


@ACTS.bind(rows.GET_TLS)
async def get_tls(robot: RobotContext, _: Caller, __: Nothing) -> TlsInfo:
    return await robot.encryption.info()


@ACTS.bind(rows.ENABLE_TLS)
async def enable_tls(robot: RobotContext, _: Caller, __: Nothing) -> TlsInfo:
    return await robot.encryption.enable()


@ACTS.bind(rows.DISABLE_TLS)
async def disable_tls(robot: RobotContext, _: Caller, __: Nothing) -> TlsInfo:
    return await robot.encryption.disable()
