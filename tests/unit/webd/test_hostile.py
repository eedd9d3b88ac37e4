"""Clients that harm: none of them delays another, and each ends when its limit is reached."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

import pytest

from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import HeadState
from saint_services.webd.websocket import outbox, wire
from tests.unit.webd.mute import Mute
from tests.unit.webd.web_rig import Rig
from tests.unit.webd.websocket.test_frames import sent
from tests.waiting import every, turns, until

pytestmark = pytest.mark.slow

LATE_S = 2.0  # a reply takes about a millisecond; the rest is for a busy machine


async def counted(rig: Rig, line: str) -> None:
    """Wait until the metrics say so."""

    async def is_there() -> bool:
        return line + "\n" in await rig.counters()

    await until(is_there)


async def are_answered(rig: Rig, number: int) -> float:
    """The longest that a well-behaved client waits for an answer, in seconds."""
    chat = await rig.chat()
    longest_s = 0.0
    for _ in range(number):
        began_s = time.monotonic()
        await chat.do("tracks", "drive", linear=0.1)
        longest_s = max(longest_s, time.monotonic() - began_s)
    await chat.socket.close()
    return longest_s


@contextlib.asynccontextmanager
async def flood(rig: Rig) -> AsyncIterator[None]:
    """More states than anybody reads."""
    publisher = rig.domain.bus("head").publisher(topics.HEAD_STATE)

    async def publish() -> None:
        while True:
            for n in range(100):
                publisher.publish(HeadState(float(n)))
            await turns(1)

    publishing = asyncio.create_task(publish())
    yield
    publishing.cancel()


async def test_client_that_never_reads_is_cut_off_and_delays_nobody(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "STALLED_S", 0.3)
    mute = Mute(rig.address)
    await mute.say({"type": "subscribe", "topics": ["head"], "rate_hz": 0})
    async with flood(rig):
        assert await are_answered(rig, 100) < LATE_S
        await counted(rig, "saint_web_clients_too_slow_total 1")
    await counted(rig, "saint_web_clients 0")
    mute.socket.close()


async def test_client_that_reads_a_byte_at_a_time_is_cut_off(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "STALLED_S", 0.3)
    slow = Mute(rig.address)
    await slow.say({"type": "subscribe", "topics": ["head"], "rate_hz": 0})
    loop = asyncio.get_running_loop()

    async def sip() -> None:
        async for _ in every(0.05):
            if not await loop.sock_recv(slow.socket, 1):
                return

    sipping = asyncio.create_task(sip())
    async with flood(rig):
        assert await are_answered(rig, 100) < LATE_S
        await counted(rig, "saint_web_clients_too_slow_total 1")
    sipping.cancel()
    slow.socket.close()


async def test_client_that_answers_no_ping_is_gone(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "PING_S", 0.1)
    monkeypatch.setattr(wire, "PONG_LIMIT_S", 0.5)  # the other one must make it
    dead, alive = Mute(rig.address), await rig.chat()
    await counted(rig, "saint_web_clients 2")
    listening = asyncio.create_task(alive.socket.receive())  # aiohttp answers pings then
    await counted(rig, "saint_web_clients 1")
    assert "saint_web_clients_silent_total 1" in await rig.counters()
    assert (1013).to_bytes(2, "big") + b"no answer to a ping" in await dead.until_closed()
    listening.cancel()
    dead.socket.close()


async def test_two_hundred_that_come_and_vanish_leave_nothing(rig: Rig) -> None:
    watching = await rig.chat()
    await watching.subscribe("outputs")
    for _ in range(4):
        crowd = [Mute(rig.address) for _ in range(50)]
        for each in crowd[::2]:
            await each.say({"type": "subscribe", "topics": ["head", "inputs"], "rate_hz": 50})
        assert await are_answered(rig, 5) < LATE_S
        for each in crowd:
            each.vanish()
        await counted(rig, "saint_web_clients 1")
    before = await rig.counters()
    rig.domain.bus("head").publisher(topics.HEAD_STATE).publish(HeadState(1.0))
    assert await are_answered(rig, 20) < LATE_S
    name = "saint_web_states_encoded_total"
    assert [line for line in before.splitlines() if name in line] == [
        line for line in (await rig.counters()).splitlines() if name in line
    ]


HOSTILE = [
    (b"\x81\x05Hello", 1002, "frame"),  # not masked
    (sent(0x41, b"{}"), 1002, "frame"),
    (sent(5, b"{}"), 1002, "frame"),
    (sent(0, b"{}"), 1002, "frame"),
    (sent(9, b"x" * 126), 1002, "frame"),
    (sent(1, b"\xff\xfe"), 1007, "frame"),
    (sent(1, b"\xc3", final=False) + sent(0, b"("), 1007, "frame"),
    (sent(1, b"x" * 40_000, final=False) + sent(0, b"x" * 40_000), 1009, "too_large"),
    (b"\x81\xff\x7f" + b"\xff" * 7, 1009, "too_large"),
    (sent(8, b"\x00\x01"), 1002, "frame"),
]


@pytest.mark.parametrize(("data", "code", "reason"), HOSTILE)
async def test_hostile_frame_closes_its_connection_alone(
    rig: Rig, data: bytes, code: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "CLOSE_LIMIT_S", 0.1)  # nobody answers our goodbye
    other, hostile = await rig.chat(), Mute(rig.address)
    await hostile.send(data)
    async with asyncio.timeout(5):
        received = await hostile.until_closed()
    hostile.socket.close()
    assert b"\x88" in received and code.to_bytes(2, "big") in received
    assert f'refused_total{{reason="{reason}"}} 1' in await rig.counters()
    assert (await other.request({"type": "auth"}))["status"] == "ok"


async def test_deep_json_is_refused_and_the_connection_lives(rig: Rig) -> None:
    chat = await rig.chat()
    for text in ("[" * 60_000, '{"type":' * 8_000, '{"type": "input", "values": ' + "[" * 30_000):
        assert (await chat.send_text(text))["status"] == "error"
    assert (await chat.request({"type": "auth"}))["status"] == "ok"


async def test_flood_of_messages_lets_others_through(rig: Rig) -> None:
    loud = Mute(rig.address)
    burst = sent(1, b'{"type":"input","target":"tracks","values":{"linear":0.1}}') * 5000

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(loud.send(burst))
        assert await are_answered(rig, 50) < LATE_S
    loud.socket.close()


async def test_request_that_is_no_http_is_counted_and_leaves_no_stack_trace(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    host, _, port = rig.address.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET / HTTP/1.1\r\nHost: {rig.address}\r\nX-A: \0\r\n\r\n".encode())
    assert b" 400 Bad Request\r\n" in await reader.read(100)
    writer.close()
    await counted(rig, 'saint_web_refused_total{reason="http"} 1')
    assert caplog.records == []
