"""Names of robot and server, and the server's Wi-Fi. The setup service changes the machine
(lib/machine/settings_request); the reply of the settings reports the outcome. No message repeats a
password.
"""

import asyncio
import contextlib
import os
import time

from ...lib.api import Done
from ...lib.api.endpoint import Nothing
from ...lib.api.machine import (
    AddressInfo,
    JoinWifi,
    MachineRequest,
    NameRobot,
    SetHostname,
    SettingsInfo,
)
from ...lib.api.webd import upkeep as rows
from ...lib.errors import Code, SaintError
from ...lib.health import HealthReport
from ...lib.ipc import Client
from ...lib.machine import address_status, computer, network, settings_request, setup_report
from ..robot import daemon_clients
from ..robot.context import RobotContext
from .act import Acts, Caller
from .maintenance import refuse_while_driven

ACTS = Acts()

_HEALTH_LIMIT_S = 1.0
_TRIAL = "If no address comes within a minute, the server returns to the network before."


@ACTS.bind(rows.GET_SETTINGS)
async def get_settings(robot: RobotContext, _: Caller, __: Nothing) -> SettingsInfo:
    found = await asyncio.to_thread(describe, robot)
    return found.model_copy(update={"problems": [*found.problems, *await _wrong_files(robot)]})


async def _wrong_files(robot: RobotContext) -> list[str]:
    """Return what the server's daemons report about their settings files. One that ends by itself
    is not started for it: its file is reported while it is in use.
    """
    daemons = robot.daemons
    clients = (daemons.of(name) for name in daemon_clients.NAMES if daemons.may_query(name))
    answers = await asyncio.gather(*map(_health, clients))
    reports = [robot.vault.health.report(), *(found for found in answers if found)]
    issues = (issue for report in reports for issue in report.issues)
    return [issue.text for issue in issues if issue.code is Code.CONFIG_INVALID]


async def _health(daemon: Client) -> HealthReport | None:
    with contextlib.suppress(SaintError):  # the page says elsewhere that a daemon is away
        return await daemon.get("/health", HealthReport, timeout_s=_HEALTH_LIMIT_S)
    return None


def describe(robot: RobotContext) -> SettingsInfo:
    """Return all settings. Blocks: use asyncio.to_thread."""
    setup = setup_report.read()
    outside = settings_request.network_status()
    return SettingsInfo(
        name=robot.roles.name,
        shipped_name=robot.upkeep.own.shipped_name,
        hostname=settings_request.hostname(),
        version=computer.version(),
        is_simulated=is_simulated(),
        machine_role=setup.role,
        problems=setup.problems,
        interfaces=network.interfaces(os.environ.get("SAINT_DDS_INTERFACE", "")),
        wifi=outside.wifi,
        hotspot=outside.hotspot,
        has_radio=outside.has_radio,
        addresses=_addresses(),
        change=settings_request.last_change(),
        time=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    )


def _addresses() -> AddressInfo:
    found = address_status.read(settings_request.address_file())
    return AddressInfo(state=found.state, text=found.text, fix=found.fix)


def is_simulated() -> bool:
    """Return whether the launcher supervises the programs here, not systemd."""
    return os.environ.get("SAINT_HW", "").startswith("sim") or "SAINT_LOG_DIR" in os.environ


@ACTS.bind(rows.SET_NAME)
async def set_name(robot: RobotContext, caller: Caller, params: NameRobot) -> SettingsInfo:
    own = robot.upkeep.own
    await own.save(own.saved.model_copy(update={"name": params.name}))
    return await asyncio.to_thread(describe, robot)


@ACTS.bind(rows.SET_HOSTNAME)
async def set_hostname(_: RobotContext, __: Caller, params: SetHostname) -> Done:
    name = params.hostname
    await asyncio.to_thread(settings_request.submit, MachineRequest(hostname=name))
    return Done(message=f"The server changes its name to {name}.local.")


@ACTS.bind(rows.JOIN_WIFI)
async def join_wifi(robot: RobotContext, _: Caller, params: JoinWifi) -> Done:
    await refuse_while_driven(robot, force=False)
    await asyncio.to_thread(settings_request.submit, MachineRequest(join=params))
    return Done(message=f"The server tries the Wi-Fi {params.ssid}. {_TRIAL}")


@ACTS.bind(rows.LEAVE_WIFI)
async def leave_wifi(robot: RobotContext, _: Caller, __: Nothing) -> Done:
    await refuse_while_driven(robot, force=False)
    await asyncio.to_thread(settings_request.submit, MachineRequest(leave_wifi=True))
    return Done(message=f"The server opens its own hotspot. {_TRIAL}")
