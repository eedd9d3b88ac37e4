"""Publishes the router's status ten times a second while it changes or an input drives, and at
rest every KEEP_ALIVE_S. A robot of many outputs makes that long, so it is built in steps, a few
fields per turn of the loop: no stick waits for it. Not here: the content (report.py).
"""

import asyncio
import math

from ..lib.api.routing import UNKNOWN_AGE_MS
from ..lib.bus import Bus, cdr
from ..lib.clock import monotonic_s, stamp
from ..lib.generated import topics
from ..lib.generated.saint_msgs import FieldStatus, RouteStatus
from . import report
from .logic import Router

PERIOD_S = 0.1
# At rest. webd refuses motion when the router was silent for a second: two samples may be lost.
KEEP_ALIVE_S = 0.4
STEP = 8  # fields per turn
_AT_REST = ("idle", "estop")  # RouteStatus.state


class StatusPublisher:
    def __init__(self, bus: Bus, router: Router) -> None:
        self._router = router
        self._status = bus.publisher(topics.ROUTER_STATUS)
        self._sent: object = None  # content of the newest that was published
        self._sent_s = -math.inf

    async def work(self) -> None:
        """Look every PERIOD_S, until stopped."""
        while True:
            await asyncio.sleep(PERIOD_S)
            await self.look()

    async def look(self) -> None:
        """Publish the status if it has news, or is due."""
        now = monotonic_s()
        self._router.measure(now)
        message = await self._message(now)
        content = _content(message)
        is_due = now - self._sent_s > KEEP_ALIVE_S - PERIOD_S / 2
        if message.state in _AT_REST and content == self._sent and not is_due:
            return
        self._sent, self._sent_s = content, now
        buffer = bytearray()
        for _ in cdr.encode_into(buffer, message):
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


def _content(message: RouteStatus) -> object:
    """Return what is news when it changes: everything but the stamp and the ages."""
    latch = message.state, message.estop, message.estop_source, message.estop_reason
    fields = [_field_content(field) for field in message.fields]
    return latch, list(message.stop_switches), fields


def _field_content(field: FieldStatus) -> object:
    contenders = [
        (each.route, each.source, each.value, each.reason, each.age_ms == UNKNOWN_AGE_MS)
        for each in field.rivals
    ]
    # Not a number differs from itself: a position that was never commanded is no news.
    value = None if math.isnan(field.value) else field.value
    return (
        *(field.target, field.field, field.unit, value, field.winner, field.source),
        *(field.policy, field.clamped, contenders),
    )
