"""A hostile client on the network, without a password: each attack is bounded, and beside it
the next request is answered.
"""

import asyncio
import gzip
import io
import json
import re
import socket
import tracemalloc
import zipfile
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from saint_services.lib import http_connections
from saint_services.webd.config import AuthSettings, Config
from saint_services.webd.server import bodies, connections
from saint_services.webd.websocket import wire
from tests.unit.webd.mute import Mute
from tests.unit.webd.raw_http import answer_to
from tests.unit.webd.web_rig import Rig
from tests.unit.webd.websocket.test_frames import sent
from tests.waiting import every, turns
from tests.web.fakes.robot import fake_robot

pytestmark = pytest.mark.slow

HEAD = b"GET /api/session HTTP/1.1\r\nHost: localhost\r\n"


async def connect(rig: Rig) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = rig.address.partition(":")
    return await asyncio.open_connection(host, int(port))


async def is_answered(rig: Rig) -> bool:
    return (await answer_to(rig.address, HEAD + b"\r\n")).status == 200


async def counted(rig: Rig, name: str) -> None:
    """Wait until the metrics count one."""
    query = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    wanted = f"saint_web_{name}_total 1".encode()
    async with asyncio.timeout(10):
        while wanted not in (await answer_to(rig.address, query)).body:
            pass


# Slow ones


async def test_request_that_comes_byte_by_byte_is_ended_with_a_reason(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_connections, "REQUEST_LIMIT_S", 0.3)
    monkeypatch.setattr(http_connections, "CHECK_INTERVAL_S", 0.05)
    reader, writer = await connect(rig)

    async def drip() -> None:
        request = HEAD + b"X-Slow: " + b"x" * 5000
        async for number in every(0.02, times=len(request)):
            writer.write(request[number : number + 1])

    dripping = asyncio.create_task(drip())
    async with asyncio.timeout(10):
        reported = await reader.read()
    dripping.cancel()
    head, _, body = reported.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ") and json.loads(body)["code"] == "too_slow"
    await counted(rig, "connections_ended_slow_request")
    writer.close()


async def test_connection_without_a_request_is_ended(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_connections, "REQUEST_LIMIT_S", 0.3)
    monkeypatch.setattr(http_connections, "CHECK_INTERVAL_S", 0.05)
    reader, writer = await connect(rig)
    async with asyncio.timeout(10):
        assert await reader.read() == b""
    writer.close()


async def test_websocket_is_not_taken_for_a_slow_request(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_connections, "REQUEST_LIMIT_S", 1.0)
    monkeypatch.setattr(http_connections, "CHECK_INTERVAL_S", 0.02)
    chat = await rig.chat()
    _, writer = await connect(rig)
    await counted(rig, "connections_ended_idle")  # so much time has passed
    assert (await chat.request({"type": "auth"}))["status"] == "ok"
    writer.close()


