"""Runs the address service of a test's computer: `INTERFACE CONFIG STATUS SPEED`, all pauses times
SPEED.
"""

import asyncio
import signal
import sys
from pathlib import Path

from saint_services.lib import log
from saint_services.setup.addresses import service
from saint_services.setup.addresses.logic import Pace


async def _run(interface: str, config: str, status: str, speed: str) -> None:
    share, real = float(speed), Pace()
    pace = Pace(
        sends_s=tuple(each * share for each in real.sends_s),
        listen_s=real.listen_s * share,
        first_pause_s=real.first_pause_s * share,
        longest_pause_s=real.longest_pause_s * share,
        refused_pause_s=real.refused_pause_s * share,
        quiet_s=real.quiet_s * share / 10,
        short_leases_s=real.short_leases_s * share / 2,
    )
    serving = service.AddressService(interface, Path(config), Path(status), pace)
    task = asyncio.ensure_future(serving.run())
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    await asyncio.wait({task})


if __name__ == "__main__":
    log.setup("addresses")
    asyncio.run(_run(*sys.argv[1:]))
