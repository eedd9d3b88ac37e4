"""The paths of remote sides in a whole webd: sign-in, level, stops. The rest: test_paths.py."""

import json

import aiohttp
import pytest

from tests.unit.lib.remote.arena_examples import STATUS
from tests.unit.webd.remote.remote_rig import ArmRobot, command, message
from tests.waiting import turns, until


async def test_a_robot_on_the_path_of_masters_follows_this_one(arm: ArmRobot) -> None:
    chat = await arm.chat("/ws/master/follower")
    await turns()
    arm.command(elbow_flex=20.0)
    sent = await message(chat, "command")
    assert sent["data"]["joints"] == [{"name": "elbow_flex", "value": 20.0}]
    assert (sent["id"], sent["sequence"], sent["robot_id"]) == (1, 1, "follower")
    await chat.send_str(json.dumps({"type": "command_ack", "id": 1}))
    await chat.send_str(STATUS)
    await until(lambda: _has_state(arm, "following"))
    found = (await arm.act("link", "status"))["connected"][0]
    assert found["kind"] == "slave"
    assert found["delay_ms"] >= 0.0
    assert found["joints"] == {"shoulder_pan": 44.8, "elbow_flex": -29.9}
    await chat.close()


async def _has_state(arm: ArmRobot, state: str) -> bool:
    found = (await arm.act("link", "status"))["connected"]
    return any(each["state"] == state for each in found)


@pytest.mark.parametrize(
    "text",
    ["{", '{"type": "release"}', command(name="Nose")],
)  # fmt: skip
async def test_what_is_no_command_is_refused_and_disturbs_nobody(arm: ArmRobot, text: str) -> None:
    chat, quiet = await arm.chat("/ws/slave/follower"), await arm.chat("/ws/master/follower")
    await chat.send_str(text)
    assert (await message(chat, "error"))["message"]
    assert arm.moved() == []
    assert arm.presses() == []
    arm.command(elbow_flex=1.0)
    await message(quiet, "command")
    found = {
        each["name"]: each["refused"] for each in (await arm.act("link", "status"))["connected"]
    }
    assert sorted(found.values()) == [0, 1]
    await chat.close()
    await quiet.close()


async def test_a_stop_of_a_remote_side_stops_this_robot(arm: ArmRobot) -> None:
    chat = await arm.chat("/ws/slave/follower")
    await chat.send_str('{"type": "estop", "enable": false}')
    await until(lambda: arm.robot.latch.active)
    assert arm.presses() == ["websocket:remote:anyone"]
    await chat.close()


async def test_a_stop_here_reaches_the_remote_side(arm: ArmRobot) -> None:
    chat = await arm.chat("/ws/master/follower")
    await turns()
    arm.robot.set_estop(True, "rc", "switch B")
    found = await message(chat, "estop")
    assert found["reason"] == "switch B"
    assert found["id"]
    arm.command(elbow_flex=30.0)
    later = await arm.chat("/ws/master/follower")
    assert (await message(later, "estop"))["id"] == found["id"]
    await chat.close()
    await later.close()


async def test_without_a_token_nothing_is_accepted(locked: ArmRobot) -> None:
    chat = await locked.chat("/ws/slave/follower")
    await chat.send_str(command())
    assert (await message(chat, "error"))["code"] == "unauthorized"
    code = (locked.robot.runtime.parent / "state" / "token").read_text().strip()
    await chat.send_str(json.dumps({"type": "auth", "token": code}))
    await chat.send_str('{"type": "status_request"}')
    assert len((await message(chat, "joint_states"))["data"]["joints"]) == 6
    await chat.close()


async def test_a_viewer_commands_nothing(locked: ArmRobot) -> None:
    code = (locked.robot.runtime.parent / "state" / "token").read_text().strip()
    bearer = {"Authorization": f"Bearer {code}"}
    url = f"http://{locked.address}/api/v1/users/add_token"
    async with locked.http.post(
        url, json={"name": "eye", "role": "viewer"}, headers=bearer
    ) as reply:
        token = (await reply.json())["secret"]
    with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
        await locked.chat("/ws/slave/follower", headers={"Authorization": f"Bearer {token}"})
    assert caught.value.status == 403


async def test_an_unknown_robot_is_named(arm: ArmRobot) -> None:
    url = f"http://{arm.address}/ws/slave/nobody"
    async with arm.http.get(url, headers={"Upgrade": "websocket"}) as reply:
        assert reply.status == 404
        assert "parts.follower" in (await reply.text())
