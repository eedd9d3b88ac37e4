"""POST /releases on otad's own socket: the bundle as it is, its length announced. webd and saintctl
bring it here. Not here: whether it is taken (taking.py).
"""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from ...lib.errors import Code, SaintError
from ..releases.ingest import Taker
from .http_server import Route

if TYPE_CHECKING:
    from aiohttp import web

CHECKSUM_HEADER = "X-Saint-Sha256"
_CHUNK_BYTES = 256 << 10
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)


class Uploads:
    """The answers of the upload socket."""

    def __init__(self, taker: Taker, stalled_after_s: float) -> None:
        self._taker = taker
        self._stalled_after_s = stalled_after_s

    @property
    def routes(self) -> list[Route]:
        """One."""
        return [Route("POST", "/releases", self._upload)]

    async def _upload(self, request: "web.Request") -> "web.StreamResponse":
        from aiohttp import web

        size = request.content_length
        if size is None:
            text = "the request does not say how long the bundle is (Content-Length)"
            raise SaintError(Code.REQUEST_INVALID, text)
        wanted = request.headers.get(CHECKSUM_HEADER, "").lower()
        if wanted and not _SHA256.fullmatch(wanted):
            text = f"{CHECKSUM_HEADER} is {wanted[:80]!r}, not 64 hexadecimal digits"
            raise SaintError(Code.REQUEST_INVALID, text)
        release = await self._taker.take(self._chunks(request), size, wanted)
        return web.json_response(text=release.model_dump_json())

    async def _chunks(self, request: "web.Request") -> AsyncIterator[bytes]:
        """Until the end; who sends nothing for a while, or hangs up, is told so."""
        from aiohttp import ClientError

        while True:
            try:
                async with asyncio.timeout(self._stalled_after_s):
                    chunk = await request.content.read(_CHUNK_BYTES)
            except TimeoutError as err:
                text = f"no byte came for {self._stalled_after_s:g} s; the upload is given up"
                raise SaintError(Code.TOO_SLOW, text, fix="Send the file again.") from err
            except (ClientError, ConnectionError) as err:
                text = "the upload was cut off"
                raise SaintError(Code.RELEASE_INVALID, text, fix="Send the file again.") from err
            if not chunk:
                return
            yield chunk
