"""The control plane: a real server and a real client over a unix socket."""

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

LIMIT_S = 0.3


class Adopt(Request):
    role: str
    instance: str = ""
    share: float = 1.0


class Empty(Request):
    force: bool = False


class Tick(Reply):
    number: int


class Daemon:
    """Serves every request of the tests and records what happened."""

    def __init__(self) -> None:
        self.api = ipc.Api()
        self.ended = asyncio.Event()
        self.gate = asyncio.Event()
        api = self.api
        api.get("/status", self.status)
        api.get("/nodes/{node_id}", self.refuse)
        api.get("/fault", self.fault)
        api.get("/slow", self.slow, limit_s=LIMIT_S)
        api.post("/nodes/{node_id}/adopt", self.adopt, Adopt)
        api.put("/empty", self.empty, Empty)
        api.patch("/empty", self.empty, Empty)
        api.delete("/nodes/{node_id}", self.delete)
        api.stream("POST", "/ticks", self.ticks, Adopt)
        api.stream("GET", "/nothing", self.nothing)

    async def status(self, call: ipc.Call[None]) -> Done:
        return Done(message=",".join(f"{k}={v}" for k, v in sorted(call.query.items())))

    async def refuse(self, call: ipc.Call[None]) -> Done:
        raise SaintError(Code.NOT_FOUND, f"node {call.path['node_id']} is not known", fix="look")

    async def fault(self, _: ipc.Call[None]) -> Done:
        raise KeyError("inner secret")

    async def slow(self, _: ipc.Call[None]) -> Done:
        try:
            await asyncio.sleep(30)
        finally:
            self.ended.set()
        return Done()

    async def adopt(self, call: ipc.Call[Adopt]) -> Done:
        return Done(message=f"{call.path['node_id']} is {call.body.role}")

    async def empty(self, call: ipc.Call[Empty]) -> Done:
        return Done(message=str(call.body.force))

    async def delete(self, call: ipc.Call[None]) -> Done:
        return Done(message=call.path["node_id"])

    async def ticks(self, call: ipc.Call[Adopt]) -> AsyncIterator[Reply]:
        if call.body.role == "refused":
            raise SaintError(Code.CONFLICT, "taken")
        try:
            yield Tick(number=1)
            if call.body.role == "fails":
                raise SaintError(Code.HARDWARE_FAULT, "driver hot")
            if call.body.role == "faults":
                raise ZeroDivisionError("oops")
            yield Tick(number=2)
            if call.body.role == "forever":
                await asyncio.sleep(30)
        finally:
            self.ended.set()

    async def nothing(self, _: ipc.Call[None]) -> AsyncIterator[Reply]:
        for _ in ():
            yield Done()


@contextlib.asynccontextmanager
async def served(path: Path) -> AsyncIterator[tuple[Daemon, ipc.Client]]:
    daemon = Daemon()
    bound = listening(path)
    server = await daemon.api.serve([bound])
    try:
        async with ipc.Client(path) as client:
            yield daemon, client
    finally:
        await server.close()


def listening(path: Path) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX)
    bound.bind(str(path))
    bound.listen()
    bound.setblocking(False)
    return bound


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "testd.sock"


async def raw(path: Path, request: bytes) -> tuple[int, bytes]:
    """Send a request without our client; returns status and body."""
    reader, writer = await asyncio.open_unix_connection(str(path))
    try:
        writer.write(request)
        async with asyncio.timeout(5):
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            )
            return int(head.split()[1]), await reader.readexactly(length)
    finally:
        writer.close()
        await writer.wait_closed()


def request(method: str, target: str, body: bytes = b"") -> bytes:
    head = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def test_get_is_answered_with_its_query(path: Path) -> None:
    async with served(path) as (_, client):
        assert (await client.get("/status", Done)).message == ""
        answer = await client.get("/status", Done, query={"b": "2", "a": "x y&"})
        assert answer.message == "a=x y&,b=2"


async def test_every_method_carries_path_and_body(path: Path) -> None:
    async with served(path) as (_, client):
        adopted = await client.post("/nodes/pi_1/adopt", Adopt(role="head"), Done)
        assert adopted.message == "pi_1 is head"
        assert (await client.put("/empty", Empty(force=True), Done)).message == "True"
        assert (await client.patch("/empty", Empty(), Done)).message == "False"
        assert (await client.delete("/nodes/pi%201", Done)).message == "pi 1"


async def test_missing_body_counts_as_one_without_fields(path: Path) -> None:
    async with served(path) as (_, client):
        assert (await client.put("/empty", None, Done)).message == "False"
        with pytest.raises(SaintError, match="role is missing"):
            await client.post("/nodes/a/adopt", None, Done)


async def test_error_arrives_as_it_was_raised(path: Path) -> None:
    async with served(path) as (_, client):
        with pytest.raises(SaintError) as caught:
            await client.get("/nodes/pi_9", Done)

    error = caught.value
    assert (error.code, error.message, error.fix) == (
        Code.NOT_FOUND,
        "node pi_9 is not known",
        "look",
    )


