"""From a press to safe pins: the robot drives, a user stops it in one of four ways, the motor
pins show when they were written last, and a witness whether this computer had time for it. Used by
`python -m tools.bench.estop`.
"""

import asyncio
import contextlib
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import EStopRequest
from saint_services.lib.bus.open import open_bus
from saint_services.lib.errors import SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.std_msgs import Bool
from saint_services.lib.ipc import Client
from saint_services.saintctl import start
from saint_services.saintctl.estop.outcomes import EXIT_UNCONFIRMED
from tests.integration.clearing import clear_estop
from tests.integration.robot import Robot
from tests.integration.senders import stick
from tests.integration.tracks import LEFT_PWM, RIGHT_PWM
from tests.waiting import block_until, every, let_pass, stand_still
from tools.feed import pack_channels, unpack_channels
from tools.sim.observe import PinWatch

PERIOD_S = 0.01  # of the transmitter's frames
LIMIT_S = 10.0
ATTEMPT = 50  # periods
STOP_SWITCH = 5  # channel 6 of the default routes
HIGH = 1811
SAINTCTL = (sys.executable, "-IS", start.__file__)  # as /usr/bin/saintctl on a robot

Press = Callable[[], Awaitable[float]]  # how long a started program waited for a processor
LOOK_S = 0.001
CALM_S = 0.005  # so late a program may be woken on a computer that has time


@dataclass(frozen=True, slots=True)
class Stop:
    """One press; how long the program that pressed waited for a processor; how late the computer
    woke another process meanwhile.
    """

    seconds: float
    waited_s: float
    stall_s: float

    @property
    def is_calm(self) -> bool:
        return self.stall_s < CALM_S


class Witness:
    """Wants to be woken all the time, and notes by how much it was late."""

    def __init__(self) -> None:
        self.worst_s = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._ended.is_set():
            began_s = time.monotonic()
            stand_still(LOOK_S)
            self.worst_s = max(self.worst_s, time.monotonic() - began_s - LOOK_S)

    def close(self) -> None:
        self._ended.set()
        self._thread.join(2.0)


def stop_frame() -> bytes:
    """The stick still forward, the e-stop switch up."""
    channels = unpack_channels(stick(forward=1.0))
    channels[STOP_SWITCH] = HIGH
    return pack_channels(channels)


class Course:
    """A robot that a transmitter drives, and the pins that show it."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._pins = PinWatch(robot.hw("tracks"))
        self._wire = robot.rc_wire()
        self._witness = Witness()
        self._frame = stick()

    async def transmit(self) -> None:
        """Until it is cancelled."""
        async for _ in every(PERIOD_S):
            self._write()

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
        """E-stop cleared, stick forward, motors on."""
        async with self._robot.client("routerd") as routerd:
            try:
                async with asyncio.timeout(LIMIT_S):
                    while not await self._sets_off(routerd):
                        pass
            except TimeoutError:
                raise AssertionError(await self._standstill(routerd)) from None

    async def _sets_off(self, routerd: Client) -> bool:
        """One attempt. On a busy computer the stop before may have a late echo (frames with the
        switch up, the page's second way), which raises the e-stop again after it was cleared. And
        the stick counts only when the router has seen it move, so it begins in the middle.
        """
        await self._clear(routerd)
        self.show(stick(forward=1.0))
        async for _ in every(PERIOD_S, times=ATTEMPT):
            if min(self.duties()) > 0.1:
                return True
        return False

    async def _clear(self, routerd: Client) -> bool:
        self.show(stick())
        await let_pass(5 * PERIOD_S)  # some frames
        with contextlib.suppress(SaintError):  # the switch is still seen
            return not (await clear_estop(routerd)).active
        return False

    async def park(self) -> None:
        """E-stop cleared, stick in the middle: the robot as it was found."""
        async with asyncio.timeout(LIMIT_S), self._robot.client("routerd") as routerd:
            while not await self._clear(routerd):
                pass

    async def _standstill(self, routerd: Client) -> str:
        """Why the robot does not drive."""
        status = await routerd.request(routing.GET_STATUS, Nothing())
        field = next(each for each in status.outputs if each.target == "tracks")
        return f"not driving after {LIMIT_S:g} s: {status.estop}, {field}, {status.sources}"

    async def press_to_safe(self, press: Press) -> Stop:
        """From the press to the last write of a motor pin."""
        while True:
            await self.drive()
            self._witness.worst_s = 0.0
            began_ns = time.monotonic_ns()
            waited_s = await press()
            await asyncio.to_thread(block_until, lambda: self.duties() == (0.0, 0.0), LIMIT_S)
            ended_ns = max(self._pins.read(pin).stamp_ns for pin in (LEFT_PWM, RIGHT_PWM))
            if ended_ns > began_ns:  # else it was still the echo of the stop before
                return Stop((ended_ns - began_ns) * 1e-9, waited_s, self._witness.worst_s)

    def close(self) -> None:
        self._witness.close()
        self._pins.close()
        os.close(self._wire)


def run_program(*command: str) -> float:
    """Until it has ended well; how long it waited for a processor, which is not its own time."""
    nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=nowhere)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    _, waited_ns, _ = Path(f"/proc/{pid}/schedstat").read_text().split()
    _, status = os.waitpid(pid, 0)
    # 7: the stop is in force, but one role is not yet proven to be this server's.
    assert os.waitstatus_to_exitcode(status) in (0, EXIT_UNCONFIRMED), command
    return int(waited_ns) * 1e-9


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
    at_robot = ("--run", str(robot.run()))
    transmitting = asyncio.create_task(made.transmit())
    try:
        async with aiohttp.ClientSession() as http, http.ws_connect(robot.saint_url) as web:

            async def page() -> float:
                await web.send_str('{"type":"system","action":"estop","params":{"enable":true}}')
                return 0.0

            async def switch() -> float:
                made.show(stop_frame())
                return 0.0

            async def terminal() -> float:
                return await asyncio.to_thread(run_program, *SAINTCTL, *at_robot, "estop", "set")

            async def ros() -> float:
                topic.publish(Bool(data=True))
                return 0.0

            async def listen() -> None:
                async for _ in web:  # as pages do: who never reads answers no ping
                    pass

            listening = asyncio.create_task(listen())
            await _until_received(robot, topic.publish)
            yield made, {"web": page, "RC switch": switch, "CLI": terminal, "ROS topic": ros}
            await made.park()
            listening.cancel()
    finally:
        transmitting.cancel()
        await bus.close()
        made.close()


async def _until_received(robot: Robot, publish: Callable[[Bool], None]) -> None:
    """A new participant is found after a moment; what it says before is lost."""
    async with asyncio.timeout(LIMIT_S), robot.client("routerd") as routerd:
        async for _ in every(0.05):
            publish(Bool(data=True))
            reply = await routerd.request(routing.ESTOP, EStopRequest(source="x", reason=""))
            if any(each.source == "ros" for each in reply.presses):
                return
            with contextlib.suppress(SaintError):
                await clear_estop(routerd)
