"""From a press to safe pins: the robot drives, somebody stops it in one of four ways, the motor
pins tell when they were written last. Used by `python -m tools.bench.estop`.
"""

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import aiohttp

from saint_services.lib.api.routing import EStopInfo, EStopRequest
from saint_services.lib.bus.open import open_bus
from saint_services.lib.errors import SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.std_msgs import Bool
from saint_services.lib.hw.sim.observe import PinWatch
from tests.integration.robot import Robot, wait_for
from tests.integration.senders import stick
from tests.integration.tracks import LEFT_PWM, RIGHT_PWM
from tools.feed import pack_channels, unpack_channels

PERIOD_S = 0.01  # of the transmitter's frames
LIMIT_S = 10.0
STOP_SWITCH = 5  # channel 6 of the default routes
HIGH = 1811
SAINTCTL = Path(sys.executable).with_name("saintctl")

Press = Callable[[], Awaitable[None]]


def stop_frame() -> bytes:
    """The stick still forward, the e-stop switch up."""
    channels = unpack_channels(stick(forward=1.0))
    channels[STOP_SWITCH] = HIGH
    return pack_channels(channels)


class Course:
    """A robot that a transmitter drives, and the pins that tell."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._pins = PinWatch(robot.hw("tracks"))
        self._wire = robot.rc_wire()
        self._frame = stick()

    async def transmit(self) -> None:
        """Until it is cancelled."""
        while True:
            self._write()
            await asyncio.sleep(PERIOD_S)

    def show(self, frame: bytes) -> None:
        """From now on the transmitter sends this; the first one at once."""
        self._frame = frame
        self._write()

    def _write(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self._wire, self._frame)

    def duties(self) -> tuple[float, float]:
        return self._pins.read(LEFT_PWM).value, self._pins.read(RIGHT_PWM).value

    async def drive(self) -> None:
        """E-stop released, stick forward, motors on."""
        self.show(stick())
        body = EStopRequest(source="course", reason="")
        async with asyncio.timeout(LIMIT_S), self._robot.client("routerd") as routerd:
            while True:
                with contextlib.suppress(SaintError):
                    await routerd.post("/estop/clear", body, EStopInfo)
                    break
                await asyncio.sleep(PERIOD_S)
        await asyncio.to_thread(wait_for, self._is_driving, LIMIT_S)

    def _is_driving(self) -> bool:
        """The stick counts again when the router has seen it move: in the middle first, and on a
        busy computer perhaps once more.
        """
        self.show(stick())
        time.sleep(5 * PERIOD_S)
        self.show(stick(forward=1.0))
        deadline_s = time.monotonic() + 1.0
        while min(self.duties()) <= 0.1:
            if time.monotonic() > deadline_s:
                return False
            time.sleep(PERIOD_S)
        return True

    async def seconds_to_safe(self, press: Press) -> float:
        """From the press to the last write of a motor pin."""
        await self.drive()
        began_ns = time.monotonic_ns()
        await press()
        await asyncio.to_thread(wait_for, lambda: self.duties() == (0.0, 0.0), LIMIT_S)
        ended_ns = max(self._pins.read(pin).stamp_ns for pin in (LEFT_PWM, RIGHT_PWM))
        return (ended_ns - began_ns) * 1e-9

    def close(self) -> None:
        self._pins.close()
        os.close(self._wire)


@contextlib.asynccontextmanager
async def course(robot: Robot) -> AsyncIterator[tuple[Course, dict[str, Press]]]:
    """The robot under way, and four ways to stop it."""
    made = Course(robot)
    environment = dict(os.environ)
    os.environ.update(robot.environment)
    bus = await open_bus("estop_course")
    os.environ.clear()
    os.environ.update(environment)
    topic = bus.publisher(topics.TRACKS_ESTOP)
    transmitting = asyncio.create_task(made.transmit())
    try:
        async with aiohttp.ClientSession() as http, http.ws_connect(robot.saint_url) as web:

            async def page() -> None:
                await web.send_str('{"type":"system","action":"estop","params":{"enable":true}}')

            async def switch() -> None:
                made.show(stop_frame())

            async def terminal() -> None:
                command = (SAINTCTL, "--run", robot.run(), "estop", "set")
                quiet = asyncio.subprocess.DEVNULL
                process = await asyncio.create_subprocess_exec(*command, stdout=quiet)
                assert await process.wait() == 0

            async def ros() -> None:
                topic.publish(Bool(data=True))

            async def listen() -> None:
                async for _ in web:  # as pages do: who never reads answers no ping
                    pass

            listening = asyncio.create_task(listen())
            await _until_heard(robot, topic.publish)
            yield made, {"web": page, "RC switch": switch, "CLI": terminal, "ROS topic": ros}
            listening.cancel()
    finally:
        transmitting.cancel()
        await bus.close()
        made.close()


async def _until_heard(robot: Robot, publish: Callable[[Bool], None]) -> None:
    """A new participant is found after a moment; what it says before is lost."""
    async with asyncio.timeout(LIMIT_S), robot.client("routerd") as routerd:
        while True:
            publish(Bool(data=True))
            await asyncio.sleep(0.05)
            reply = await routerd.post("/estop", EStopRequest(source="x", reason=""), EStopInfo)
            if reply.source == "ros":
                return
            body = EStopRequest(source="course", reason="")
            with contextlib.suppress(SaintError):
                await routerd.post("/estop/clear", body, EStopInfo)