@pytest.mark.parametrize("path", ["/api/login", "/api/v1/head/move", "/api/backup"])
async def test_body_that_does_not_come_is_given_up(
    rig: Rig, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "WHOLE_LIMIT_S", 0.2)
    request = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{{"
    found = await answer_to(rig.address, request.encode(), 10)
    assert (found.status, json.loads(found.body)["code"]) == (408, "too_slow")


async def test_upload_that_stands_still_does_not_keep_the_next_one_out(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "STILL_LIMIT_S", 0.2)
    request = b"POST /api/firmware HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx"
    found = await answer_to(rig.address, request, 10)
    assert (found.status, json.loads(found.body)["code"]) == (408, "too_slow")
    found = await answer_to(rig.address, request, 10)
    assert json.loads(found.body)["code"] == "too_slow"  # and not: another one is uploaded


async def test_answer_that_nobody_takes_is_given_up(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_connections, "STALLED_S", 0.3)
    monkeypatch.setattr(http_connections, "CHECK_INTERVAL_S", 0.05)
    greedy = socket.socket()
    greedy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    host, _, port = rig.address.partition(":")
    greedy.connect((host, int(port)))
    query = f"GET /api/openapi.json HTTP/1.1\r\nHost: {rig.address}\r\n\r\n".encode()
    greedy.sendall(query * 100)
    await counted(rig, "connections_ended_stalled")
    greedy.close()
    assert await is_answered(rig)


# Many and large ones


async def test_crowd_of_silent_connections_keeps_nobody_out(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 10)
    chat = await rig.chat()
    crowd = [await connect(rig) for _ in range(120)]
    assert await is_answered(rig)
    assert (await chat.request({"type": "auth"}))["status"] == "ok"
    for _, writer in crowd:
        writer.close()


async def test_head_without_end_is_cut(rig: Rig) -> None:
    _, writer = await connect(rig)
    writer.write(HEAD)
    line = b"X: " + b"x" * 4000 + b"\r\n"
    with pytest.raises(ConnectionError):
        async with asyncio.timeout(20):
            for _ in range(2000):
                writer.write(line)
                await writer.drain()
                await turns(1)
    writer.close()
    assert await is_answered(rig)


async def test_requests_behind_one_that_waits_are_bounded(rig: Rig) -> None:
    _, writer = await connect(rig)
    writer.write(b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                 b"Connection: upgrade\r\nContent-Length: 9999999\r\n\r\n")  # fmt: skip
    with pytest.raises(ConnectionError):
        async with asyncio.timeout(20):
            for _ in range(2000):
                writer.write(bytes(4000))
                await writer.drain()
                await turns(1)
    writer.close()
    assert await is_answered(rig)


async def test_compressed_body_is_refused_and_not_decompressed(rig: Rig) -> None:
    bomb = gzip.compress(bytes(8 << 20))
    head = (
        f"POST /api/v1/head/move HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\n"
        f"Content-Length: {len(bomb)}\r\n\r\n"
    )
    found = await answer_to(rig.address, head.encode() + bomb)
    assert found.status == 400 and "compressed (gzip)" in json.loads(found.body)["message"]


def packed(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize(
    "files",
    [
        {"manifest.json": b" " * (64 << 20)},
        {"manifest.json": b"{}", **{f"rcd/x{n}.json": b"" for n in range(300)}},
        {"manifest.json": b"[" * 100_000},
    ],
    ids=["one that unpacks to 64 MiB", "300 files", "deep"],
)
async def test_backup_that_is_a_bomb_is_refused_with_little_memory(
    rig: Rig, files: dict[str, bytes]
) -> None:
    bomb = packed(files)
    tracemalloc.start()
    try:
        async with rig.http.post(rig.url + "/api/backup", data=bomb) as answer:
            reported = await answer.json()
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (answer.status, reported["code"]) == (400, "request_invalid") and reported["fix"]
    assert most_bytes < 16 << 20


class Greedy(asyncio.Transport):
    """A client that takes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.written_bytes = 0

    def write(self, data: Any) -> None:
        self.written_bytes += len(data)

    def get_write_buffer_size(self) -> int:
        return self.written_bytes

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def abort(self) -> None: ...


async def test_pings_of_a_client_that_reads_nothing_fill_no_memory() -> None:
    greedy = Greedy()
    line = wire.Wire(greedy, Counter(), lambda *_: None, 65_536)
    for _ in range(5000):
        line.feed_data(sent(9, b"x" * 125))
        await turns(1)
    assert greedy.written_bytes < 128 * 1024
    line.feed_eof()


# Names


async def test_request_without_a_host_queries_no_name_service(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[str] = []
    monkeypatch.setattr(socket, "getfqdn", lambda *_: requested.append("?") or "saint-server.local")
    found = await answer_to(rig.address, b"GET /api/session HTTP/1.0\r\n\r\n")
    assert (found.status, json.loads(found.body)["code"]) == (403, "forbidden")
    assert requested == []


async def test_two_hosts_are_none(rig: Rig) -> None:
    found = await answer_to(rig.address, HEAD + b"Host: evil.example\r\n\r\n")
    assert found.status in (400, 403)


@pytest.mark.parametrize("host", ["127.0.0.1:80; script-src *", "[::1]; img-src *", "x.local:80 x"])
async def test_host_does_not_reach_the_content_policy(rig: Rig, host: str) -> None:
    found = await answer_to(rig.address, f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    assert found.status == 403
    assert "*" not in found.headers["content-security-policy"]


# All places taken


@pytest.fixture
async def small(tmp_path: Path) -> AsyncIterator[Rig]:
    """Room for two clients, and nobody is let in without a token."""
    config = Config(auth=AuthSettings(required=True), max_clients=2)
    made = fake_robot(tmp_path, config=config)
    async with made as (robot, address, domain), aiohttp.ClientSession() as http:
        rig = Rig(robot, address, domain, http)
        yield rig
        await rig.close()


async def test_unknown_clients_in_all_places_make_room(small: Rig) -> None:
    token = (small.robot.runtime.parent / "state" / "token").read_text().strip()
    unknowns = [Mute(small.address) for _ in range(2)]
    for each in unknowns:
        assert b" 101 " in await each.receive()
    chat = await small.chat()
    assert (await chat.request({"type": "auth", "token": token}))["status"] == "ok"
    async with asyncio.timeout(5):
        assert (1013).to_bytes(2, "big") in await unknowns[0].until_closed()
    for each in unknowns:
        each.socket.close()


async def test_who_is_signed_in_makes_no_room(small: Rig) -> None:
    token = (small.robot.runtime.parent / "state" / "token").read_text().strip()
    chats = [await small.chat() for _ in range(2)]
    for chat in chats:
        assert (await chat.request({"type": "auth", "token": token}))["status"] == "ok"
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await small.chat()
    assert refused.value.status == 503
    assert (await chats[0].request({"type": "auth"}))["status"] == "ok"


# What a client says must not become ours


async def test_no_compression_is_agreed_on(rig: Rig) -> None:
    query = (
        b"GET /api/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    )
    found = await answer_to(rig.address, query)
    assert found.status == 101 and "sec-websocket-extensions" not in found.headers


async def test_what_clients_make_up_adds_no_counters(rig: Rig) -> None:
    chat = await rig.chat()

    async def ask_for(word: str) -> None:
        await chat.request({"type": word, "action": word})
        await chat.request({"type": "system", "action": word})
        await chat.request({"type": "subscribe", "topics": [word]})
        for path in (f"/api/v1/{word}/{word}", f"/api/v1/daemon/{word}/x", f"/{word}"):
            async with rig.http.post(rig.url + path, json={word: word}) as answer:
                assert answer.status in (404, 405)
        headers = {"Authorization": f"Bearer {word}", "Cookie": f"saint={word}"}
        async with rig.http.get(rig.url + "/api/session", headers=headers) as answer:
            assert answer.status == 200

    def families(text: str) -> list[str]:
        assert "word" not in text
        return [line.split()[0] for line in text.splitlines() if "refused_total" in line]

    await ask_for("first")
    before = families(await rig.counters())
    for n in range(20):
        await ask_for(f"word{n}")
    assert families(await rig.counters()) == before


@pytest.mark.parametrize("name", ['a"; filename="b', "../../etc", "Rö%0d%0aX: y", "..."])
async def test_name_of_a_download_is_made_of_letters_and_digits(rig: Rig, name: str) -> None:
    await (await rig.chat()).do("settings", "set_name", name=name)
    for path in ("/api/backup", "/api/diagnostics"):
        async with rig.http.get(rig.url + path) as answer:
            reported = answer.headers["Content-Disposition"]
            assert re.fullmatch(r'attachment; filename="[A-Za-z0-9-]+\.zip"', reported)
