"""The wagon as real processes, with a small board on its simulated bus: armed by a request, driven
by a page, stopped by the guard when role and router are killed together.
"""

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest

from saint_services.lib.api import wagon
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.errors import SaintError
from saint_services.lib.wagon.can_frames import WagonEstop
from saint_services.lib.wagon.meanings import WagonState
from tests.integration.robot import Robot, running_robot
from tests.unit.role_wagond.balance_board import BalanceBoard
from tests.waiting import every, until
from tools.sim.can_bus import SimCan

SAFE_S = 0.25


class LiveBoard:
    """A board in a thread, on the bus of a running node."""

    def __init__(self, directory: Path) -> None:
        self.board = BalanceBoard()
        self.stopped_s = 0.0  # when the first stop came
        self._bus = SimCan(directory, "can0")
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()

    def _live(self) -> None:
        ticks = 0
        while not self._end.wait(0.005):
            now_s = time.monotonic()
            for frame in self._bus.receive():
                self.board.received(frame, now_s)
                if isinstance(self.board.frames[-1], WagonEstop) and not self.stopped_s:
                    self.stopped_s = now_s
            if ticks % 4 == 0:
                self._bus.send(self.board.attitude(now_s))
            if ticks % 20 == 0:
                self._bus.send(self.board.power())
            ticks += 1

    def close(self) -> None:
        self._end.set()
        self._thread.join(5.0)
        self._bus.close()


@pytest.fixture
def robot() -> Iterator[Robot]:
    with running_robot("--robot", "saul_tee", "--no-machines") as running:
        yield running


@pytest.fixture
def live(robot: Robot) -> Iterator[LiveBoard]:
    found = LiveBoard(robot.hw("wagon"))
    yield found
    found.close()


@contextlib.asynccontextmanager
async def page(robot: Robot) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    async with aiohttp.ClientSession() as session, session.ws_connect(robot.saint_url) as socket:
        yield socket


async def drive(socket: aiohttp.ClientWebSocketResponse, seconds: float, linear: float) -> None:
    values = {"linear": linear, "angular": 0.0}
    async for _ in every(0.05, times=round(seconds / 0.05)):
        await socket.send_json({"type": "input", "target": "wagon", "values": values})


async def test_wagon_is_armed_driven_and_stopped_by_the_guard(
    robot: Robot, live: LiveBoard
) -> None:
    client, board = robot.client("routerd"), live.board

    async def reported() -> str:
        return (await client.request(wagon.GET_STATUS, Nothing())).state

    async with asyncio.timeout(20):
        while await reported() != "disarmed":
            await until(lambda: True)
    async with page(robot) as socket:
        await drive(socket, 1.0, 0.5)
        assert board.state is WagonState.DISARMED and board.speed == 0  # nothing arms by itself
        await drive(socket, 0.3, 0.0)
        board.is_stick_neutral = False
        await drive(socket, 0.3, 0.0)
        with pytest.raises(SaintError, match="stick"):
            await client.request(wagon.ARM, Nothing())
        board.is_stick_neutral = True
        await drive(socket, 0.3, 0.0)
        done = await client.request(wagon.ARM, Nothing())
        assert done.message == "the wagon is armed"
        await drive(socket, 2.0, 0.5)
        assert board.speed == 250, robot.diagnosis()
        killed_s = time.monotonic()
        robot.kill("role-wagond", "wagon")
        robot.kill("routerd")
        async with asyncio.timeout(10):
            await until(lambda: bool(live.stopped_s))
        assert live.stopped_s - killed_s <= SAFE_S
        assert board.state is WagonState.ESTOP
        await drive(socket, 5.0, 0.5)  # both come back meanwhile
        assert board.state is WagonState.ESTOP and board.speed == 0
