"""POST /api/firmware: a bundle goes through to otad as it comes, nothing of it stays here. Token
and origin are checked before the first byte. Not here: whether the bundle is good (otad).
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import aiohttp
from aiohttp import web

from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ..access import is_origin_allowed, is_token
from ..config import Config
from .session import Door

_CHUNK_BYTES = 256 << 10
_ANSWER_LIMIT_S = 900.0  # otad reads a large bundle once more, from a slow card
_CHECKSUM = "X-Saint-Sha256"


class Bundles:
    """The way from a browser to otad's upload socket."""

    def __init__(self, config: Config, door: Door, otad: Path) -> None:
        self._config = config
        self._door = door
        self._otad = otad
        self._busy = asyncio.Lock()
        self._session: aiohttp.ClientSession | None = None

    def routes(self) -> Sequence[web.RouteDef]:
        """One: the upload."""
        return [web.post("/api/firmware", self.upload)]

    async def close(self) -> None:
        """End what is on its way."""
        if self._session:
            await self._session.close()

    async def upload(self, request: web.Request) -> web.StreamResponse:
        """Answers with the release, or with otad's refusal as it is."""
        self._admit(request)
        size = request.content_length
        if size is None:
            text = "the request does not say how long the bundle is (Content-Length)"
            raise SaintError(Code.REQUEST_INVALID, text)
        if self._busy.locked():
            text = "another bundle is being uploaded"
            raise SaintError(Code.CONFLICT, text, fix="Wait for it.")
        headers = {"Content-Length": str(size)}
        if checksum := request.headers.get(_CHECKSUM):
            headers[_CHECKSUM] = checksum[:80]
        async with self._busy:
            return await self._pass_on(request, headers)

    def _admit(self, request: web.Request) -> None:
        """A page of somebody else must not update the robot, nor somebody without the token."""
        counters = self._door.robot.newest.counters
        origin = request.headers.get("Origin")
        if not is_origin_allowed(origin, request.host, self._config.origins):
            counters["refused_origin"] += 1
            raise SaintError(Code.FORBIDDEN, f"pages of {origin} may not upload")
        if not self._door.token:
            return
        address, throttle = request.remote or "unknown", self._door.throttle
        if (wait_s := throttle.wait_s(address, monotonic_s())) > 0:
            counters["refused_too_many_tries"] += 1
            text = f"too many wrong tokens; try again in {wait_s:.0f} s"
            raise SaintError(Code.UNAUTHORIZED, text)
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if is_token(given, self._door.token):
            throttle.succeeded(address)
            return
        if given:
            throttle.failed(address, monotonic_s())
        counters["refused_no_token"] += 1
        raise SaintError(Code.UNAUTHORIZED, "an upload needs the token as Authorization: Bearer")

    async def _pass_on(self, request: web.Request, headers: dict[str, str]) -> web.Response:
        try:
            async with self._client().post(
                "http://otad/releases", data=_chunks(request), headers=headers
            ) as answer:
                body = await answer.read()
        except (aiohttp.ClientError, OSError, TimeoutError) as err:
            text = "the upload was cut off, or otad does not answer"
            raise SaintError(Code.DAEMON_UNREACHABLE, text) from err
        return web.Response(status=answer.status, body=body, content_type="application/json")

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            limits = aiohttp.ClientTimeout(total=None, sock_connect=5.0, sock_read=_ANSWER_LIMIT_S)
            connector = aiohttp.UnixConnector(str(self._otad), force_close=True)
            self._session = aiohttp.ClientSession(connector=connector, timeout=limits)
        return self._session


async def _chunks(request: web.Request) -> AsyncIterator[bytes]:
    while chunk := await request.content.read(_CHUNK_BYTES):
        yield chunk
