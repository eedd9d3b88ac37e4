"""Logs, power, restore and factory reset. Requests that end the robot's work are refused while an
output is driven, unless they are forced. Not here: backup files (upkeep/backup_files.py).
"""

import asyncio

from ...lib.api import Done, routing
from ...lib.api.adoption import LIST_NODES, RESET_NODE, NodeState, ResetNode
from ...lib.api.backup import RestoreReply, RestoreState
from ...lib.api.endpoint import Nothing
from ...lib.api.logs import LogNames, LogPage, LogQuery
from ...lib.api.machine import FactoryReset, Forced, Reboot, Shutdown
from ...lib.api.orders import POWER, SERVER, PowerCommand, RobotPower
from ...lib.api.routing import Confirming
from ...lib.api.webd import system as system_rows
from ...lib.api.webd import upkeep as rows
from ...lib.errors import Code, SaintError
from ...lib.machine import power
from ...lib.machine.power import PowerAction
from ..robot.context import RobotContext
from ..upkeep.wiring import now
from .act import Acts, Caller

ACTS = Acts()
_ACTIONS = {PowerCommand.SHUTDOWN: PowerAction.POWER_OFF, PowerCommand.REBOOT: PowerAction.REBOOT}


@ACTS.bind(rows.QUERY_LOGS)
async def query_logs(robot: RobotContext, _: Caller, params: LogQuery) -> LogPage:
    return await robot.upkeep.logs.page(params)


@ACTS.bind(rows.LOG_NAMES)
async def log_names(robot: RobotContext, _: Caller, __: Nothing) -> LogNames:
    return await robot.upkeep.logs.names()


@ACTS.bind(system_rows.REBOOT)
async def reboot(robot: RobotContext, caller: Caller, params: Reboot) -> Done:
    wanted = RobotPower(
        command=PowerCommand.REBOOT, node_id=params.node or SERVER, force=params.force
    )
    done = await _power(robot, caller, wanted)
    if wanted.node_id != SERVER:
        return done
    return Done(message="The server restarts. It is back in about a minute.")


@ACTS.bind(rows.RESTART)
async def restart(robot: RobotContext, caller: Caller, params: Forced) -> Done:
    await refuse_while_driven(robot, params.force)
    await _request_power(caller, PowerAction.RESTART)
    return Done(message="The server's programs restart, which takes seconds.")


@ACTS.bind(system_rows.SHUTDOWN)
async def shutdown(robot: RobotContext, caller: Caller, params: Shutdown) -> Done:
    wanted = RobotPower(
        command=PowerCommand.SHUTDOWN, node_id=params.node or "", force=params.force
    )
    done = await _power(robot, caller, wanted)
    return Done(message=f"{done.message} To start again, disconnect and reconnect power.")


async def _power(robot: RobotContext, caller: Caller, wanted: RobotPower) -> Done:
    """Have adoptiond carry it out, which knows the outputs of all machines; without adoptiond the
    server's own machine can be switched all the same."""
    await refuse_while_driven(robot, wanted.force)
    try:
        return await robot.daemons.adoptiond.request(POWER, wanted, caller.person)
    except SaintError as err:
        if err.code is not Code.DAEMON_UNREACHABLE or wanted.node_id not in ("", SERVER):
            raise
        await _request_power(caller, _ACTIONS[wanted.command])
        left = "" if wanted.node_id else f" The nodes stay on: {err.message}."
        return Done(message=f"The server shuts down.{left}")


async def _request_power(caller: Caller, action: PowerAction) -> None:
    await asyncio.to_thread(power.request, action, f"requested by {caller.source}")


async def refuse_while_driven(robot: RobotContext, force: bool) -> None:
    """Raise refused while an output is driven. A router that does not answer drives nothing, so
    its silence is no reason to refuse.
    """
    if force:
        return
    try:
        status = await robot.daemons.routerd.request(routing.GET_STATUS, Nothing(), timeout_s=2.0)
    except SaintError:
        return
    driven = next((out for out in status.outputs if out.policy == "live"), None)
    if driven is None or status.estop.active:
        return
    raise SaintError(
        Code.REFUSED,
        f"{driven.source} drives {driven.target} {driven.field} now",
        fix="Release the controls or press the emergency stop first, or force the request.",
    )


@ACTS.bind(rows.RESTORE_STATE)
async def restore_state(robot: RobotContext, _: Caller, __: Nothing) -> RestoreState:
    return robot.upkeep.backups.state()


@ACTS.bind(rows.UNDO_RESTORE)
async def undo_restore(robot: RobotContext, _: Caller, params: Confirming) -> RestoreReply:
    return await robot.upkeep.backups.undo(robot.roles.name, now(), params.confirm)


@ACTS.bind(rows.FACTORY_RESET)
async def factory_reset(robot: RobotContext, caller: Caller, params: FactoryReset) -> RestoreReply:
    if params.confirm != robot.roles.name:
        text = f"{params.confirm!r} is not this robot's name, {robot.roles.name}"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Type the name as it is written.")
    await refuse_while_driven(robot, params.force)
    await robot.upkeep.backups.check_forget()
    notes = await _reset_nodes(robot, caller) if params.nodes else []
    reply = await robot.upkeep.backups.forget(robot.roles.name, now())
    return reply.model_copy(update={"notes": [*notes, *reply.notes]})


async def _reset_nodes(robot: RobotContext, caller: Caller) -> list[str]:
    """Reset all nodes that are online; return a sentence about each node that was not reset."""
    client, notes = robot.daemons.adoptiond, []
    known = (await client.request(LIST_NODES, Nothing())).nodes
    for node in known:
        if node.state is NodeState.OFFLINE:
            notes.append(f"{node.node_id} is offline and keeps its role and server.")
            continue
        try:
            given = ResetNode(node_id=node.node_id, factory_reset=True)
            await client.request(RESET_NODE, given, caller.person)
        except SaintError as err:
            notes.append(f"{node.node_id} was not reset: {err.message}.")
    return notes
