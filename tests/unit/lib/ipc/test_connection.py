"""The control plane's server with clients that are slow, numerous, greedy or not HTTP."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saint_services.lib import ipc
from saint_services.lib.api import Done, Reply, Request
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import connection as ipc_connection
from tests.waiting import every, turns, until

SHORT_S = 0.1


class Text(Request):
    text: str = ""


class Daemon:
    """Two plain replies, and a stream that never ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.api = ipc.Api()
        self.waiting = asyncio.Event()
        self.ended = asyncio.Event()
        self.api.get("/status", self.status)
        self.api.post("/size", self.size, Text)
        self.api.get("/wait", self.wait)
        self.api.get("/flood", self.flood_once)
        self.api.get("/items/all", self.all_items)
        self.api.get("/items/{name}", self.item)
        self.api.stream("GET", "/lines", self.lines)

    async def status(self, _: ipc.Call[None]) -> Done:
        return Done(message="well")

    async def size(self, call: ipc.Call[Text]) -> Done:
        return Done(message=str(len(call.body.text)))

    async def wait(self, _: ipc.Call[None]) -> Done:
        self.waiting.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()
        return Done()

    async def flood_once(self, _: ipc.Call[None]) -> Done:
        return Done(message="x" * 8_000_000)

    async def all_items(self, _: ipc.Call[None]) -> Done:
        return Done(message="all of them")

    async def item(self, call: ipc.Call[None]) -> Done:
        return Done(message=call.path["name"])

    async def lines(self, _: ipc.Call[None]) -> AsyncIterator[Reply]:
        try:
            while True:
                yield Done(message="x" * 10_000)
        finally:
            self.ended.set()


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Daemon]:
    """A served Daemon; fails if the loop's exception handler is called."""
    lost: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: lost.append(context))
    async with served(tmp_path / "testd.sock") as daemon:
        yield daemon
    assert lost == []


@contextlib.asynccontextmanager
async def served(path: Path) -> AsyncIterator[Daemon]:
    daemon = Daemon(path)
    bound = socket.socket(socket.AF_UNIX)
    bound.bind(str(path))
    bound.listen(200)
    bound.setblocking(False)
    server = await daemon.api.serve([bound])
    try:
        yield daemon
    finally:
        await server.close()


@pytest.mark.parametrize("count", range(6))
async def test_connection_of_the_moment_in_which_the_server_closes_is_closed(
    tmp_path: Path, count: int
) -> None:
    """The loop accepts a connection in one turn and hands it over in a later one."""
    with socket.socket(socket.AF_UNIX) as late:
        late.setblocking(False)
        async with served(tmp_path / "testd.sock"):
            late.connect(str(tmp_path / "testd.sock"))
            await turns(count)
        reading = asyncio.get_running_loop().sock_recv(late, 1)
        with contextlib.suppress(ConnectionResetError):
            assert await asyncio.wait_for(reading, 1.0) == b""


class Peer:
    """A client of the test that sends single bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, *requests: bytes) -> None:
        self.writer.write(b"".join(requests))

    async def head(self) -> bytes:
        async with asyncio.timeout(5):
            return await self.reader.readuntil(b"\r\n\r\n")

    async def answer(self) -> tuple[int, dict[str, Any]]:
        head = await self.head()
        lines = head.lower().split(b"\r\n")
        length = next(int(x.split(b":")[1]) for x in lines if x.startswith(b"content-length"))
        return int(head.split()[1]), json.loads(await self.reader.readexactly(length))

    async def is_closed(self, limit_s: float = 5.0) -> bool:
        """Whether the server closes the connection in time; reads what it still sends."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                with contextlib.suppress(ConnectionError):
                    while await self.reader.read(65536):
                        pass
                return True
        return False


