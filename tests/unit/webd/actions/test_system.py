"""The clients that are connected: who they are, and ending one of them."""

import aiohttp

from tests.unit.webd.web_rig import Rig


async def test_client_is_listed_with_what_it_does(rig: Rig):
    chat = await rig.chat()
    reported = (await chat.request({"type": "auth", "client_id": "desk"}))["data"]
    assert reported["server_address"] == "127.0.0.1"
    (client,) = (await chat.do("system", "list_clients"))["clients"]
    assert (client["client_id"], client["address"]) == ("desk", "127.0.0.1")
    assert client["messages_per_s"] == 0.0  # its first second is not over


async def test_disconnected_client_gets_the_reason(rig: Rig):
    other = await rig.chat()
    await other.request({"type": "auth", "client_id": "toy"})
    desk = await rig.chat()
    await desk.request({"type": "auth", "client_id": "desk"})
    done = await desk.do("system", "disconnect_client", client_id="toy")
    assert done["message"] == "toy was disconnected"
    end = await other.socket.receive(timeout=5)
    assert end.type is aiohttp.WSMsgType.CLOSE
    assert (end.data, end.extra) == (1008, "disconnected by desk")


async def test_nobody_is_disconnected_by_a_wrong_name(rig: Rig):
    chat = await rig.chat()
    problem = await chat.fail("system", "disconnect_client", client_id="toy")
    assert problem["code"] == "not_found" and "'toy'" in problem["message"]
