"""Sends requests to running daemons over HTTP, with the standard library's asyncio only: the
launcher starts with everything else and must not cost what aiohttp costs.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

from saint_services.lib.errors import Code, SaintError

_MOST_BYTES = 1 << 20


async def over_unix(socket: Path, request: str, body: object = None, *, timeout_s: float) -> Any:
    """`request` is "GET /nodes"; returns the JSON answer, raises the daemon's error."""
    async with asyncio.timeout(timeout_s):
        streams = await asyncio.open_unix_connection(str(socket), limit=_MOST_BYTES)
        return _reply(socket.name, *await _exchange(streams, request, body))


async def over_tcp(port: int, request: str, body: object = None, *, timeout_s: float) -> Any:
    """The same of the web interface on this computer."""
    async with asyncio.timeout(timeout_s):
        streams = await asyncio.open_connection("127.0.0.1", port, limit=_MOST_BYTES)
        return _reply(f"port {port}", *await _exchange(streams, request, body))


def _reply(name: str, status: int, answer: bytes) -> Any:
    try:
        reply = json.loads(answer)
    except ValueError as err:
        raise SaintError(Code.INTERNAL, f"{name} did not answer in JSON") from err
    if status >= 400:
        code = reply.get("code", "")
        known = Code(code) if code in set(Code) else Code.INTERNAL
        raise SaintError(known, reply.get("message", f"status {status}"), fix=reply.get("fix", ""))
    return reply


async def page(host: str, port: int, path: str, *, timeout_s: float) -> int:
    """The status of a web page."""
    async with asyncio.timeout(timeout_s):
        streams = await asyncio.open_connection(host, port, limit=_MOST_BYTES)
        return (await _exchange(streams, f"GET {path}", None))[0]


async def _exchange(
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter], request: str, body: object
) -> tuple[int, bytes]:
    reader, writer = streams
    data = b"" if body is None else json.dumps(body).encode()
    head = (
        f"{request} HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    try:
        writer.write(head.encode() + data)
        await writer.drain()
        answer = await reader.read(-1)
    finally:
        writer.close()
    status, _, content = answer.partition(b"\r\n\r\n")
    words = status.split(None, 2)
    if len(words) < 2 or not words[1].isdigit():
        raise ConnectionResetError("closed without an answer")
    return int(words[1]), content