@contextlib.asynccontextmanager
async def connected(path: Path) -> AsyncIterator[Peer]:
    reader, writer = await asyncio.open_unix_connection(str(path))
    try:
        yield Peer(reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def request(line: str, *headers: str, body: bytes = b"") -> bytes:
    lines = (f"{line} HTTP/1.1", "Host: x", *headers, "", "")
    return "\r\n".join(lines).encode() + body


async def test_connection_is_kept_for_further_requests(daemon: Daemon) -> None:
    async with connected(daemon.path) as peer:
        for _ in range(3):
            peer.send(request("GET /status"))
            assert await peer.answer() == (200, {"message": "well"})


async def test_requests_sent_ahead_are_answered_in_order(daemon: Daemon) -> None:
    async with connected(daemon.path) as peer:
        peer.send(request("GET /status"), request("GET /nowhere"), request("GET /status"))
        assert [(await peer.answer())[0] for _ in range(3)] == [200, 404, 200]


async def test_too_much_sent_ahead_ends_the_connection_and_its_handler(daemon: Daemon) -> None:
    async with connected(daemon.path) as peer:
        peer.send(request("GET /wait"))
        await daemon.waiting.wait()
        peer.send(b"x" * 200_000)
        assert await peer.is_closed()
        await daemon.ended.wait()


async def test_connection_ends_on_the_clients_request(daemon: Daemon) -> None:
    async with connected(daemon.path) as peer:
        peer.send(request("GET /status", "Connection: close"))
        assert (await peer.answer())[0] == 200
        assert await peer.is_closed()


async def test_http_1_0_is_answered_and_closed(daemon: Daemon) -> None:
    async with connected(daemon.path) as peer:
        peer.send(b"GET /status HTTP/1.0\r\n\r\n")
        assert (await peer.answer())[0] == 200
        assert await peer.is_closed()


async def test_body_in_chunks_is_put_together(daemon: Daemon) -> None:
    body = b'5\r\n{"tex\r\n7\r\nt":"ab"\r\n1\r\n}\r\n0\r\n\r\n'
    async with connected(daemon.path) as peer:
        peer.send(request("POST /size", "Transfer-Encoding: chunked", body=body))
        assert await peer.answer() == (200, {"message": "2"})


async def test_client_that_expects_100_continue_receives_it(daemon: Daemon) -> None:
    async with connected(daemon.path) as peer:
        peer.send(request("POST /size", "Content-Length: 2", "Expect: 100-continue"))
        assert (await peer.head()).startswith(b"HTTP/1.1 100")
        peer.send(b"{}")
        assert await peer.answer() == (200, {"message": "0"})


async def test_client_that_expects_100_continue_with_too_much_is_refused_at_once(
    daemon: Daemon,
) -> None:
    async with connected(daemon.path) as peer:
        peer.send(request("POST /size", "Content-Length: 1048577", "Expect: 100-continue"))
        assert (await peer.answer())[0] == 413


async def test_endless_chunks_are_refused(daemon: Daemon) -> None:
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    async with connected(daemon.path) as peer:
        peer.send(request("POST /size", "Transfer-Encoding: chunked", body=chunk * 20))
        status, reply = await peer.answer()
        assert (status, reply["message"]) == (413, "the body is longer than 1048576 bytes")
        assert await peer.is_closed()


async def test_head_is_refused_without_a_body(daemon: Daemon) -> None:
    async with connected(daemon.path) as peer:
        peer.send(request("HEAD /status"), request("GET /status"))
        assert (await peer.head()).startswith(b"HTTP/1.1 405")
        assert (await peer.answer())[0] == 200


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"garbage\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),  # TLS
        (b"\r\n\r\n", 400),
        (b"GET /status\r\n\r\n", 400),
        (b"GET /status HTTP/1.1\r\n\r\n", 400),  # no Host
        (b"GET /status HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
        (b"GET /status HTTP/1.1\r\nHost: x\r\n\0: y\r\n\r\n", 400),
        (request("POST /size", "Content-Length: -1"), 400),
        (request("POST /size", "Content-Length: 1", "Content-Length: 2"), 400),
        (request("POST /size", "Transfer-Encoding: gzip"), 501),
        (request("POST /size", "Transfer-Encoding: chunked", body=b"zz\r\n"), 400),
        (request("GET /status", "X: " + "y" * 20_000), 431),
        (request("GET /status", *["X: y"] * 5_000), 431),
        (request(f"GET /{'y' * 20_000}"), 431),
        (b"GET /status HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 40_000, 431),
        (request(f"GET /status?{'&'.join('a' * 200)}"), 400),
        (request("GET http://x/status"), 404),
        (request("OPTIONS *"), 404),
        (request("CONNECT x:80"), 404),
    ],
)
async def test_what_is_not_a_request_is_refused(daemon: Daemon, data: bytes, status: int) -> None:
    async with connected(daemon.path) as peer:
        peer.send(data)
        got, reply = await peer.answer()
        assert got == status
        assert reply["code"] in ("request_invalid", "not_found")
        if status != 404 and b"?" not in data:
            assert await peer.is_closed()
    assert daemon.api.counters[f"ipc_refused_{reply['code']}"] == 1


@pytest.mark.parametrize(
    ("target", "status", "message"),
    [
        ("/items/all", 200, "all of them"),
        ("/items/one", 200, "one"),
        ("/items/%C3%BC%20b", 200, "ü b"),
        ("/items/%FF", 200, "\N{REPLACEMENT CHARACTER}"),
        ("/items/", 404, "/items/ is not a path of this daemon"),
        ("/items/..%2Fsecret", 404, "/items/../secret is not a path of this daemon"),
        ("/items/../status", 404, "/items/../status is not a path of this daemon"),
        ("//status", 404, "//status is not a path of this daemon"),
    ],
)
async def test_path_finds_its_route(daemon: Daemon, target: str, status: int, message: str) -> None:
    async with connected(daemon.path) as peer:
        peer.send(request(f"GET {target}"))
        got, reply = await peer.answer()
    assert (got, reply["message"]) == (status, message)


@pytest.mark.parametrize(
    "part",
    [b"", b"GET", b"GET /status HTTP/1.1\r\nHost:", request("POST /size", "Content-Length: 9")],
)
async def test_request_that_does_not_arrive_is_given_up(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch, part: bytes
) -> None:
    monkeypatch.setattr(ipc_connection, "_ARRIVAL_LIMIT_S", SHORT_S)
    async with connected(daemon.path) as peer:
        peer.send(part)
        status, reply = await peer.answer()
        assert (status, reply["code"]) == (408, "too_slow")
        assert await peer.is_closed()


async def test_trickled_request_is_given_up(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ipc_connection, "_ARRIVAL_LIMIT_S", SHORT_S)
    async with connected(daemon.path) as peer:
        peer.send(request("GET /status"))  # the second request has its own time limit
        await peer.answer()

        async def trickle() -> None:
            peer.send(b"GET /status HTTP/1.1\r\n")
            async for _ in every(0.01):
                peer.send(b"A: b\r\n")

        trickling = asyncio.create_task(trickle())
        assert (await peer.answer())[0] == 408
        trickling.cancel()


async def test_idle_connection_is_closed(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ipc_connection, "_IDLE_LIMIT_S", SHORT_S)
    async with connected(daemon.path) as peer:
        peer.send(request("GET /status"))
        await peer.answer()
        assert await peer.is_closed()


@pytest.mark.parametrize("target", ["/lines", "/flood"])
async def test_client_that_does_not_read_is_dropped_and_counted(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setattr(ipc_connection, "_WRITE_LIMIT_S", SHORT_S)
    plain = socket.socket(socket.AF_UNIX)
    plain.setblocking(False)
    with contextlib.closing(plain):
        await asyncio.get_running_loop().sock_connect(plain, str(daemon.path))
        await asyncio.get_running_loop().sock_sendall(plain, request(f"GET {target}"))
        await until(lambda: daemon.api.counters["ipc_refused_too_slow"])
        if target == "/lines":
            await until(daemon.ended.is_set)


async def test_connections_beyond_the_limit_are_refused_and_those_before_served(
    daemon: Daemon,
) -> None:
    async with contextlib.AsyncExitStack() as stack:
        peers = [await stack.enter_async_context(connected(daemon.path)) for _ in range(64)]
        for peer in peers:
            peer.send(request("GET /status"))
            await peer.answer()
        async with ipc.Client(daemon.path) as client:
            with pytest.raises(SaintError, match="limit of 64 connections") as caught:
                await client.get("/status", Done)
        assert caught.value.code is Code.DAEMON_UNREACHABLE
        peers[5].send(request("GET /status"))
        assert (await peers[5].answer())[0] == 200
        peers[6].writer.close()
        assert await request_until_answered(daemon.path)


async def request_until_answered(path: Path) -> bool:
    async with ipc.Client(path) as client, asyncio.timeout(5):
        while True:
            with contextlib.suppress(SaintError):
                await client.get("/status", Done)
                return True


async def test_flood_of_connections_is_survived(daemon: Daemon) -> None:
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(190):
            await stack.enter_async_context(connected(daemon.path))
        assert daemon.api.counters["ipc_refused_daemon_unreachable"] >= 64
    assert await request_until_answered(daemon.path)


async def test_closing_ends_idle_and_half_sent_connections_at_once(tmp_path: Path) -> None:
    async with contextlib.AsyncExitStack() as stack:
        async with served(tmp_path / "s") as daemon:
            idle = await stack.enter_async_context(connected(daemon.path))
            half = await stack.enter_async_context(connected(daemon.path))
            half.send(b"GET /sta")
            busy = await stack.enter_async_context(connected(daemon.path))
            busy.send(request("GET /wait"))
            await daemon.waiting.wait()
            started_s = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - started_s < 0.5
        assert await idle.is_closed()
        assert await half.is_closed()
        status, reply = await busy.answer()
        assert (status, reply["message"]) == (503, "the daemon is stopping")


async def test_closed_client_ends_its_pending_request(daemon: Daemon) -> None:
    client = ipc.Client(daemon.path)
    pending = asyncio.ensure_future(client.get("/wait", Done))
    await daemon.waiting.wait()
    await client.close()
    with pytest.raises(SaintError) as caught:
        await pending
    assert caught.value.code is Code.DAEMON_UNREACHABLE
    await daemon.ended.wait()


async def test_client_refuses_an_endless_line(tmp_path: Path) -> None:
    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                writer.write(b"x" * 100_000)
                await writer.drain()
        writer.close()

    server = await asyncio.start_unix_server(endless, str(tmp_path / "s"))
    async with server, ipc.Client(tmp_path / "s") as client:
        with pytest.raises(SaintError, match="line of the reply is longer"):
            async for _ in client.stream("GET", "/x", None, Done):
                pass
        with pytest.raises(SaintError, match="the reply is longer"):
            await client.get("/x", Done)


@settings(max_examples=60, deadline=None)
@given(
    data=st.lists(
        st.binary(max_size=40)
        | st.sampled_from(
            [
                *(b"GET ", b"/status", b" HTTP/1.1", b"\r\n", b"\r\n\r\n", b"Host: x\r\n"),
                *(b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
                *(b"Expect: 100-continue\r\n", b"Upgrade: h2c\r\n", b"POST /size", b"{}"),
            ]
        ),
        max_size=12,
    ),
    is_half_closed=st.booleans(),
)
def test_random_pieces_of_http_leave_no_trace(
    tmp_path_factory: Any, data: list[bytes], is_half_closed: bool
) -> None:
    path = tmp_path_factory.mktemp("ipc") / "s"
    lost: list[dict[str, Any]] = []

    async def request_status() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: lost.append(context))
        async with served(path) as daemon:
            async with connected(path) as peer:
                for piece in data:
                    peer.send(piece)
                    await turns(1)
                if is_half_closed:
                    peer.writer.write_eof()
                    assert await peer.is_closed()
            async with ipc.Client(path) as client:
                await client.get("/status", Done)
            assert daemon.api.counters["ipc_faults"] == 0

    asyncio.run(request_status())
    assert lost == []
