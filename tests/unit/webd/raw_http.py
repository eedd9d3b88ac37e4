"""Requests byte by byte, and what comes back for them, down to a connection that just ends."""

import asyncio
from dataclasses import dataclass


@dataclass(frozen=True)
class Found:
    """An answer; `is_whole` is False when the connection ended within it."""

    status: int
    headers: dict[str, str]
    body: bytes
    is_whole: bool


async def answer_to(address: str, request: bytes, limit_s: float = 5.0) -> Found:
    """The first answer on a connection of its own."""
    host, _, port = address.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        async with asyncio.timeout(limit_s):
            writer.write(request)
            return await _answer(reader)
    finally:
        writer.close()


async def _answer(reader: asyncio.StreamReader) -> Found:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    status = int(first.split()[1])
    try:
        if headers.get("transfer-encoding") == "chunked":
            body = await _chunks(reader)
        else:
            body = await reader.readexactly(int(headers.get("content-length", "0")))
    except (asyncio.IncompleteReadError, ConnectionError):
        return Found(status, headers, b"", is_whole=False)
    return Found(status, headers, body, is_whole=True)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readexactly(2)
    return body
