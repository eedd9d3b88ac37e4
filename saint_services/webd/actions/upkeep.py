"""The robot's name, facts about its server, and what is done to machines as a whole: restart,
switch off, forget everything. Refused while somebody drives, unless forced. Not here: backup files
(adapters/backup_files.py), who may do this (the table of actions).
"""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

from ...lib.api import Done, routing
from ...lib.api.adoption import LIST_NODES, RESET_NODE, NodeParams, NodeState, ResetNode
from ...lib.api.backup import RestoreReply
from ...lib.api.endpoint import Nothing
from ...lib.api.machine import FactoryReset, Forced, NameRobot, Reboot, SettingsInfo
from ...lib.api.orders import REBOOT
from ...lib.api.routing import Confirming
from ...lib.errors import Code, SaintError
from ...lib.machine import computer, network, power, settings_request
from ...lib.machine.power import PowerAction
from ..api import messages as m
from ..robot.context import Robot
from ..upkeep.own_settings import SavedSettings
from ..upkeep.wiring import now
from .caller import Caller

Data = dict[str, Any]

_SETUP_REPORT = Path("/run/saint/setup.json")


async def get_settings(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """How robot and server are called, the server's network, what its setup complains about."""
    return (await asyncio.to_thread(_settings, robot)).model_dump(mode="json")


def _settings(robot: Robot) -> SettingsInfo:
    role, problems = _setup_report()
    outside = settings_request.network_status()
    return SettingsInfo(
        name=robot.roles.name,
        shipped_name=robot.upkeep.own.shipped_name,
        hostname=settings_request.hostname(),
        version=computer.version(),
        is_simulated=is_simulated(),
        machine_role=role,
        problems=problems,
        interfaces=network.interfaces(os.environ.get("SAINT_DDS_INTERFACE", "")),
        wifi=outside.wifi,
        hotspot=outside.hotspot,
        has_radio=outside.has_radio,
        change=settings_request.last_change(),
        time=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    )


def _setup_report(path: Path = _SETUP_REPORT) -> tuple[str, list[str]]:
    """The machine's role and sentences of saint-setup; nothing on a computer without it."""
    try:
        report = json.loads(path.read_bytes())
        return str(report["role"]), [str(each) for each in report["problems"]]
    except (OSError, ValueError, KeyError, TypeError):
        return "", []


def is_simulated() -> bool:
    """The launcher watches over this machine, not systemd."""
    return os.environ.get("SAINT_HW", "").startswith("sim") or "SAINT_LOG_DIR" in os.environ


async def set_name(robot: Robot, caller: Caller, params: NameRobot) -> Data:
    """How the robot is called on its pages, from now on."""
    await robot.upkeep.own.save(SavedSettings(name=params.name))
    return await get_settings(robot, caller, m.Nothing())


async def reboot(robot: Robot, caller: Caller, params: Reboot) -> Data:
    """The server's machine, or a node's, restarts."""
    await refuse_while_driven(robot, params.force)
    if params.node is not None:
        return await _reboot_node(robot, params.node)
    await _ask(caller, PowerAction.REBOOT)
    return Done(message="The server restarts. It is back in about a minute.").model_dump()


async def _reboot_node(robot: Robot, node_id: str) -> Data:
    reply = await robot.daemons.adoptiond.request(REBOOT, NodeParams(node_id=node_id))
    return reply.model_dump(mode="json")


def rebooted(params: Reboot) -> str:
    """For the activity log."""
    return f"{params.node or 'The server'} restarts"


async def restart(robot: Robot, caller: Caller, params: Forced) -> Data:
    """The server's programs start anew; its machine and the nodes go on."""
    await refuse_while_driven(robot, params.force)
    await _ask(caller, PowerAction.RESTART)
    return Done(message="The server's programs start anew, which takes seconds.").model_dump()


async def shutdown(robot: Robot, caller: Caller, params: Forced) -> Data:
    """The server's machine goes off. Nodes keep their safe state until their power is cut."""
    await refuse_while_driven(robot, params.force)
    await _ask(caller, PowerAction.POWER_OFF)
    text = "The server switches itself off. Take its power away and give it again to start it."
    return Done(message=text).model_dump()


async def _ask(caller: Caller, wish: PowerAction) -> None:
    await asyncio.to_thread(power.request, wish, f"asked for by {caller.source}")


async def refuse_while_driven(robot: Robot, force: bool) -> None:
    """A router that does not answer drives nothing: its silence is no reason to refuse."""
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
        fix="Let go of the controls or press the emergency stop first, or force it.",
    )


async def restore_state(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Daemons whose part of the last restore is still to be done."""
    return robot.upkeep.backups.state().model_dump(mode="json")


async def undo_restore(robot: Robot, caller: Caller, params: Confirming) -> Data:
    """As it was before the last restore or reset."""
    reply = await robot.upkeep.backups.undo(robot.roles.name, now(), params.confirm)
    return reply.model_dump(mode="json")


async def factory_reset(robot: Robot, caller: Caller, params: FactoryReset) -> Data:
    """The server forgets routes, presets, RC settings, subjects, nodes, names and users."""
    if params.confirm != robot.roles.name:
        text = f"{params.confirm!r} is not this robot's name, {robot.roles.name}"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Type the name as it is written.")
    await refuse_while_driven(robot, params.force)
    notes = await _reset_nodes(robot, caller) if params.nodes else []
    reply = await robot.upkeep.backups.forget(robot.roles.name, now())
    told = reply.model_copy(update={"notes": [*notes, *reply.notes]})
    return RestoreReply.model_validate(told).model_dump(mode="json")


async def _reset_nodes(robot: Robot, caller: Caller) -> list[str]:
    """Sentences about those that did not obey."""
    client, notes = robot.daemons.adoptiond, []
    known = (await client.request(LIST_NODES, Nothing())).nodes
    for node in known:
        if node.state is NodeState.OFFLINE:
            notes.append(f"{node.node_id} is offline and keeps its role and server.")
            continue
        try:
            wanted = ResetNode(node_id=node.node_id, factory_reset=True)
            await client.request(RESET_NODE, wanted, caller.person)
        except SaintError as err:
            notes.append(f"{node.node_id} was not reset: {err.message}.")
    return notes
