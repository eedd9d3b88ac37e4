"""Registers a daemon at the router as a writer of inputs, so that its samples count as its own
class of source; inputs are published only while registered. Not here: the router's side
(routerd/inputs).
"""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Generic

from .. import log
from ..api.credentials import WriterName, WriterRequest
from ..api.routing import REGISTER_WRITER
from ..errors import SaintError
from ..health import Health
from ..ipc import Client
from . import Bus, M, Publisher, Topic

_FIRST_PAUSE_S = 0.05  # the longest that a restarted router waits for RC
_LONGEST_PAUSE_S = 2.0
_SILENCE_S = 3.0  # the router confirms once per second
REGISTRATIONS = "router_registrations"  # counter in GET /health


class InputPublisher(Generic[M]):
    """A publisher that drops samples until the daemon is registered. While registered, `publish` is
    the real publisher's method, so that a sample has no extra cost.

    The router ignores an unregistered writer, and another robot on the same bus could take its
    samples for those of a program. Inputs are levels and are repeated: whatever was dropped,
    including an active stop switch, is in the first sample after the registration. Until then the
    router treats the source as timed out.
    """

    def __init__(self, real: Publisher[M]) -> None:
        self._real = real
        self.is_registered = False
        self.publish: Callable[[M], None] = _drop
        self.send: Callable[[bytes], None] = _drop

    def switch(self, *, is_registered: bool) -> None:
        """Publish from now on, or drop."""
        self.is_registered = is_registered
        self.publish = self._real.publish if is_registered else _drop
        self.send = self._real.send if is_registered else _drop

    def close(self) -> None:
        self._real.close()


class InputWriter:
    """The registration of one daemon, and its publishers of inputs."""

    def __init__(self, daemon: WriterName, runtime: Path, bus: Bus, health: Health) -> None:
        self._daemon: WriterName = daemon
        self._runtime = runtime
        self._bus = bus
        self._health = health
        self._log = log.get(daemon)
        self._is_registered = False
        self.router_origin = ""  # the participant whose commands count; empty: not known
        self._switches: list[Callable[[bool], None]] = []

    def publisher(self, topic: Topic[M]) -> InputPublisher[M]:
        """Make a publisher that follows the registration."""
        made = InputPublisher(self._bus.publisher(topic))
        made.switch(is_registered=self._is_registered)
        self._switches.append(lambda is_registered: made.switch(is_registered=is_registered))
        return made

    async def stay_registered(self) -> None:
        """Keep the registration until cancelled; reconnect whenever the connection ends."""
        pause_s, is_logged = _FIRST_PAUSE_S, False
        while True:
            try:
                reason = await self._register()
            except SaintError as err:
                reason = err.message
            if self._is_registered:
                is_logged, pause_s = False, _FIRST_PAUSE_S
                self._switch(False)
            if not is_logged:
                self._log.warning("not registered at the router", reason=reason)
                is_logged = True
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    async def _register(self) -> str:
        """Register and wait until the connection ends; returns the reason. Raises SaintError."""
        request = WriterRequest(daemon=self._daemon, origin=self._bus.origin)
        replies = Client(self._runtime / "routerd.sock").follow(
            REGISTER_WRITER, request, silence_s=_SILENCE_S
        )
        async with contextlib.aclosing(replies):
            async for reply in replies:
                self.router_origin = reply.origin
                if not self._is_registered:
                    self._log.info("registered at the router")
                    self._health.counters[REGISTRATIONS] += 1
                    self._switch(True)
        return "the router closed the connection"

    def _switch(self, is_registered: bool) -> None:
        self._is_registered = is_registered
        if not is_registered:
            self.router_origin = ""
        for switch in self._switches:
            switch(is_registered)


def _drop(_: object) -> None:
    """Drop a sample: nothing is published while unregistered."""
