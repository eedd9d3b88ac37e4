"""Fetches one file from the owner's address by HTTPS: a separate job with the network and nothing
else, started by a connection to saint-otad-fetch.socket as
`python3 -m saint_services.otad.fetch_job` with the connection as its standard input. It has no
file, no state and no other socket of ours.

Not here: when and what is fetched (sources/address_import.py), whether a release is accepted.
"""

import asyncio
import re
import socket
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from http import HTTPStatus

import aiohttp
from pydantic import ValidationError

from saint_services.lib import log
from saint_services.lib.clock import monotonic_s, wall_s
from saint_services.otad.sources import address
from saint_services.otad.sources.fetch_order import (
    LONGEST_ORDER_BYTES,
    FaultKind,
    FetchHead,
    FetchOrder,
)

_ORDER_LIMIT_S = 10.0
_HEAD_LIMIT_S = 60.0  # to look the name up, connect, follow redirects, receive the head
_CONNECT_LIMIT_S = 20.0
_SILENCE_LIMIT_S = 30.0
_PACE_S, _PACE_BYTES = 60.0, 64 << 10  # a server that sends less is cut off
_MOST_REDIRECTS = 5
_CHUNK_BYTES = 64 << 10
_RANGE = re.compile(r"bytes (\d{1,15})-\d{1,15}/(\d{1,15})", re.ASCII)
_REDIRECTS = (301, 302, 303, 307, 308)
# X509_V_ERR_* of OpenSSL.
_NOT_YET_VALID, _EXPIRED, _WRONG_HOST = 9, 10, (62, 64)
_log = log.get("otad-fetch")


class FetchError(Exception):
    """No bytes; the text is for people."""

    def __init__(self, kind: FaultKind, text: str) -> None:
        super().__init__(text)
        self.head = FetchHead(fault=kind, text=text[:1000])


async def serve(connection: socket.socket) -> None:
    """Carry out the order of one connection; its end ends the work."""
    reader, writer = await asyncio.open_connection(sock=connection, limit=LONGEST_ORDER_BYTES)
    try:
        async with asyncio.timeout(_ORDER_LIMIT_S):
            order = FetchOrder.model_validate_json(await reader.readline())
        work = asyncio.ensure_future(_carry_out(order, writer))
        gone = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (work, gone):
                each.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
    except (ValidationError, ValueError, TimeoutError, OSError) as err:
        _log.error("the order cannot be read", error=type(err).__name__)
    finally:
        writer.close()


async def _carry_out(order: FetchOrder, writer: asyncio.StreamWriter) -> None:
    try:
        async with _opened(order) as (head, response):
            writer.write(f"{head.model_dump_json()}\n".encode())
            await _copy(response, writer, order.most_bytes - head.offset)
    except FetchError as err:
        _log.warning("not fetched", reason=str(err))
        writer.write(f"{err.head.model_dump_json()}\n".encode())
    except (aiohttp.ClientError, TimeoutError, OSError) as err:
        _log.warning("the connection was cut", error=type(err).__name__)
    await writer.drain()


@asynccontextmanager
async def _opened(order: FetchOrder) -> AsyncIterator[tuple[FetchHead, aiohttp.ClientResponse]]:
    """Send the request. Raises FetchError with the reason why the file does not come."""
    limits = aiohttp.ClientTimeout(
        total=None, sock_connect=_CONNECT_LIMIT_S, sock_read=_SILENCE_LIMIT_S
    )
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=_trust(order.authority), limit=1, force_close=True),
        timeout=limits,
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        trust_env=False,
    ) as session:
        try:
            async with asyncio.timeout(_HEAD_LIMIT_S):
                response = await _requested(session, order)
        except FetchError:
            raise
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as err:
            raise _fault(order.address, err) from err
        async with response:
            yield _head(order, response), response


def _trust(authority: str) -> ssl.SSLContext:
    """Return whom to trust: the owner's authority alone, or the system's."""
    context = ssl.create_default_context(cadata=authority or None)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


async def _requested(session: aiohttp.ClientSession, order: FetchOrder) -> aiohttp.ClientResponse:
    """Follow redirects, to HTTPS only."""
    headers = {"User-Agent": "SAINT.OS", "Accept-Encoding": "identity"}
    if order.offset:
        headers["Range"] = f"bytes={order.offset}-"
        if order.validator:
            headers["If-Range"] = order.validator
    target = order.address
    for _ in range(_MOST_REDIRECTS + 1):
        response = await session.get(target, headers=headers, allow_redirects=False)
        if response.status not in _REDIRECTS:
            return response
        location = response.headers.get("Location", "")
        response.close()
        try:
            target = address.redirected(target, location)
        except ValueError as err:
            text = f"{order.address} leads to another address, which is refused: {err}"
            raise FetchError(FaultKind.ANSWER, text) from err
    text = f"{order.address} leads from one address to the next, more than {_MOST_REDIRECTS} times"
    raise FetchError(FaultKind.ANSWER, text)


