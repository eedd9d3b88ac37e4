"""The HTTP server: refused methods, malformed requests, bounds of connections."""

import asyncio
import contextlib

import pytest

from saint_services.otad.config import Config
from tests.unit.otad.adapters.upload_rig import raw
from tests.unit.otad.ota_rig import Robot


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
async def test_methods_other_than_reading_are_refused(robot: Robot, method: str):
    async with robot.otad() as ota:
        request = f"{method} /firmware/manifest.json HTTP/1.1\r\nHost: x\r\n\r\n"
        answer = await raw(ota, request.encode())
    assert b" 405 " in answer


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET /firmware/manifest.json HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)) + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ],
)
async def test_nonsense_is_refused_and_harmless(robot: Robot, request_bytes: bytes):
    async with robot.otad() as ota:
        answer = await raw(ota, request_bytes)
        assert b" 400 " in answer
        good = await raw(ota, b"GET /firmware/manifest.json HTTP/1.1\r\nHost: x\r\n\r\n")
    assert b" 200 " in good


async def test_connections_beyond_the_bound_are_turned_away(robot: Robot):
    async with robot.otad(Config(reserve_bytes=0, max_downloads=3)) as ota:
        open_ones = [await asyncio.open_connection("127.0.0.1", ota.port) for _ in range(3)]
        for reader, writer in open_ones:
            writer.write(b"GET /firmware/manifest.json HTTP/1.1\r\nHost: x\r\n\r\n")
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"GET")  # a request on its way
        answer = await raw(ota, b"")
        for _, writer in open_ones:
            writer.close()
        assert ota.counters["connections_refused"] == 1
    assert b" 503 " in answer


async def test_idle_connection_makes_room_for_a_new_one(robot: Robot):
    async with robot.otad(Config(reserve_bytes=0, max_downloads=1)) as ota:
        reader, writer = await asyncio.open_connection("127.0.0.1", ota.port)
        writer.write(b"HEAD /firmware/manifest.json HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        answer = await raw(ota, b"GET /firmware/manifest.json HTTP/1.1\r\nHost: x\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            assert await reader.read(1) == b""
        writer.close()
        assert ota.counters["connections_ended_crowd"] == 1
    assert b" 200 " in answer


async def test_silent_connection_is_closed(robot: Robot, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("saint_services.lib.http_connections.REQUEST_LIMIT_S", 0.1)
    monkeypatch.setattr("saint_services.lib.http_connections.CHECK_INTERVAL_S", 0.05)
    async with robot.otad() as ota:
        reader, writer = await asyncio.open_connection("127.0.0.1", ota.port)
        assert await reader.read(1) == b""
        writer.close()
        assert ota.counters["connections_ended_idle"] == 1
