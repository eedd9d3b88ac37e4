"""The server's machine: how it is called on the network, which Wi-Fi it joins. Setup does it
(lib/machine/settings_request); how it ended stands in the settings' answer. Nothing here repeats a
password.
"""

import asyncio
from typing import Any

from ...lib.api import Done
from ...lib.api.machine import JoinWifi, MachineRequest, SetHostname
from ...lib.machine import settings_request
from ..api import messages as m
from ..robot.context import Robot
from .caller import Caller
from .upkeep import refuse_while_driven

Data = dict[str, Any]

_TRIAL = "If no address comes within a minute, the network before comes back."


async def set_hostname(robot: Robot, caller: Caller, params: SetHostname) -> Data:
    """How the server is found on the network: NAME.local. In force within seconds."""
    name = params.hostname
    await asyncio.to_thread(settings_request.submit, MachineRequest(hostname=name))
    return Done(message=f"The server takes its new name, {name}.local.").model_dump()


async def join_wifi(robot: Robot, caller: Caller, params: JoinWifi) -> Data:
    """The server joins this wireless network; without an address the one before comes back."""
    await refuse_while_driven(robot, force=False)
    name = params.ssid
    await asyncio.to_thread(settings_request.submit, MachineRequest(join=params))
    return Done(message=f"The server tries the Wi-Fi {name}. {_TRIAL}").model_dump()


async def leave_wifi(robot: Robot, caller: Caller, _: m.Nothing) -> Data:
    """The server joins no wireless network any more and opens its own hotspot."""
    await refuse_while_driven(robot, force=False)
    await asyncio.to_thread(settings_request.submit, MachineRequest(leave_wifi=True))
    return Done(message=f"The server opens its own hotspot. {_TRIAL}").model_dump()
