"""Driving an arm by the places of its joints, under its lock. The robot holds it 0.3 s after the
last `set`, however the program ends, and where the connection is lost. Not here: limits, speeds,
arbitration (routerd), where it is (pose.py).
"""

import asyncio
import contextlib
import math
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Final, Protocol, Self, TypeVar

from pydantic import BaseModel

from ..lib.api import masters
from ..lib.api.endpoint import Endpoint
from ..lib.api.webd import routes, system
from ..lib.errors import Code, SaintError
from ..lib.remote.joints import PERCENT
from .connection import RobotConnection
from .pose import ArmPose, Watch

P = TypeVar("P", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)

LOOK_S: Final = 0.5  # who has the arm
_LOOK_LIMIT_S: Final = 2.0


class RowCall(Protocol):
    """Requests the action of a row, as Robot.call does."""

    async def __call__(self, row: Endpoint[P, R], **params: Any) -> R: ...


class ArmStream:
    """A stream of places: `async with robot.arm("parts.follower") as arm: await arm.set(...)`.

    The arm begins softly, where it stands. `set` raises why an earlier one was refused: the robot
    is stopped, the connection is lost, or another source has taken the arm.
    """

    def __init__(
        self,
        call: RowCall,
        watch: Watch,
        connection: RobotConnection,
        target: str,
        *,
        takes_over: bool,
    ) -> None:
        self.pose = ArmPose(watch, target)
        self._call = call
        self._connection = connection
        self._target = target
        self._takes_over = takes_over
        self._limits: dict[str, tuple[float, float]] = {}
        self._fault: SaintError | None = None
        self._is_held = False
        self._work: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Take the arm's lock. Raises the robot's refusal while another source has it."""
        async with AsyncExitStack() as undoing:
            await undoing.enter_async_context(self.pose)
            fields = (await self._call(system.DESCRIBE)).targets.get(self._target, {})
            self._limits = {
                name: (field.limits[0], field.limits[1])
                for name, field in fields.items()
                if name in self.pose.joints and len(field.limits) == 2
            }
            if not self._limits:
                text = f"{self._target} cannot be driven: it has no joints with limits"
                raise SaintError(Code.NOT_FOUND, text)
            await self._take(takes_over=self._takes_over)
            undoing.pop_all()
        self._connection.refusal = None
        self._work = asyncio.create_task(self._watch_lock(), name=f"lock of {self._target}")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._work:
            self._work.cancel()
        await self.pose.__aexit__(None, None, None)
        with contextlib.suppress(SaintError):  # it ends by itself, or another source has it
            await self._call(routes.RELEASE_CONTROL, target=self._target)

    async def set(self, places: Mapping[str, float]) -> dict[str, float]:
        """Move joints to these places; return them as limited by the robot's own limits. Raises
        what has been refused since the last one.
        """
        self._raise_fault()
        inside = {joint: self._inside(joint, place) for joint, place in places.items()}
        if not self._is_held:  # it ended while nothing was sent
            await self._take(takes_over=False)
        values = {joint: self._inward(joint, place) for joint, place in inside.items()}
        stamp_ms = round(time.monotonic() * 1000, 3)
        message = {"type": "input", "target": self._target, "values": values, "time_ms": stamp_ms}
        await self._connection.send(message)
        return inside

    def _inside(self, joint: str, place: float) -> float:
        if joint not in self._limits:
            known = ", ".join(self._limits)
            raise SaintError(
                Code.REQUEST_INVALID, f"{self._target} has no joint {joint}, only {known}"
            )
        if not math.isfinite(place):
            raise SaintError(Code.REQUEST_INVALID, f"{joint} cannot be moved to {place}")
        low, high = (self._outward(joint, limit) for limit in self._limits[joint])
        return min(high, max(low, place))

    def _inward(self, joint: str, place: float) -> float:
        return place / PERCENT if self.pose.is_share(joint) else place

    def _outward(self, joint: str, value: float) -> float:
        return value * PERCENT if self.pose.is_share(joint) else value

    def _raise_fault(self) -> None:
        fault = self._fault or self._connection.refusal
        self._fault = self._connection.refusal = None
        if fault is not None:
            raise fault

    async def _take(self, *, takes_over: bool) -> None:
        await self._call(routes.TAKE_CONTROL, target=self._target, takeover=takes_over)
        self._is_held = True

    async def _watch_lock(self) -> None:
        """See twice a second who has the arm; a connection that is lost shows in `set`."""
        while True:
            await asyncio.sleep(LOOK_S)
            with contextlib.suppress(SaintError):
                async with asyncio.timeout(_LOOK_LIMIT_S):
                    self._judge(await self._call(masters.LIST_MASTERS))

    def _judge(self, found: masters.MasterList) -> None:
        own = f"websocket:{self._connection.client_id}"
        for each in found.masters:
            if each.target == self._target and each.holder != own:
                self._is_held = False
                if each.holder:
                    text = f"{each.holder} has taken {self._target}"
                    self._fault = SaintError(Code.CONFLICT, text, fix="Connect again, to take it.")
