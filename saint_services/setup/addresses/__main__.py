"""Serve addresses on the robot's own network (dnsmasq.service) until stopped."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from ...lib import log
from ...lib.machine import address_status
from .service import AddressService, ServerEndedError

_CONFIG = Path("/run/saint/dnsmasq.conf")


async def _until_stopped(service: AddressService) -> None:
    task = asyncio.ensure_future(service.run())
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    await task


def main() -> int:
    """Run until stopped. Exit code 1: dnsmasq ended by itself."""
    log.setup("addresses")
    interface = os.environ.get("SAINT_DDS_INTERFACE", "eth0")
    service = AddressService(interface, _CONFIG, address_status.path())
    try:
        asyncio.run(_until_stopped(service))
    except asyncio.CancelledError:
        return 0
    except ServerEndedError:
        log.get("addresses").error("dnsmasq ended by itself; its own messages say why")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