def _head(order: FetchOrder, response: aiohttp.ClientResponse) -> FetchHead:
    """Return what the server says of the file. Raises FetchError where that is of no use."""
    if response.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
        text = f"{order.address} has nothing from byte {order.offset} on"
        raise FetchError(FaultKind.RANGE, text)
    if response.status not in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
        raise FetchError(FaultKind.ANSWER, f"{order.address} answers {_status(response.status)}")
    if response.headers.get("Content-Encoding", "identity") != "identity":
        text = f"{order.address} sends a compressed file, which was not requested"
        raise FetchError(FaultKind.ANSWER, text)
    offset, size = 0, response.content_length
    if response.status == HTTPStatus.PARTIAL_CONTENT:
        found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if found is None or int(found[1]) != order.offset:
            text = f"{order.address} sends another part of the file than the requested one"
            raise FetchError(FaultKind.RANGE, text)
        offset, size = order.offset, int(found[2])
    if size is not None and size > order.most_bytes:
        text = f"{order.address} has {size} bytes; the limit is {order.most_bytes}"
        raise FetchError(FaultKind.ANSWER, text)
    return FetchHead(
        offset=offset, size_bytes=-1 if size is None else size, validator=_validator(response)
    )


def _validator(response: aiohttp.ClientResponse) -> str:
    """Return what names this very content for If-Range; a weak ETag does not."""
    tag = response.headers.get("ETag", "")
    found = tag if tag.startswith('"') else response.headers.get("Last-Modified", "")
    return found if len(found) <= 200 and found.isascii() and found.isprintable() else ""


async def _copy(
    response: aiohttp.ClientResponse, writer: asyncio.StreamWriter, most_bytes: int
) -> None:
    """Pass the bytes on until their end, or until there are more than announced."""
    begun_s, count = monotonic_s(), 0
    async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
        writer.write(chunk[:most_bytes])
        await writer.drain()
        most_bytes -= len(chunk)
        count += len(chunk)
        if most_bytes < 0:
            return
        if monotonic_s() - begun_s > _PACE_S:
            if count < _PACE_BYTES:
                _log.warning("the server is too slow", received_bytes=count)
                return
            begun_s, count = monotonic_s(), 0


def _fault(target: str, err: Exception) -> FetchError:
    host = address.host(target)
    if isinstance(err, aiohttp.ClientConnectorCertificateError):
        return certificate_fault(host, err.certificate_error)
    if isinstance(err, aiohttp.ClientSSLError):
        return FetchError(FaultKind.CERTIFICATE, f"{host} does not speak TLS as required")
    if isinstance(err, TimeoutError):
        return FetchError(FaultKind.UNREACHABLE, f"{host} did not answer in time")
    if isinstance(err, aiohttp.ClientConnectorDNSError):
        text = f"the name {host} cannot be looked up: no way out of the robot's network?"
        return FetchError(FaultKind.UNREACHABLE, text)
    if isinstance(err, OSError):
        reason = (err.strerror or "no connection").lower()
        return FetchError(FaultKind.UNREACHABLE, f"{host} cannot be reached: {reason[:100]}")
    if isinstance(err, aiohttp.ServerDisconnectedError):
        return FetchError(FaultKind.UNREACHABLE, f"{host} ended the connection without an answer")
    return FetchError(FaultKind.ANSWER, f"{host} does not answer with valid HTTP")


def certificate_fault(host: str, err: Exception) -> FetchError:
    code = getattr(err, "verify_code", 0)
    now = f"{datetime.fromtimestamp(wall_s(), UTC):%Y-%m-%d %H:%M} UTC"
    if code == _NOT_YET_VALID:
        text = (
            f"the certificate of {host} is not valid yet by this server's clock, {now}: the clock "
            "is not set. Connect the server to the internet so that it gets the time"
        )
        return FetchError(FaultKind.CLOCK, text)
    if code == _EXPIRED:
        text = f"the certificate of {host} has expired by this server's clock, {now}"
    elif code in _WRONG_HOST:
        text = f"the certificate of {host} is for another name"
    else:
        text = (
            f"the certificate of {host} is not signed by an authority that this server trusts. An "
            "authority of your own is part of the update settings"
        )
    return FetchError(FaultKind.CERTIFICATE, text)


def _status(code: int) -> str:
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)


def main() -> int:
    """Serve the connection that is the standard input."""
    log.setup("otad-fetch")
    connection = socket.socket(fileno=sys.stdin.fileno())
    connection.setblocking(False)
    asyncio.run(serve(connection))
    return 0


if __name__ == "__main__":
    sys.exit(main())
