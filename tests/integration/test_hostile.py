"""Garbage on every socket and line: counted, answered or refused; nothing else notices."""

import asyncio
import contextlib
import json
import os
import random
import socket
from collections.abc import AsyncIterator, Iterator

import aiohttp
import pytest

from saint_services.lib.api import livelink
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.rc import RcStatus
from tests.integration.robot import Robot
from tests.integration.senders import received, stick, transmitter
from tests.integration.tracks import Tracks
from tests.waiting import block_until, every

SEED = 20261121


@pytest.fixture(scope="module")
def driven(robot: Robot) -> Iterator[Tracks]:
    """A user drives all the time; after a stop a stick counts once it has moved."""
    tracks = Tracks(robot)
    with transmitter(robot, [stick()]):
        asyncio.run(received(robot, "rc"))
    with transmitter(robot, [stick(forward=1.0)]):
        yield tracks
    tracks.close()


@pytest.fixture
def driving(robot: Robot, driven: Tracks) -> Iterator[Tracks]:
    """The robot drives before and after; then every process is the one that it was."""
    block_until(driven.is_driving, 8.0, robot.diagnosis)
    before = robot.pids()
    yield driven
    assert driven.is_driving()
    after = robot.pids()
    assert {name: after.get(name) for name in before} == before


@pytest.fixture
async def browser(robot: Robot) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{robot.http_url}/api/ws", max_msg_size=0) as connection,
    ):
        yield connection


async def test_garbage_datagrams_are_counted(robot: Robot, driving: Tracks) -> None:
    rng = random.Random(SEED)
    async with robot.client("livelinkd") as client:
        before = after = await client.request(livelink.LIST_SOURCES, Nothing())
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for _ in range(200):
                sender.sendto(rng.randbytes(rng.randrange(1, 1400)), robot.face_address)
        async with asyncio.timeout(5.0):
            while sum(after.refused.values()) - sum(before.refused.values()) < 200:
                after = await client.request(livelink.LIST_SOURCES, Nothing())
    assert sum(after.refused.values()) - sum(before.refused.values()) == 200
    known = {source.subject_name for source in before.sources}
    assert {source.subject_name for source in after.sources} <= known


async def test_garbage_between_frames_is_discarded(robot: Robot, driving: Tracks) -> None:
    rng = random.Random(SEED)
    wire = robot.rc_wire()
    async with robot.client("rcd") as client:
        before = await client.get("/status", RcStatus)
        async for _ in every(0.01, times=40):
            with contextlib.suppress(BlockingIOError):
                os.write(wire, rng.randbytes(30))
        after = await client.get("/status", RcStatus)
    os.close(wire)
    assert after.discarded_bytes > before.discarded_bytes
    assert after.frames > before.frames


@pytest.mark.parametrize("daemon", ["adoptiond", "routerd", "rcd", "livelinkd"])
def test_garbage_on_a_unix_socket_ends_that_connection_alone(
    robot: Robot, driving: Tracks, daemon: str
) -> None:
    rng = random.Random(SEED)
    for _ in range(10):
        with socket.socket(socket.AF_UNIX) as client, contextlib.suppress(OSError):
            client.settimeout(2.0)
            client.connect(str(robot.run() / f"{daemon}.sock"))
            client.sendall(rng.randbytes(2000))
            client.shutdown(socket.SHUT_WR)
            while client.recv(4096):
                pass


@pytest.mark.parametrize("port", ["http", "saint"])
def test_garbage_on_a_tcp_port_ends_that_connection_alone(
    robot: Robot, driving: Tracks, port: str
) -> None:
    rng = random.Random(SEED)
    for _ in range(10):
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", robot.report()["ports"][port]), 2.0) as client,
        ):
            client.sendall(rng.randbytes(2000) + b"\r\n\r\n")
            client.shutdown(socket.SHUT_WR)
            while client.recv(4096):
                pass


@pytest.mark.parametrize(
    "text",
    [
        "{", "[]", "null", '{"type": "dance"}', '{"id": "1"}', "[" * 5000,
        '{"type": "command", "target": "tracks", "action": "drive", "params": {"linear": NaN}}',
        '{"type": "command", "target": "tracks", "action": "drive", "params": {"linear": "x"}}',
        '{"type": "command", "target": "wings", "action": "flap", "params": {}}',
    ],
)  # fmt: skip
async def test_wrong_message_gets_an_error_reply(
    driving: Tracks, browser: aiohttp.ClientWebSocketResponse, text: str
) -> None:
    await browser.send_str(text)
    reply = await _reply(browser)
    assert reply["status"] == "error"
    assert reply["error"]["message"]
    await browser.send_str('{"id": "again", "type": "router", "action": "list_routes"}')
    assert (await _reply(browser))["status"] == "ok"


async def test_message_of_10_mb_closes_that_connection_alone(
    driving: Tracks, browser: aiohttp.ClientWebSocketResponse
) -> None:
    with contextlib.suppress(ConnectionError):
        await browser.send_str('{"type": "' + "x" * 10_000_000 + '"}')
    async with asyncio.timeout(5.0):
        while (message := await browser.receive()).type is aiohttp.WSMsgType.TEXT:
            pass
    assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)


async def _reply(browser: aiohttp.ClientWebSocketResponse) -> dict[str, object]:
    """The next response; what the robot publishes by itself is passed over."""
    while True:
        message = json.loads(await browser.receive_str(timeout=5.0))
        if message.get("type") == "response":
            found: dict[str, object] = message
            return found