@pytest.mark.parametrize(
    ("method", "target", "body", "status", "code", "message"),
    [
        ("GET", "/nodes/x", b"", 404, "not_found", "node x is not known"),
        ("GET", "/stauts", b"", 404, "not_found", "/stauts is not a path of this daemon"),
        (
            "PUT",
            "/status",
            b"",
            405,
            "request_invalid",
            "PUT is not supported at /status, only GET",
        ),
        ("POST", "/nodes/a/adopt", b"{", 400, "request_invalid", "the body is not JSON"),
        ("POST", "/nodes/a/adopt", b"\xff", 400, "request_invalid", "the body is not JSON"),
        (
            "POST",
            "/nodes/a/adopt",
            b"[]",
            400,
            "request_invalid",
            "the request must be a group of 'key: value' pairs, not an empty list",
        ),
        (
            "POST",
            "/nodes/a/adopt",
            b'{"role":"a","instanze":"l"}',
            400,
            "request_invalid",
            "instanze is not a known field; did you mean 'instance'?",
        ),
        (
            "POST",
            "/nodes/a/adopt",
            b'{"role":3}',
            400,
            "request_invalid",
            "role must be text, not 3",
        ),
        (
            "POST",
            "/nodes/a/adopt",
            b'{"role":"a","share":NaN}',
            400,
            "request_invalid",
            "share must be a finite number, not nan",
        ),
        ("POST", "/nodes/a/adopt", b"[" * 9999, 400, "request_invalid", "the body is not JSON"),
        (
            "PUT",
            "/empty",
            b" " * (ipc.LARGEST_BODY_BYTES + 1),
            413,
            "too_large",
            "the body is longer than 1048576 bytes",
        ),
        ("POST", "/ticks", b'{"role":"refused"}', 409, "conflict", "taken"),
        ("POST", "/ticks", b"{}", 400, "request_invalid", "role is missing"),
    ],
)
async def test_refusal_has_status_code_and_sentence(
    path: Path, method: str, target: str, body: bytes, status: int, code: str, message: str
) -> None:
    async with served(path):
        got, answer = await raw(path, request(method, target, body))

    reply = json.loads(answer)
    assert (got, reply["code"], reply["message"]) == (status, code, message)
    assert reply["fix"]


async def test_fault_in_a_handler_is_internal_counted_and_survived(path: Path) -> None:
    async with served(path) as (daemon, client):
        with pytest.raises(SaintError, match="see its log") as caught:
            await client.get("/fault", Done)
        assert "secret" not in str(caught.value)
        assert caught.value.code is Code.INTERNAL
        assert daemon.api.counters["ipc_faults"] == 1
        await client.get("/status", Done)


async def test_handler_that_takes_too_long_is_cancelled(path: Path) -> None:
    async with served(path) as (daemon, client):
        with pytest.raises(SaintError, match="timed out") as caught:
            await client.get("/slow", Done)
        assert caught.value.code is Code.INTERNAL
        assert daemon.ended.is_set()


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
        await asyncio.sleep(0)
        await client.close()
        async with asyncio.timeout(1.0):
            with pytest.raises(SaintError):
                await waiting
            await daemon.ended.wait()


async def test_many_clients_at_once_are_all_answered(path: Path) -> None:
    async with served(path) as (_, client):
        requests = [client.get("/status", Done, query={"n": str(n)}) for n in range(50)]
        answers = await asyncio.gather(*requests)

    assert [answer.message for answer in answers] == [f"n={n}" for n in range(50)]


async def test_connection_without_a_request_disturbs_nobody(path: Path) -> None:
    async with served(path) as (_, client):
        _, writer = await asyncio.open_unix_connection(str(path))
        await client.get("/status", Done)
        writer.close()


@settings(max_examples=20)
@given(bodies=st.lists(st.binary(max_size=60) | st.text(max_size=40).map(str.encode), min_size=8))
def test_random_bodies_never_fault(tmp_path_factory: Any, bodies: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("ipc") / "s"

    async def request_status() -> None:
        async with served(path) as (daemon, client):
            for body in bodies:
                for target in ("/nodes/a/adopt", "/ticks"):
                    status, _ = await raw(path, request("POST", target, body))
                    assert status == 400
            assert daemon.api.counters["ipc_faults"] == 0
            await client.get("/status", Done)

    asyncio.run(request_status())


@settings(max_examples=20)
@given(lines=st.lists(st.binary(max_size=80), min_size=5))
def test_random_bytes_instead_of_http_disturb_nobody(
    tmp_path_factory: Any, lines: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("ipc") / "s"

    async def request_status() -> None:
        async with served(path) as (daemon, client):
            for line in lines:
                reader, writer = await asyncio.open_unix_connection(str(path))
                with contextlib.suppress(ConnectionError):
                    writer.write(line + b"\r\n\r\n")
                    writer.write_eof()
                    async with asyncio.timeout(3):
                        await reader.read()
                writer.close()
            assert daemon.api.counters["ipc_faults"] == 0
            await client.get("/status", Done)

    asyncio.run(request_status())


async def test_curl_gets_an_answer(path: Path) -> None:
    async with served(path):
        try:
            curl = await asyncio.create_subprocess_exec(
                *("curl", "-s", "--unix-socket", str(path), "http://localhost/status?a=1"),
                stdout=asyncio.subprocess.PIPE,
            )
        except FileNotFoundError:
            pytest.skip("curl is not installed")
        out, _ = await asyncio.wait_for(curl.communicate(), 5)

    assert json.loads(out) == {"message": "a=1"}


def test_code_of_a_newer_version_is_kept_as_internal() -> None:
    error = ipc.ErrorReply(code="from_the_future", message="m").error()

    assert (error.code, error.message) == (Code.INTERNAL, "m")
