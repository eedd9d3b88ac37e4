"""The specification's WebSocket API on port 9090, message by message, against the whole robot."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp
import pytest

from tests.integration.robot import Robot
from tests.integration.tracks import Tracks
from tests.waiting import every, stays, until
from tools.sim.observe import PinWatch

PAN = 12  # manifests/roles/head.yaml: 500 to 2500 us for -180 to 180 degrees
SAFE_S = 0.25


class Controller:
    """A controller application, as a user would write it."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, robot: Robot) -> None:
        self._socket = socket
        self._robot = robot
        self._number = 0
        self._last: dict[str, Any] = {}

    async def request(self, **message: Any) -> dict[str, Any]:
        """Send a message and return its response."""
        self._number += 1
        number = str(self._number)
        await self._socket.send_json({"id": number, **message})
        return await self.receive(lambda m: m.get("id") == number)

    async def command(self, target: str, action: str, **params: Any) -> dict[str, Any]:
        """A robot control command."""
        return await self.request(type="command", target=target, action=action, params=params)

    async def receive(self, is_it: Any) -> dict[str, Any]:
        """The next message that is the one wanted."""
        async with asyncio.timeout(10.0):
            while True:
                self._last = message = json.loads(await self._socket.receive_str())
                if is_it(message):
                    return message

    def explain(self) -> str:
        """What was received last, and what the robot has logged."""
        return f"{self._last}\n{self._robot.diagnosis()}"


@pytest.fixture
async def controller(robot: Robot) -> AsyncIterator[Controller]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(robot.saint_url) as socket,
    ):
        yield Controller(socket, robot)


@pytest.fixture
def tracks(robot: Robot) -> Iterator[Tracks]:
    watch = Tracks(robot)
    yield watch
    watch.close()


@pytest.fixture
def head(robot: Robot) -> Iterator[PinWatch]:
    watch = PinWatch(robot.hw("head"))
    yield watch
    watch.close()


async def test_auth_is_answered(controller: Controller) -> None:
    reply = await controller.request(type="auth", token="", client_id="controller_001")
    assert reply["status"] == "ok"


async def test_head_move_turns_the_head_to_the_angle(
    controller: Controller, head: PinWatch
) -> None:
    reply = await controller.command("head", "move", pan=45.0, tilt=-15.0)
    assert (reply["type"], reply["status"]) == ("response", "ok")
    await until(lambda: head.read(PAN).value == pytest.approx(1750, abs=5))


async def test_long_move_is_finished_although_it_was_requested_once(
    controller: Controller, head: PinWatch
) -> None:
    await controller.command("head", "move", pan=-170.0)
    await until(lambda: head.read(PAN).value == pytest.approx(1500 - 944.4, abs=5))
    await controller.command("head", "move", pan=170.0)  # 0.94 s at 360 degrees per second
    await until(lambda: head.read(PAN).value == pytest.approx(1500 + 944.4, abs=5))
    await controller.command("head", "home")
    await until(lambda: head.read(PAN).value == pytest.approx(1500, abs=5))


async def test_speed_of_a_move_is_a_share_of_the_joint_s(
    controller: Controller, head: PinWatch
) -> None:
    await controller.command("head", "home")
    await until(lambda: head.read(PAN).value == pytest.approx(1500, abs=5))
    began_s = time.monotonic()
    await controller.command("head", "move", pan=90.0, speed=0.25)  # of 360 degrees per second
    await until(lambda: head.read(PAN).value == pytest.approx(2000, abs=5))
    assert 0.9 < time.monotonic() - began_s < 3.0
    began_s = time.monotonic()
    await controller.command("head", "move", pan=0.0)
    await until(lambda: head.read(PAN).value == pytest.approx(1500, abs=5))
    assert time.monotonic() - began_s < 0.9


@pytest.mark.timed
async def test_input_drives_while_it_is_streamed(controller: Controller, tracks: Tracks) -> None:
    values = {"linear": 0.8, "angular": 0.0}
    async for _ in every(0.02, until=tracks.is_driving, explain=controller.explain):
        await controller.request(type="input", target="tracks", values=values)
    assert tracks.seconds_until_stopped(1.0) < 0.3 + SAFE_S


