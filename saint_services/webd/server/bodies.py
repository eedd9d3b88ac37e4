"""Reads request bodies within limits of size and time. Compressed bodies are refused, because a few
bytes may unpack to more than the memory holds. Not here: their content.
"""

import asyncio
from collections.abc import AsyncIterator

from aiohttp import web

from ...lib.errors import Code, SaintError
from ..accounts.access import RefusedError

WHOLE_LIMIT_S = 30.0  # for a body that is kept in memory
STOP_LIMIT_S = 0.5  # for the body of a stop: a part of it, or none, stops as well
STILL_LIMIT_S = 30.0  # an upload of any length that stands still for so long is aborted
_CHUNK_BYTES = 256 << 10


async def whole(request: web.Request, most_bytes: int, limit_s: float | None = None) -> bytes:
    """Return the whole body; raises too_large, too_slow or request_invalid."""
    collected = bytearray()
    limit_s = WHOLE_LIMIT_S if limit_s is None else limit_s
    try:
        async with asyncio.timeout(limit_s):
            async for chunk in pieces(request):
                collected += chunk
                if len(collected) > most_bytes:
                    text = f"the body is longer than {most_bytes // 1024} KiB"
                    raise SaintError(Code.TOO_LARGE, text)
    except TimeoutError:
        raise _too_slow(limit_s) from None
    return bytes(collected)


async def pieces(request: web.Request) -> AsyncIterator[bytes]:
    """Yield the body piece by piece, as it arrives."""
    coding = request.headers.get("Content-Encoding", "identity")
    if coding != "identity":
        text = f"the body is compressed ({coding[:32]})"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Send it uncompressed.")
    while chunk := await _next(request):
        yield chunk


async def _next(request: web.Request) -> bytes:
    try:
        async with asyncio.timeout(STILL_LIMIT_S):
            return await request.content.read(_CHUNK_BYTES)
    except TimeoutError:
        raise _too_slow(STILL_LIMIT_S) from None
    except (ConnectionError, web.RequestPayloadError) as err:
        text = "the connection ended within the body, or the body is broken"
        fix = "Send it again."
        raise RefusedError("cut_off", Code.REQUEST_INVALID, text, fix=fix) from err


def _too_slow(limit_s: float) -> RefusedError:
    text = f"the body did not arrive within {limit_s:g} s"
    fix = "Send it again, over a better connection."
    return RefusedError("slow_body", Code.TOO_SLOW, text, fix=fix)
