"""The client for programs without asyncio. Its own thread runs the connection and the dead-man
while the program computes.
"""

import asyncio
import atexit
import ssl
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

from ..lib.api import Reply
from ..lib.api.routing import EStopInfo
from ..lib.errors import Code, SaintError
from .arm_stream import ArmStream
from .drive_stream import DriveStream
from .pose import ArmPose
from .robot import Robot

T = TypeVar("T")
S = TypeVar("S", bound=Reply)


class BlockingStream:
    """Drives without asyncio, as drive_stream.DriveStream does."""

    def __init__(self, robot: "BlockingRobot", stream: DriveStream) -> None:
        self._robot = robot
        self._stream = stream

    def set(self, **values: float) -> None:
        """Set the velocities for half a second."""
        self._robot.run(self._stream.set(**values))

    def hold(self, seconds: float, **values: float) -> None:
        """Set the velocities for a time and wait for its end."""
        self._robot.run(self._stream.hold(seconds, **values))


class BlockingArm:
    """Moves an arm without asyncio, as arm_stream.ArmStream does."""

    def __init__(self, robot: "BlockingRobot", stream: ArmStream) -> None:
        self._robot = robot
        self._stream = stream
        self.pose: ArmPose = stream.pose

    def set(self, places: Mapping[str, float]) -> dict[str, float]:
        """Move joints to these places; return them as limited."""
        return self._robot.run(self._stream.set(places))


class BlockingRobot:
    """A connection to a robot.

    with BlockingRobot("http://saint-server.local", token="...") as robot:
    """

    def __init__(
        self,
        url: str,
        *,
        token: str = "",
        name: str = "program",
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self.robot = Robot(url, token=token, name=name, tls=tls)  # for run()

    def __enter__(self) -> Self:
        self._thread.start()
        with ExitStack() as undoing:  # after any failure, also Ctrl-C
            undoing.callback(self._end)
            self.run(self.robot.__aenter__())
            undoing.pop_all()
        # Of a program that fails with the robot open: at its very end no thread runs any more, and
        # what waits for one would wait without limit.
        atexit.register(self._close)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def _close(self) -> None:
        atexit.unregister(self._close)
        if self._loop.is_closed():
            return
        try:
            self.run(self.robot.__aexit__(None, None, None))
            self.run(_cancelled())  # of blocks that the program left open
        finally:
            self._end()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of the asyncio robot: run(robot.robot.head.home()). Return its result.
        Raises SaintError when the robot is closed.
        """
        if self._loop.is_closed():
            work.close()
            text = "the connection to the robot is closed"
            raise SaintError(Code.DAEMON_UNREACHABLE, text, fix="Open it again.")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def request(
        self, group: str, action: str, params: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Request an action of /api/v1/. Raises the SaintError that the robot replies with."""
        return self.run(self.robot.request(group, action, params))

    def watch(self, state: type[S], rate_hz: float = 10.0) -> Iterator[S]:
        """Yield the newest state of a topic by its model."""
        states = self.robot.watch(state, rate_hz)
        try:
            while True:
                yield self.run(_next(states))
        finally:
            self._leave(_closed(states))

    @contextmanager
    def drive(self) -> Iterator[BlockingStream]:
        """Return a block that drives while the program renews the velocities; zero at its end."""
        stream = self.robot.base.drive()
        self.run(stream.__aenter__())
        try:
            yield BlockingStream(self, stream)
        finally:
            self._leave(stream.__aexit__(None, None, None))

    @contextmanager
    def pose(self, target: str) -> Iterator[ArmPose]:
        """Return a block in which it is known where an arm or a leader arm is."""
        pose = self.robot.pose(target)
        self.run(pose.__aenter__())
        try:
            yield pose
        finally:
            self._leave(pose.__aexit__(None, None, None))

    @contextmanager
    def arm(self, target: str, *, takes_over: bool = False) -> Iterator[BlockingArm]:
        """Return a block that moves an arm under its lock while the program renews the places."""
        stream = self.robot.arm(target, takes_over=takes_over)
        self.run(stream.__aenter__())
        try:
            yield BlockingArm(self, stream)
        finally:
            self._leave(stream.__aexit__(None, None, None))

    def _leave(self, work: Coroutine[Any, Any, None]) -> None:
        """End what ended with the connection at the latest."""
        if self._loop.is_closed():
            work.close()
        else:
            self.run(work)

    def estop(self, reason: str = "") -> EStopInfo:
        """Set the e-stop: no source moves the robot until it is cleared."""
        return self.run(self.robot.estop(reason))


async def _cancelled() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _next(states: AsyncIterator[S]) -> S:
    return await anext(states)


async def _closed(states: AsyncIterator[S]) -> None:
    if close := getattr(states, "aclose", None):
        await close()
