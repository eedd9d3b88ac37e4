"""Publishes the router's status ten times a second. A robot of many outputs makes that long, so it
is built in steps, a few fields per turn of the loop: no stick waits for it. Not here: the content
(report.py).
"""

import asyncio

from ..lib.bus import Bus, cdr
from ..lib.clock import monotonic_s, stamp
from ..lib.generated import topics
from ..lib.generated.saint_msgs import RouteStatus
from . import report
from .logic import Router

PERIOD_S = 0.1
STEP = 8  # fields per turn


class StatusPublisher:
    def __init__(self, bus: Bus, router: Router) -> None:
        self._router = router
        self._status = bus.publisher(topics.ROUTER_STATUS)

    async def work(self) -> None:
        """Publish every PERIOD_S, until stopped."""
        while True:
            await asyncio.sleep(PERIOD_S)
            now = monotonic_s()
            self._router.measure(now)
            buffer = bytearray()
            for _ in cdr.encode_into(buffer, await self._message(now)):
                await asyncio.sleep(0)
            self._status.send(bytes(buffer))

    async def _message(self, now: float) -> RouteStatus:
        router = self._router
        while True:
            latch, fields = router.latch, []
            for number, output in enumerate(router.outputs, start=1):
                fields.append(report.field_status(router, output, now))
                if number % STEP == 0:
                    await asyncio.sleep(0)
            if router.latch is latch:  # else the first fields are outdated
                message = report.message(router, now, fields)
                message.stamp = stamp()
                return message
