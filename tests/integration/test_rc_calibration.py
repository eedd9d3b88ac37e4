"""The guided calibration from end to end: an operator with a transmitter that is wired wrongly, the
real rcd, and either a page's WebSocket or a terminal. Reversed, swapped and unplugged sticks are
found, nothing moves meanwhile, and what is saved counts at once and after a restart.
"""

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp
import pytest

from saint_services.lib.api.rc import RcChannelConfig, RcStatus
from tests.integration.robot import Robot
from tests.integration.senders import Player
from tests.integration.test_websocket import Controller
from tests.integration.tracks import Tracks
from tests.unit.rcd.rig import crsf
from tests.waiting import until

RATE_HZ = 100.0
NAMES = {1: "steering", 2: "throttle", 3: "pan", 4: "tilt"}
WIRES = {"steering": 1, "throttle": 3, "pan": 2, "arm": 5}  # the tilt's is torn
REVERSED = {"steering"}
LOW, HIGH, MIDDLE = 1000, 2000, 1500
FOUND = {(1, "reversed"), (2, "swapped"), (3, "swapped"), (4, "unplugged")}


class Hand:
    """Does what the texts ask for."""

    def __init__(self, robot: Robot) -> None:
        self._us: dict[str, int] = {}
        self._frames = 0
        self._wire = robot.rc_wire()
        self._player = Player(self._send, [b""], RATE_HZ)

    def move(self, **sticks: float) -> None:
        """1 is right or up, -1 left or down; the others rest."""
        self._us = {
            f"ch{WIRES[name]}": round(MIDDLE + 500 * (-way if name in REVERSED else way))
            for name, way in sticks.items()
            if name in WIRES
        }

    async def frames(self, count: int) -> None:
        """So many more are sent."""
        wanted = self._frames + count
        await until(lambda: self._frames >= wanted)

    async def obey(self, text: str) -> bool:
        """Do it; whether it could be done."""
        if text.startswith("Move every"):
            for name in WIRES:
                for way in (-1.0, 1.0):
                    self.move(**{name: way})
                    await self.frames(10)
        elif text.startswith("Move "):
            name = text.split()[1]
            self.move(**{name: 1.0})
            return name in WIRES
        self.move()
        await self.frames(0 if text.startswith("Release") else 40)
        return True

    def close(self) -> None:
        self._player.close()
        os.close(self._wire)

    def _send(self, _: bytes) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self._wire, crsf(**self._us))
        self._frames += 1


@pytest.fixture
def hand(robot: Robot) -> Iterator[Hand]:
    made = Hand(robot)
    yield made
    made.close()


@pytest.fixture
def tracks(robot: Robot) -> Iterator[Tracks]:
    made = Tracks(robot)
    yield made
    made.close()


@pytest.fixture
async def page(robot: Robot, hand: Hand) -> AsyncIterator[Controller]:
    """With the names set that the wizard shows; everything is forgotten afterwards."""
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(robot.saint_url) as socket,
    ):
        made = Controller(socket, robot)
        for number, name in NAMES.items():
            await _rc(made, "set_channel_config", channel=number, name=name)
        while (await _rc(made, "get_status"))["failsafe"]:
            await hand.frames(10)
        yield made
        await _rc(made, "reset")


async def _rc(page: Controller, action: str, **params: Any) -> dict[str, Any]:
    answer = await page.request(type="rc", action=action, params=params)
    assert answer["status"] == "ok", answer
    data: dict[str, Any] = answer["data"]
    return data


async def test_page_guides_through_a_calibration(
    robot: Robot, hand: Hand, page: Controller, tracks: Tracks
) -> None:
    info = await _rc(page, "calibration", step="start")
    async with asyncio.timeout(60):
        while info["step"] != "done":
            info = await _go_on(hand, page, info)
            assert tracks.duties() == (0.0, 0.0)  # the throttle was moved all the way
    assert {(each["channel"], each["kind"]) for each in info["findings"]} == FOUND
    assert {each["channel"] for each in info["proposal"]} == {1, 2, 3, 5}
    await _rc(page, "calibration", step="save")
    await _check_saved(robot, hand)


async def _go_on(hand: Hand, page: Controller, info: dict[str, Any]) -> dict[str, Any]:
    is_done = await hand.obey(info["text"])
    if info["step"] in ("center", "ends"):
        return await _rc(page, "calibration", step="next")
    if not is_done:
        return await _rc(page, "calibration", step="skip")
    while (now := await _rc(page, "get_calibration")) == info:
        await hand.frames(5)
    return now


async def test_terminal_guides_through_a_calibration(
    robot: Robot, hand: Hand, page: Controller
) -> None:
    command = (sys.executable, "-u", "-m", "saint_services.saintctl", "--run", str(robot.run()))
    process = await asyncio.create_subprocess_exec(
        *command, "rc", "calibrate", stdin=PIPE, stdout=PIPE
    )
    async with asyncio.timeout(60):
        said = [line async for line in _answered(process, hand)]
        assert await process.wait() == 0, said
    assert said[-1] == "Saved."
    for number, kind in FOUND:
        reported = [line.partition(" is on ")[0] for line in said if line.startswith(f"{kind}: ")]
        assert any(f"CH {number}" in line for line in reported), said
    await _check_saved(robot, hand)


async def _answered(process: Process, hand: Hand) -> AsyncIterator[str]:
    """Every line, once the operator has followed it."""
    assert process.stdin and process.stdout
    while line := (await process.stdout.readline()).decode().rstrip():
        is_done = await hand.obey(line) if line.startswith(("Centre", "Move", "Release")) else True
        if line.startswith(("Centre", "Move every")):
            process.stdin.write(b"\n")
        elif line.startswith("Move ") and not is_done:
            process.stdin.write(b"s\n")
        elif line.startswith("Save this"):
            process.stdin.write(b"y\n")
        yield line


async def _check_saved(robot: Robot, hand: Hand) -> None:
    """In force at once, and after a restart."""
    for _ in range(2):
        hand.move(steering=1.0)
        await hand.frames(40)
        async with robot.client("rcd") as rcd:
            one = await rcd.get("/channels/1", RcChannelConfig, timeout_s=10)
            assert (one.min, one.center, one.max, one.reversed) == (LOW, MIDDLE, HIGH, True)
            status = await rcd.get("/status", RcStatus)
            while status.failsafe:
                status = await rcd.get("/status", RcStatus)
            assert status.channels[0].normalized == 1.0
        hand.move()
        robot.kill("rcd")
