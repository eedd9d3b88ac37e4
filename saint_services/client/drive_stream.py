"""Driving as a stream with a dead-man: velocities are repeated while the program renews them, and
the stream ends with zero. Not here: limits and arbitration (routerd).
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Self

from ..lib.errors import SaintError
from .connection import RobotConnection

REPEAT_S = 0.05  # the robot releases control 0.3 s after the last message
DEAD_MAN_S = 0.5  # how long a `set` holds


class DriveStream:
    """A stream of velocities: `async with robot.base.drive() as drive: await drive.set(linear=1)`

    It stops the robot with zero at the end of the block, by sending nothing DEAD_MAN_S after the
    last `set`, and by the robot's own time-out when the connection is lost. `set` raises an error
    that has occurred since the last one.
    """

    def __init__(
        self,
        connection: RobotConnection,
        target: str | Callable[[], Awaitable[str]],
        rest: Mapping[str, float],
    ) -> None:
        """`target`: its name, or how to find it when the stream begins."""
        self._connection = connection
        self._target = target if isinstance(target, str) else ""
        self._find = None if isinstance(target, str) else target
        self._rest = dict(rest)
        self._values = dict(rest)
        self._until_s = 0.0
        self._work: asyncio.Task[None] | None = None
        self._fault: SaintError | None = None

    async def __aenter__(self) -> Self:
        if self._find:
            self._target = await self._find()
        self._connection.refusal = None
        self._work = asyncio.create_task(self._repeat(), name=f"drive {self._target}")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._work:
            self._work.cancel()
        with contextlib.suppress(SaintError):  # an unreachable robot stops by its time-out
            await self._send(self._rest)

    async def set(self, **values: float) -> None:
        """Set the velocities; those not named are zero. Raises the robot's refusal."""
        if unknown := values.keys() - self._rest.keys():
            known = ", ".join(self._rest)
            raise TypeError(f"{self._target} has no {', '.join(sorted(unknown))}, only {known}")
        self._raise_fault()
        self._values = self._rest | values
        self._until_s = time.monotonic() + DEAD_MAN_S
        await self._send(self._values)

    async def hold(self, seconds: float, **values: float) -> None:
        """Set the velocities for a time and wait for its end."""
        end_s = time.monotonic() + seconds
        while (left_s := end_s - time.monotonic()) > 0:
            await self.set(**values)
            await asyncio.sleep(min(left_s, DEAD_MAN_S / 2))

    def _raise_fault(self) -> None:
        fault, self._fault = self._fault or self._connection.refusal, None
        self._connection.refusal = None
        if fault is not None:
            raise fault

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(REPEAT_S)
            if time.monotonic() >= self._until_s:
                continue  # the program has not renewed them: the robot times out
            try:
                await self._send(self._values)
            except SaintError as err:
                self._fault = err
                self._until_s = 0.0

    async def _send(self, values: Mapping[str, float]) -> None:
        stamp_ms = round(time.monotonic() * 1000, 3)
        message = {"type": "input", "target": self._target, "values": values, "time_ms": stamp_ms}
        await self._connection.send(message)