async def test_subscribed_state_follows_in_the_specified_form(controller: Controller) -> None:
    await controller.command("head", "move", pan=20.0)
    assert (await controller.request(type="subscribe", topics=["head"], rate_hz=10))[
        "status"
    ] == "ok"
    state = await controller.receive(
        lambda m: m.get("node") == "head" and abs(m["data"].get("pan", 0.0) - 20.0) < 0.5
    )
    assert state["type"] == "state"
    assert abs(state["timestamp"] - time.time()) < 5.0
    assert set(state["data"]) >= {"pan", "tilt", "roll", "camera_active"}
    assert (await controller.request(type="unsubscribe", topics=["head"]))["status"] == "ok"


@pytest.mark.timed
async def test_drive_moves_only_while_it_is_sent(controller: Controller, tracks: Tracks) -> None:
    async for _ in every(0.05, until=tracks.is_driving, explain=controller.explain):
        await controller.command("tracks", "drive", linear=0.8, angular=0.0)
    assert tracks.seconds_until_stopped(1.0) < 0.3 + SAFE_S  # source time-out, then the ramp


@pytest.mark.timed
async def test_stop_stops_at_once(controller: Controller, tracks: Tracks) -> None:
    async for _ in every(0.05, until=tracks.is_driving, explain=controller.explain):
        await controller.command("tracks", "drive", linear=0.8)
    await controller.command("tracks", "stop")
    assert tracks.seconds_until_stopped(1.0) < SAFE_S


@pytest.mark.timed
async def test_estop_stops_and_a_command_moves_nothing_until_it_is_cleared(
    controller: Controller, tracks: Tracks
) -> None:
    async for _ in every(0.05, until=tracks.is_driving, explain=controller.explain):
        await controller.command("tracks", "drive", linear=0.8)
    stopped = await controller.command("tracks", "estop", enable=True)
    assert stopped["status"] == "ok"
    assert tracks.seconds_until_stopped(1.0) < SAFE_S
    await controller.command("tracks", "drive", linear=0.8)
    # Long enough for it to have reached the motors.
    await stays(lambda: tracks.duties() == (0.0, 0.0), 0.3)
    async with asyncio.timeout(5.0):
        cleared: dict[str, Any] = {}
        seen = stopped["data"]["estop"]["generation"]
        while cleared.get("status") != "ok":  # until the stick is seen in neutral
            await controller.command("tracks", "drive", linear=0.0, angular=0.0)
            cleared = await controller.command("tracks", "estop", enable=False, generation=seen)
    assert tracks.duties() == (0.0, 0.0)


@pytest.mark.parametrize(
    ("group", "action", "key"),
    [
        ("management", "list_unadopted", "nodes"),
        ("management", "list_adopted", "nodes"),
        ("router", "list_routes", "routes"),
        ("router", "list_livelink_sources", "sources"),
        ("rc", "get_status", "channels"),
    ],
)
async def test_queries_are_answered_in_both_shapes(
    controller: Controller, group: str, action: str, key: str
) -> None:
    direct = await controller.request(type=group, action=action, params={})
    assert direct["status"] == "ok"
    assert key in direct["data"]
    as_command = await controller.command(group, action)
    assert set(as_command["data"]) == set(direct["data"])


async def test_position_requested_during_a_stop_is_refused_and_never_reached(
    controller: Controller, head: PinWatch
) -> None:
    """Not after the clear, and not when its route is switched off and on after that."""
    await controller.command("head", "move", pan=10.0)
    await until(lambda: head.read(PAN).value == pytest.approx(1500 + 55.6, abs=0.5))
    stopped = await controller.command("system", "estop", enable=True, reason="test")
    stood = head.read(PAN).value
    refused = await controller.command("head", "move", pan=40.0)
    assert refused["error"]["code"] == "estop_active"
    seen = stopped["data"]["estop"]["generation"]
    cleared = await controller.command("system", "estop", enable=False, generation=seen)
    assert cleared["status"] == "ok", cleared
    for enabled in (False, True):
        params = {"route_id": "websocket_direct", "enabled": enabled}
        reply = await controller.request(type="router", action="set_route_enabled", params=params)
        assert reply["status"] == "ok"
    places = set()
    async with asyncio.timeout(10.0):
        until_s = time.monotonic() + 1.0
        while time.monotonic() < until_s:
            places.add(head.read(PAN).value)
            await controller.request(type="system", action="status")
    assert places == {stood}
    await controller.command("head", "move", pan=-40.0)
    await until(lambda: head.read(PAN).value == pytest.approx(1500 - 222.2, abs=5))
