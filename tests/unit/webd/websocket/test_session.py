"""The WebSocket itself: bad input, sizes, subscriptions, tokens, slow clients."""

import asyncio
import contextlib
import time
from typing import Any

import pytest
from aiohttp import WSServerHandshakeError

from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import HeadState
from saint_services.webd.websocket import session as sessions
from tests.unit.webd.mute import Mute
from tests.unit.webd.web_rig import Rig
from tests.waiting import every, turns


async def test_both_paths_lead_to_the_same_handler(rig: Rig) -> None:
    for path in ("/api/ws", "/saint"):
        chat = await rig.chat(path)
        assert (await chat.request({"type": "auth"}))["data"]["robot"] == "SAINT-01"


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "\\ud800", "type": "\\ud800"}',
        "",
        "{",
        "[]",
        "NaN",
        '{"type": "x"}',
        "[" * 50_000,
        '{"type": "head"}',
        "\ud7ff",
    ],
)
async def test_bad_text_gets_an_error_reply_and_the_connection_lives(rig: Rig, text: str) -> None:
    chat = await rig.chat()
    reply = await chat.send_text(text)
    assert reply["status"] == "error" and reply["error"]["code"] == "request_invalid"
    assert (await chat.request({"type": "auth"}))["status"] == "ok"


async def test_binary_message_gets_an_error_reply(rig: Rig) -> None:
    chat = await rig.chat()
    await chat.socket.send_bytes(b"\x00\x01")
    assert "binary" in (await chat.reply())["error"]["message"]
    assert (await chat.request({"type": "auth"}))["status"] == "ok"


async def test_largest_message_is_answered(rig: Rig) -> None:
    chat = await rig.chat()
    assert (await chat.send_text(" " * (64 * 1024 - 2) + "{}"))["status"] == "error"
    assert not chat.socket.closed


@pytest.mark.parametrize("size", [64 * 1024 + 1, 10 * 1024 * 1024])
async def test_larger_message_closes_with_1009_and_nobody_else(rig: Rig, size: int) -> None:
    other, loud = await rig.chat(), Mute(rig.address)
    await loud.send(b"\x81\xff" + size.to_bytes(8, "big") + bytes(4) + b"x" * 1000)
    received = b""
    while not received.endswith(b"\x88\x02\x03\xf1") and b"\x03\xf1" not in received:
        received += await asyncio.wait_for(loud.receive(), 5)
    with contextlib.suppress(ConnectionError):  # what it sends on reaches nobody
        await asyncio.wait_for(loud.send(b"x" * size), 5)
    loud.socket.close()
    assert (await other.request({"type": "auth"}))["status"] == "ok"
    assert 'refused_total{reason="too_large"} 1' in await rig.counters()


async def test_refusals_are_counted_by_reason(rig: Rig) -> None:
    chat = await rig.chat()
    await chat.send_text("{")
    await chat.send_text('{"type": "x"}')
    text = await rig.counters()
    assert 'saint_web_refused_total{reason="malformed"} 1' in text
    assert 'saint_web_refused_total{reason="unknown_type"} 1' in text
    assert "saint_web_clients 1" in text
    assert "saint_web_messages_total 2" in text


async def test_state_reaches_a_subscriber(rig: Rig) -> None:
    publisher = rig.domain.bus("head").publisher(topics.HEAD_STATE)
    chat = await rig.chat()
    await chat.subscribe("head")
    publisher.publish(HeadState(44.8, -14.9, float("nan"), True))
    state = await chat.state("head")
    assert state["data"] == {"pan": 44.8, "tilt": -14.9, "roll": None, "camera_active": True}
    assert state["timestamp"] > 1_600_000_000


async def test_late_subscriber_gets_what_there_is(rig: Rig) -> None:
    first = await rig.chat()
    await first.subscribe("head")
    rig.domain.bus("head").publisher(topics.HEAD_STATE).publish(HeadState(1.0, 2.0, 3.0, False))
    assert (await first.state("head"))["data"]["pan"] == 1.0
    second = await rig.chat()
    await second.subscribe("head", rate_hz=1)
    assert (await second.state("head"))["data"]["pan"] == 1.0


async def test_unsubscribed_topic_is_silent(rig: Rig) -> None:
    publisher = rig.domain.bus("head").publisher(topics.HEAD_STATE)
    chat = await rig.chat()
    await chat.subscribe("head", "outputs")
    reply = await chat.request({"type": "unsubscribe", "topics": ["head"]})
    assert reply["data"]["topics"] == ["outputs"]
    publisher.publish(HeadState(1.0))
    with pytest.raises(TimeoutError):
        await chat.socket.receive(timeout=0.1)


async def test_unknown_topic_subscribes_nothing(rig: Rig) -> None:
    chat = await rig.chat()
    reply = await chat.request({"type": "subscribe", "topics": ["outputs", "hed"]})
    assert "did you mean 'head'?" in reply["error"]["message"]
    assert (await chat.request({"type": "unsubscribe", "topics": ["head"]}))["data"]["topics"] == []


async def test_rate_is_kept_and_the_newest_wins(rig: Rig) -> None:
    publisher = rig.domain.bus("head").publisher(topics.HEAD_STATE)
    chat = await rig.chat()
    await chat.subscribe("head", rate_hz=20)

    async def move() -> None:
        async for n in every(0.01, times=40):
            publisher.publish(HeadState(float(n)))

    began_s = time.monotonic()
    moving = asyncio.create_task(move())
    seen = [0.0]
    while seen[-1] != 39.0:
        seen.append((await chat.state("head"))["data"]["pan"])
    await moving
    assert len(seen) <= 20 * (time.monotonic() - began_s) + 3  # a busy computer takes longer
    assert seen == sorted(seen)


