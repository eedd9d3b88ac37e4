"""Carries what the operator commands to the router: input samples, the lock of each target that the
operator drives, and stops. Not here: the right to drive (seats.py), what a message commands
(commands.py).
"""

import asyncio
import itertools
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from ..lib import log
from ..lib.api import routing
from ..lib.api.routing import EStopRequest, TakeControl
from ..lib.bus import Publisher
from ..lib.bus.input_writer import InputPublisher
from ..lib.clock import monotonic_s, stamp
from ..lib.errors import SaintError
from ..lib.generated.saint_msgs import InputSample
from ..lib.generated.std_msgs import Bool
from ..lib.ipc import Client

SOURCE = "websocket:teleop-"  # followed by the session's name
# The router ends the lock after this time without samples; motion ends earlier, by its time-out.
LOCK_MS = 1000
_LOCK_S = LOCK_MS / 1000
_LOCK_RETRY_S = 0.5
_STOP_LIMIT_S = 0.2  # then the stop goes over the bus as well
_STORED_LIMIT_S = 2.0

NO_ROUTER = "The router does not accept commands now."
_log = log.get("teleopd")
Spawn = Callable[[Coroutine[Any, Any, None], str], asyncio.Task[None]]


class RobotOutput:
    """The operator as an input of the router."""

    def __init__(
        self, samples: InputPublisher[InputSample], stop: Publisher[Bool], routerd: Client,
        spawn: Spawn,
    ) -> None:  # fmt: skip
        self._samples = samples
        self._stop = stop
        self._routerd = routerd
        self._spawn = spawn
        # Rises also over a restart: it starts at the wall clock.
        self._sequence = itertools.count(time.time_ns() // 1000)
        self._locked: dict[str, float] = {}  # until when the router holds the lock for us
        self._requested: dict[str, float] = {}
        self._refusal = ""  # why the newest lock was refused

    @property
    def problem(self) -> str:
        """Why commands do not count now; empty: they do."""
        return self._refusal if self._samples.is_registered else NO_ROUTER

    def send(self, session: str, values: Mapping[str, Mapping[str, float]]) -> None:
        """Publish the newest values of each target, and hold its lock."""
        for target, fields in values.items():
            self._publish(session, target, dict(fields))
            self._hold(session, target, monotonic_s())

    def end(self, session: str) -> None:
        """End what this session drives now, without waiting for the time-out."""
        self._publish(session, "", {}, is_lost=True)
        targets, self._locked, self._requested = tuple(self._locked), {}, {}
        self._refusal = ""
        for target in targets:
            self._spawn(self._release(session, target), "release")

    async def stop(self, session: str, who: str) -> None:
        """Stop the robot. Without a reply of the router in time, also over the bus."""
        press = EStopRequest(source=SOURCE + session, reason=f"the remote operator {who}")
        request = asyncio.ensure_future(
            self._routerd.request(routing.ESTOP, press, timeout_s=_STORED_LIMIT_S)
        )
        done, _ = await asyncio.wait([request], timeout=_STOP_LIMIT_S)
        if not done:
            self._stop.publish(Bool(data=True))
        try:
            await request
        except SaintError as err:
            self._stop.publish(Bool(data=True))
            _log.error("the router did not confirm the stop", reason=err.message)

    def _publish(
        self, session: str, target: str, values: dict[str, float], *, is_lost: bool = False
    ) -> None:
        sample = InputSample(
            stamp=stamp(),
            source=SOURCE + session,
            sequence=next(self._sequence),
            failsafe=is_lost,
            target=target,
            names=tuple(values),
            values=tuple(values.values()),
        )
        self._samples.publish(sample)

    def _hold(self, session: str, target: str, now_s: float) -> None:
        """Every sample renews the lock; it is requested when it must have ended."""
        if now_s < self._locked.get(target, 0.0):
            self._locked[target] = now_s + _LOCK_S
        elif now_s >= self._requested.get(target, 0.0):
            self._requested[target] = now_s + _LOCK_RETRY_S
            self._spawn(self._take(session, target), "lock")

    async def _take(self, session: str, target: str) -> None:
        wanted = TakeControl(target=target, holder=SOURCE + session, timeout_ms=LOCK_MS)
        try:
            await self._routerd.request(routing.TAKE_CONTROL, wanted, timeout_s=1.0)
        except SaintError as err:
            self._refusal = err.message
            return
        self._refusal = ""
        if target in self._requested:  # else it has ended meanwhile
            self._locked[target] = monotonic_s() + _LOCK_S
        else:
            await self._release(session, target)

    async def _release(self, session: str, target: str) -> None:
        given = routing.ReleaseControl(target=target, holder=SOURCE + session)
        try:
            await self._routerd.request(routing.RELEASE_CONTROL, given, timeout_s=1.0)
        except SaintError as err:  # it ends by itself
            _log.debug("the lock was not released", target=target, reason=err.message)
