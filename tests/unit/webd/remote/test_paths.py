"""The two WebSocket paths that programs and other robots open here."""

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.unit.lib.remote.arena_examples import COMMAND, OTHERS
from tests.unit.webd.remote.net_rig import RemoteServer
from tests.waiting import until


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as made:
        yield made


async def message(chat: aiohttp.ClientWebSocketResponse, kind: str) -> dict[str, Any]:
    """Return the next message of a type."""
    while True:
        found: dict[str, Any] = await chat.receive_json(timeout=10)
        if found["type"] == kind:
            return found


@pytest.mark.parametrize("path", ["/ws/slave/follower", "/ws/master/parts.follower"])
async def test_arenas_own_command_moves_the_arm_by_either_path(
    first: RemoteServer, http: aiohttp.ClientSession, path: str
) -> None:
    chat = await http.ws_connect(f"http://{first.address}{path}")
    await chat.send_str(COMMAND)
    await message(chat, "command_ack")
    assert first.rig.sent == [
        ("websocket:remote:anyone", {"shoulder_pan": 45.0, "elbow_flex": -30.0})
    ]
    await chat.close()
    await until(lambda: not first.control.connected())
    await until(lambda: first.rig.requests[-1][0] == "release_control")


async def test_arenas_slave_driver_gets_what_it_waits_for(
    first: RemoteServer, http: aiohttp.ClientSession
) -> None:
    chat = await http.ws_connect(f"http://{first.address}/ws/slave/follower")
    await chat.send_str(OTHERS[0])
    await message(chat, "command_ack")
    first.rig.command(elbow_flex=12.5, gripper=0.5)
    await first.rig.settled()
    await chat.send_str(OTHERS[2])
    states = await message(chat, "joint_states")
    values = {each["name"]: each.get("virtual_value") for each in states["data"]["joints"]}
    assert values["Elbow"] == 12.5  # under the name that this side uses
    assert values["gripper"] == 50.0
    await chat.close()


@pytest.mark.parametrize("data", [b"\xff\xfe", b"{}", bytes(70_000)])
async def test_bytes_that_are_no_message_end_at_most_their_own_connection(
    first: RemoteServer, http: aiohttp.ClientSession, data: bytes
) -> None:
    quiet = await http.ws_connect(f"http://{first.address}/ws/master/follower")
    chat = await http.ws_connect(f"http://{first.address}/ws/slave/follower")
    await chat.send_bytes(data)
    found = await chat.receive(timeout=10)
    while found.type is aiohttp.WSMsgType.TEXT and json.loads(found.data)["type"] == "heartbeat":
        found = await chat.receive(timeout=10)
    assert found.type is aiohttp.WSMsgType.CLOSE or "binary" in found.data
    first.rig.command(elbow_flex=1.0)
    await message(quiet, "command")
    await quiet.close()
    await chat.close()


async def test_a_crowd_that_is_signed_in_leaves_the_next_one_no_place(
    first: RemoteServer, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saint_services.webd.remote.sockets.MOST_SOCKETS", 1)
    url = f"http://{first.address}/ws/slave/follower"
    chat = await http.ws_connect(url)
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await http.ws_connect(url)
    await chat.close()
