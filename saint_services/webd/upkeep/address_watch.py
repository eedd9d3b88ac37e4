"""Shows on the pages that the server gives its nodes no addresses, as soon as that changes. Not
here: the search for other DHCP servers (saint_services/setup/addresses).
"""

import asyncio

from ...lib.errors import Code
from ...lib.health import Health
from ...lib.hw.device_watch import DeviceWatch
from ...lib.machine import address_status, settings_request
from ..robot.context import RobotContext


class AddressWatch:
    """Follows the status file, without polling."""

    def __init__(self, robot: RobotContext, health: Health) -> None:
        self._robot = robot
        self._health = health

    async def run(self) -> None:
        """Follow the file until cancelled."""
        changed = asyncio.Event()
        file = settings_request.address_file()
        watch = DeviceWatch(file, changed.set)
        try:
            while True:
                changed.clear()
                self._show(await asyncio.to_thread(address_status.read, file))
                await changed.wait()
        finally:
            watch.close()

    def _show(self, status: address_status.AddressStatus) -> None:
        if status.text:
            self._health.raise_issue(Code.NO_ADDRESSES, f"{status.text} {status.fix}")
        else:
            self._health.clear(Code.NO_ADDRESSES)
        if status.text != self._robot.newest.addresses_problem:
            self._robot.newest.addresses_problem = status.text
            self._robot.hub.changed("system")
