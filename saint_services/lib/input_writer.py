"""Registers a daemon at the router as a writer of inputs, so that what it publishes counts as its
own class of source. Not here: what the router makes of it (routerd/writers.py).
"""

import asyncio
import contextlib
from pathlib import Path

from . import log
from .api.credentials import WriterName, WriterReply, WriterRequest
from .bus import Bus
from .errors import SaintError
from .ipc import Client

_FIRST_PAUSE_S = 0.05  # a router that restarts is without its RC until this has passed
_LONGEST_PAUSE_S = 2.0
_SILENCE_S = 3.0  # the router says something once a second


async def stay_registered(runtime: Path, daemon: WriterName, bus: Bus) -> None:
    """Keep the registration until cancelled; connect again whenever the connection ends."""
    logger, router = log.get(daemon), Client(runtime / "routerd.sock")
    pause_s, is_told = _FIRST_PAUSE_S, False
    while True:
        is_registered = False
        request = WriterRequest(daemon=daemon, origin=bus.origin)
        replies = router.stream(
            "POST", "/writers", request, WriterReply, first_s=_SILENCE_S, silence_s=_SILENCE_S
        )
        try:
            async with contextlib.aclosing(replies):
                async for _ in replies:
                    if not is_registered:
                        logger.info("registered at the router")
                    is_registered, is_told, pause_s = True, False, _FIRST_PAUSE_S
            reason = "the router has ended the connection"
        except SaintError as err:
            reason = err.message
        if not is_told:
            logger.warning("not registered at the router", reason=reason)
            is_told = True
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
