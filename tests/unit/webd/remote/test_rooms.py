"""RobotHub's rooms over HTTP and their WebSocket. Their rules: test_room_rules.py."""

import json
from typing import Any

import aiohttp
import pytest

from tests.unit.webd.remote.net_rig import RemoteServer
from tests.waiting import until

ROOMS = "/robotics/workspaces/lab/rooms"


async def query(
    server: RemoteServer, method: str, path: str, status: int = 200, **body: Any
) -> Any:
    """Return the reply of a request."""
    url = f"http://{server.address}{ROOMS}{path}"
    async with aiohttp.ClientSession() as http, http.request(method, url, json=body) as reply:
        assert reply.status == status, await reply.text()
        return await reply.json()


async def test_a_room_is_made_listed_and_deleted_over_http(first: RemoteServer) -> None:
    made = await query(first, "POST", "", room_id="bench")
    assert (made["success"], made["workspace_id"], made["room_id"]) == (True, "lab", "bench")
    listed = await query(first, "GET", "")
    assert [each["id"] for each in listed["rooms"]] == ["bench"]
    assert (await query(first, "GET", "/bench"))["room"]["has_producer"] is False
    assert (await query(first, "GET", "/bench/state"))["state"]["joints"] == {}
    assert (await query(first, "DELETE", "/bench"))["success"]
    await query(first, "GET", "/bench", 404)
    await query(first, "POST", "", 400, room_id="no such name")


async def test_a_producer_moves_a_target_and_stops_the_robot(first: RemoteServer) -> None:
    async with aiohttp.ClientSession() as http:
        chat = await http.ws_connect(f"http://{first.address}{ROOMS}/follower/ws")
        await chat.send_str(json.dumps({"participant_id": "p", "role": "producer"}))
        assert (await chat.receive_json(timeout=10))["type"] == "joined"
        data = [{"name": "Rotation", "value": 100}, {"name": "Jaw", "value": 25}]
        await chat.send_str(json.dumps({"type": "joint_update", "data": data}))
        await until(lambda: first.rig.sent)
        assert first.rig.sent[0][1] == pytest.approx({"shoulder_pan": 110.0, "gripper": 0.25})
        await query(first, "POST", "/follower/command", 409, joints=data)
        await chat.send_str('{"type": "emergency_stop", "reason": "hand"}')
        await until(lambda: first.rig.estop.active)
        await chat.close()


async def test_a_command_over_http_moves_a_target(first: RemoteServer) -> None:
    await query(first, "POST", "", room_id="follower")
    joints = [{"name": "elbow_flex", "value": 0.0}]
    reply = await query(first, "POST", "/follower/command", joints=joints)
    assert reply["joints_updated"] == joints
    await until(lambda: first.rig.sent)
    assert first.rig.sent[0][1] == pytest.approx({"elbow_flex": 0.0})


async def test_a_room_that_nobody_made_is_not_there(first: RemoteServer) -> None:
    async with aiohttp.ClientSession() as http:
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await http.ws_connect(f"http://{first.address}{ROOMS}/bench/ws")
    assert caught.value.status == 404