async def test_every_change_is_sent_without_a_rate(rig: Rig) -> None:
    publisher = rig.domain.bus("head").publisher(topics.HEAD_STATE)
    chat = await rig.chat()
    await chat.subscribe("head", rate_hz=0)
    for n in range(300):
        publisher.publish(HeadState(float(n)))
    seen = [(await chat.state("head"))["data"]["pan"] for _ in range(300)]
    assert seen == [float(n) for n in range(300)]


async def test_nodes_are_sent_and_a_dead_registry_is_said(rig: Rig) -> None:
    chat = await rig.chat()
    await chat.subscribe("nodes")
    state = (await chat.state("nodes"))["data"]
    assert len(state["nodes"]) == 6 and state["robot"] == "SAINT-01" and state["problem"] is None
    await rig.robot.stop("adoptiond")
    while (state := (await chat.state("nodes"))["data"])["problem"] is None:
        pass
    assert state["problem"]["code"] == "daemon_unreachable"
    assert len(state["nodes"]) == 6


async def test_system_speaks_though_the_robot_is_silent(rig: Rig) -> None:
    chat = await rig.chat()
    await chat.subscribe("system")
    for _ in range(3):
        data = (await chat.state("system"))["data"]
    assert data["estop"]["active"] is False
    assert data["router_age_ms"] is None


async def test_all_topics_have_a_state_in_motion(rig: Rig) -> None:
    names = ("nodes", "inputs", "outputs", "head", "arms", "tracks", "system", "log")
    playing = asyncio.create_task(rig.robot.play())
    try:
        chat = await rig.chat()
        await chat.subscribe(*names, rate_hz=50)
        states: dict[str, Any] = {}
        while len(states) < len(names):
            message = await chat.socket.receive_json(timeout=5)
            if message["type"] == "state":
                states[message["node"]] = message["data"]
    finally:
        playing.cancel()
    assert states["arms"]["left"]["gripper"]["force"] is None
    assert len(states["tracks"]["odom"]) == 5


async def test_same_client_id_gets_a_number(rig: Rig) -> None:
    first, second = await rig.chat(), await rig.chat()
    auth = {"type": "auth", "client_id": "controller_001"}
    assert (await first.request(auth))["data"]["client_id"] == "controller_001"
    assert (await second.request(auth))["data"]["client_id"] == "controller_001-2"
    assert (await first.request(auth))["data"]["client_id"] == "controller_001"


async def test_without_the_token_nothing_works(locked: Rig) -> None:
    chat = await locked.chat()
    assert (await chat.fail("system", "estop"))["code"] == "unauthorized"
    reply = await chat.request({"type": "subscribe", "topics": ["head"]})
    assert reply["error"]["code"] == "unauthorized"
    assert locked.robot.requests == []
    wrong = await chat.request({"type": "auth", "token": "wrong"})
    assert wrong["error"]["message"] == "the token is wrong"
    assert (await locked.http.get(locked.url + "/metrics")).status == 401


async def test_the_token_opens(locked: Rig) -> None:
    token = (locked.robot.runtime.parent / "state" / "token").read_text().strip()
    chat = await locked.chat()
    reply = await chat.request({"type": "auth", "token": token, "client_id": "desk"})
    assert reply["data"] == {
        "client_id": "desk",
        "robot": "SAINT-01",
        "token_required": True,
        "user": "first token",
        "level": "admin",
        "via": "token",
        "server_address": "127.0.0.1",
    }
    assert (await chat.do("system", "estop"))["estop"]["active"] is True
    bearer = {"Authorization": f"Bearer {token}"}
    assert (await locked.http.get(locked.url + "/metrics", headers=bearer)).status == 200


async def test_guessing_the_token_is_slowed_down(locked: Rig) -> None:
    chat = await locked.chat()
    replies = [await chat.request({"type": "auth", "token": f"guess {n}"}) for n in range(7)]
    assert "too many failed attempts" in replies[-1]["error"]["message"]


async def test_silent_client_without_token_is_closed(
    locked: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "AUTH_LIMIT_S", 0.1)
    chat = await locked.chat()
    assert (await chat.socket.receive(timeout=2)).data == 1008


async def test_pages_of_others_may_not_connect(rig: Rig) -> None:
    with pytest.raises(WSServerHandshakeError) as refused:
        await rig.chat(headers={"Origin": "http://evil.example"})
    assert refused.value.status == 403
    await rig.chat(headers={"Origin": f"http://{rig.address}"})


async def test_slow_client_gets_the_newest_state_and_harms_nobody(rig: Rig) -> None:
    publisher = rig.domain.bus("head").publisher(topics.HEAD_STATE)
    mute, other = Mute(rig.address), await rig.chat()
    await mute.say({"type": "subscribe", "topics": ["head"], "rate_hz": 0})
    await other.subscribe("head", rate_hz=0)
    await turns()
    for n in range(20_000):
        publisher.publish(HeadState(float(n)))
        if n % 100 == 0:
            await turns(1)
    while (await other.state("head"))["data"]["pan"] != 19_999.0:
        pass
    assert "saint_web_states_replaced_total" in await rig.counters()
    newest = None
    async with asyncio.timeout(5):
        while newest is None or b"19999.0" not in newest:
            newest = await mute.receive()
    mute.socket.close()


async def test_client_that_takes_no_replies_is_cut_off(rig: Rig) -> None:
    mute = Mute(rig.address)
    async with asyncio.timeout(10):
        with contextlib.suppress(ConnectionError):
            while "clients_too_slow_total 1" not in await rig.counters():
                for _ in range(50):
                    await mute.say({"type": "system", "action": "describe"})
        while "saint_web_clients 0" not in await rig.counters():
            pass
    mute.socket.close()
