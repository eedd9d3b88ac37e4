"""The job that has the network, against a real TLS server on loopback."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from saint_services.lib.errors import Code, SaintError
from saint_services.otad import fetch_job
from saint_services.otad.adapters.fetch_socket import FetchSocket, RangeRefusedError
from saint_services.otad.sources.fetch_order import SOCKET, FetchOrder
from tests.unit.otad.sources.address_rig import (
    ReleaseServer,
    authority,
    fetch_jobs,
    release_server,
)

PATH = "/robots/manifest.json"


@pytest.fixture
async def fetch(tmp_path: Path) -> AsyncIterator[FetchSocket]:
    async with fetch_jobs(tmp_path):
        yield FetchSocket(tmp_path / SOCKET)


@pytest.fixture
async def server() -> AsyncIterator[ReleaseServer]:
    async with release_server() as found:
        yield found


def order(server: ReleaseServer, **changes: object) -> FetchOrder:
    facts = {"address": f"{server.address}/manifest.json", "authority": authority().pem,
             "most_bytes": 1000}  # fmt: skip
    return FetchOrder.model_validate(facts | changes)


async def refusal(fetch: FetchSocket, wanted: FetchOrder) -> str:
    with pytest.raises(SaintError) as caught:
        await fetch.read(wanted)
    return caught.value.message


async def test_file_comes_whole(fetch: FetchSocket, server: ReleaseServer) -> None:
    server.files[PATH] = b"x" * 700
    assert await fetch.read(order(server)) == b"x" * 700
    assert server.requests == [PATH]


async def test_rest_of_a_file_comes_while_it_is_the_same(
    fetch: FetchSocket, server: ReleaseServer
) -> None:
    path = "/robots/archive/v1/saint_node.img"
    server.files[path] = bytes(range(256)) * 4
    wanted = order(server, address=f"https://127.0.0.1:{server.port}{path}", most_bytes=2000)
    async with fetch.open(wanted) as whole:
        assert b"".join([c async for c in whole.chunks]) == server.files[path]
    rest = wanted.model_copy(update={"offset": 1000, "validator": whole.head.validator})
    async with fetch.open(rest) as found:
        assert (found.head.offset, found.head.size_bytes) == (1000, 1024)
        assert b"".join([c async for c in found.chunks]) == server.files[path][1000:]
    server.files[path] = b"another" * 100
    async with fetch.open(rest) as found:
        assert found.head.offset == 0
        assert b"".join([c async for c in found.chunks]) == server.files[path]


async def test_public_authorities_do_not_vouch_for_the_owners_server(
    fetch: FetchSocket, server: ReleaseServer
) -> None:
    server.files[PATH] = b"x"
    assert "not signed by an authority" in await refusal(fetch, order(server, authority=""))
    other = await asyncio.to_thread(lambda: authority("other").pem)
    assert "not signed by an authority" in await refusal(fetch, order(server, authority=other))
    assert server.requests == []


async def test_certificate_for_another_name_is_refused(fetch: FetchSocket) -> None:
    context = await asyncio.to_thread(lambda: authority().context("elsewhere"))
    async with release_server(context) as server:
        assert "is for another name" in await refusal(fetch, order(server))
        assert server.requests == []


def verification(code: int) -> Exception:
    """As OpenSSL reports it; a test cannot turn the clock of the process."""
    found = ssl.SSLCertVerificationError("certificate verify failed")
    found.verify_code = code
    return found


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (9, "not valid yet by this server's clock, 1970-01-01 00:10 UTC: the clock is not set"),
        (10, "has expired by this server's clock, 1970-01-01 00:10 UTC"),
        (62, "is for another name"),
        (18, "not signed by an authority that this server trusts"),
    ],
)
def test_fault_of_a_certificate_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch, code: int, reason: str
) -> None:
    monkeypatch.setattr(fetch_job, "wall_s", lambda: 600.0)
    found = fetch_job.certificate_fault("example.org", verification(code))
    assert reason in found.head.text
    assert found.head.text.startswith("the certificate of example.org ")


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("http://127.0.0.1/x", "must begin with https://"),
        ("ftp://127.0.0.1/x", "must begin with https://"),
        ("https://a:b@127.0.0.1/x", "must not contain a user"),
        ("/robots/manifest.json", "more than 5 times"),
    ],
)
async def test_redirect_is_bounded_and_stays_encrypted(
    fetch: FetchSocket, server: ReleaseServer, location: str, reason: str
) -> None:
    async def away(_: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": location})

    server.handler = away
    assert reason in await refusal(fetch, order(server))
    assert len(server.requests) <= 6


async def test_redirect_to_https_is_followed(fetch: FetchSocket, server: ReleaseServer) -> None:
    async def away(request: web.Request) -> web.Response:
        if request.path == PATH:
            return web.Response(status=301, headers={"Location": "/new.json"})
        return web.Response(body=b"found")

    server.handler = away
    assert await fetch.read(order(server)) == b"found"


@pytest.mark.parametrize("status", [204, 401, 404, 500, 799])
async def test_answer_without_a_file_is_named(
    fetch: FetchSocket, server: ReleaseServer, status: int
) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, reason="Evil reason")

    server.handler = answer
    said = await refusal(fetch, order(server))
    assert f"answers {status}" in said
    assert "Evil" not in said


async def test_large_answer_is_not_read(fetch: FetchSocket, server: ReleaseServer) -> None:
    server.files[PATH] = b"x" * 1001
    assert "has 1001 bytes; the limit is 1000" in await refusal(fetch, order(server))


async def test_answer_without_a_length_ends_at_the_limit(
    fetch: FetchSocket, server: ReleaseServer
) -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 10_000)

    server.handler = endless
    assert len(await fetch.read(order(server))) == 1000


async def test_compressed_answer_is_refused(fetch: FetchSocket, server: ReleaseServer) -> None:
    async def packed(_: web.Request) -> web.Response:
        return web.Response(body=b"x", headers={"Content-Encoding": "gzip"})

    server.handler = packed
    assert "compressed" in await refusal(fetch, order(server))


async def test_cut_answer_is_not_taken_for_a_whole_one(
    fetch: FetchSocket, server: ReleaseServer
) -> None:
    async def cut(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        response.content_length = 900
        await response.prepare(request)
        await response.write(b"x" * 500)
        assert request.transport
        request.transport.close()
        return response

    server.handler = cut
    assert "was cut" in await refusal(fetch, order(server))


async def test_other_part_than_the_ordered_one_is_refused(
    fetch: FetchSocket, server: ReleaseServer
) -> None:
    async def wrong(_: web.Request) -> web.Response:
        return web.Response(status=206, body=b"x" * 10, headers={"Content-Range": "bytes 5-14/20"})

    server.handler = wrong
    with pytest.raises(RangeRefusedError):
        await fetch.read(order(server, offset=10))


async def test_server_that_is_away_is_named(fetch: FetchSocket, server: ReleaseServer) -> None:
    gone = order(server, address="https://127.0.0.1:1/manifest.json")
    assert "127.0.0.1:1 cannot be reached: " in await refusal(fetch, gone)


async def test_server_without_tls_is_named(fetch: FetchSocket) -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        writer.close()

    found = await asyncio.start_server(plain, "127.0.0.1", 0)
    port = found.sockets[0].getsockname()[1]
    async with found:
        said = await refusal(fetch, FetchOrder(address=f"https://127.0.0.1:{port}/", most_bytes=9))
    assert "TLS" in said or "cannot be reached" in said


@pytest.mark.parametrize("garbage", [b"", b"\x00" * 64, b"HTTP/1.1 " + b"9" * 100_000, b"\xff\r\n"])
async def test_garbage_instead_of_http_is_named(fetch: FetchSocket, garbage: bytes) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(garbage)
        writer.close()

    context = await asyncio.to_thread(authority().context)
    found = await asyncio.start_server(talk, "127.0.0.1", 0, ssl=context)
    port = found.sockets[0].getsockname()[1]
    async with found:
        wanted = FetchOrder(
            address=f"https://127.0.0.1:{port}/", authority=authority().pem, most_bytes=9
        )
        said = await refusal(fetch, wanted)
    assert "HTTP" in said or "ended the connection" in said or "cannot be reached" in said


async def test_end_of_the_order_ends_the_job(tmp_path: Path, server: ReleaseServer) -> None:
    came, never = asyncio.Event(), asyncio.Event()

    async def slow(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"x")
        came.set()
        await never.wait()
        return response

    server.handler = slow
    async with fetch_jobs(tmp_path) as jobs:
        async with FetchSocket(tmp_path / SOCKET).open(order(server)):
            await came.wait()
        async with asyncio.timeout(5):
            await jobs[0]


async def test_missing_job_is_said(tmp_path: Path, server: ReleaseServer) -> None:
    with pytest.raises(SaintError, match="cannot be started") as caught:
        await FetchSocket(tmp_path / SOCKET).read(order(server))
    assert caught.value.code is Code.DAEMON_UNREACHABLE


@pytest.mark.parametrize(
    "answer",
    [
        b"", b"\n", b"{", b'{"offset": -1}\n', b"x" * 300_000 + b"\n",
        b'{"offset": 7}\n', b'{"fault": "answer", "text": "a\\u001b[31mb"}\n',
    ],
)  # fmt: skip
async def test_job_that_was_taken_over_says_nothing_harmful(
    tmp_path: Path, server: ReleaseServer, answer: bytes
) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(answer)
        writer.close()

    found = await asyncio.start_unix_server(talk, str(tmp_path / SOCKET))
    async with found:
        said = await refusal(FetchSocket(tmp_path / SOCKET), order(server))
    assert said.isprintable()
