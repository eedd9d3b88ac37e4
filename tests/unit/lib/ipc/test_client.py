"""The client of the control plane: replies, streams, and daemons that fail or restart."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib import ipc
from saint_services.lib.api import Done
from saint_services.lib.errors import Code, SaintError
from tests.unit.lib.ipc.ipc_rig import (
    LIMIT_S,
    Adopt,
    Daemon,
    Tick,
    listening,
    served,
)
from tests.waiting import turns


async def test_handler_is_cancelled_when_its_client_gives_up(path: Path) -> None:
    async with served(path) as (daemon, client):
        with pytest.raises(SaintError, match=r"testd did not answer within 0\.05 s") as caught:
            await client.get("/slow", Done, timeout_s=0.05)
        assert caught.value.code is Code.DAEMON_UNREACHABLE
        async with asyncio.timeout(LIMIT_S / 2):
            await daemon.ended.wait()


async def test_missing_daemon_is_named(path: Path) -> None:
    async with ipc.Client(path) as client:
        with pytest.raises(SaintError, match="testd does not answer") as caught:
            await client.get("/status", Done)
        with pytest.raises(SaintError, match="testd does not answer"):
            async for _ in client.stream("POST", "/ticks", Adopt(role="a"), Tick):
                pass

    assert caught.value.code is Code.DAEMON_UNREACHABLE
    assert "journalctl -u saint-testd" in caught.value.fix


async def test_socket_without_a_reader_times_out(path: Path) -> None:
    with contextlib.closing(listening(path)):
        async with ipc.Client(path) as client:
            with pytest.raises(SaintError, match="did not answer within"):
                await client.get("/status", Done, timeout_s=0.1)
            with pytest.raises(SaintError, match="did not answer within"):
                async for _ in client.stream("GET", "/x", None, Done, first_s=0.1):
                    pass


async def test_client_finds_a_daemon_that_was_restarted(path: Path) -> None:
    async with ipc.Client(path) as client:
        for _ in range(3):
            async with served(path):
                await client.get("/status", Done)
            await asyncio.to_thread(path.unlink, missing_ok=True)


@pytest.mark.parametrize(
    "answer",
    [
        b"garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}",
        b"HTTP/1.1 500 X\r\nContent-Length: 1\r\n\r\n?",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 100_000,
        b"",
    ],
)
async def test_answer_of_something_else_is_an_error_not_a_crash(path: Path, answer: bytes) -> None:
    async def odd(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            writer.write(answer)
            await writer.drain()
        writer.close()

    server = await asyncio.start_unix_server(odd, str(path))
    async with server, ipc.Client(path) as client:
        for ask in (client.get("/x", Tick, timeout_s=2.0), first(client)):
            with pytest.raises(SaintError) as caught:
                await ask
            assert caught.value.code in (Code.DAEMON_UNREACHABLE, Code.MESSAGE_MALFORMED)


async def first(client: ipc.Client) -> None:
    async with contextlib.aclosing(client.stream("GET", "/x", None, Tick, silence_s=2.0)) as all_:
        async for _ in all_:
            return
    raise SaintError(Code.MESSAGE_MALFORMED, "an empty stream")


async def test_stream_yields_lines_and_ends(path: Path) -> None:
    async with served(path) as (daemon, client):
        stream = client.stream("POST", "/ticks", Adopt(role="a"), Tick)
        assert [tick.number async for tick in stream] == [1, 2]
        assert daemon.ended.is_set()
        assert [x async for x in client.stream("GET", "/nothing", None, Tick)] == []


@pytest.mark.parametrize(
    ("role", "code"), [("fails", Code.HARDWARE_FAULT), ("faults", Code.INTERNAL)]
)
async def test_stream_that_fails_ends_with_the_error(path: Path, role: str, code: Code) -> None:
    got: list[int] = []
    async with served(path) as (_, client):
        with pytest.raises(SaintError) as caught:
            async for tick in client.stream("POST", "/ticks", Adopt(role=role), Tick):
                got.append(tick.number)

    assert got == [1]
    assert caught.value.code is code


async def test_refused_stream_raises_at_the_first_line(path: Path) -> None:
    async with served(path) as (_, client):
        with pytest.raises(SaintError, match="taken") as caught:
            async for _ in client.stream("POST", "/ticks", Adopt(role="refused"), Tick):
                pass
    assert caught.value.code is Code.CONFLICT


async def test_leaving_a_stream_ends_its_handler_at_once(path: Path) -> None:
    async with served(path) as (daemon, client):
        stream = client.stream("POST", "/ticks", Adopt(role="forever"), Tick)
        async with contextlib.aclosing(stream):
            await anext(stream)
            await anext(stream)
            assert not daemon.ended.is_set()
        async with asyncio.timeout(0.1):
            await daemon.ended.wait()


async def test_silent_stream_counts_as_broken(path: Path) -> None:
    async with served(path) as (_, client):
        stream = client.stream("POST", "/ticks", Adopt(role="forever"), Tick, silence_s=0.1)
        with pytest.raises(SaintError, match="did not answer within") as caught:
            async for _ in stream:
                pass
    assert caught.value.code is Code.DAEMON_UNREACHABLE


async def test_stream_of_a_stopping_daemon_raises(path: Path) -> None:
    daemon = Daemon()
    server = await daemon.api.serve([listening(path)])
    async with ipc.Client(path) as client:
        stream = client.stream("POST", "/ticks", Adopt(role="forever"), Tick)
        await anext(stream)
        await anext(stream)
        async with asyncio.timeout(1.0):
            await server.close()
        assert daemon.ended.is_set()
        with pytest.raises(SaintError) as caught:
            await anext(stream)
    assert caught.value.code is Code.DAEMON_UNREACHABLE


async def test_closing_the_client_ends_its_streams(path: Path) -> None:
    async with served(path) as (daemon, client):
        stream = client.stream("POST", "/ticks", Adopt(role="forever"), Tick)
        await anext(stream)
        await anext(stream)
        waiting: asyncio.Task[Any] = asyncio.ensure_future(anext(stream))
        await turns(1)
        await client.close()
        async with asyncio.timeout(1.0):
            with pytest.raises(SaintError):
                await waiting
            await daemon.ended.wait()


def test_code_of_a_newer_version_is_kept_as_internal() -> None:
    error = ipc.ErrorReply(code="from_the_future", message="m").error()

    assert (error.code, error.message) == (Code.INTERNAL, "m")
