"""POST /api/firmware: a bundle goes through to otad as it comes, nothing of it stays here. Who
sends it is checked before the first byte. Not here: whether the bundle is good (otad).
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import aiohttp
from aiohttp import web

from ...lib.access import audit
from ...lib.access.audit import AuditRecord
from ...lib.access.levels import Level
from ...lib.access.person import Person
from ...lib.api.firmware import UPLOAD, Upload
from ...lib.errors import Code, SaintError
from ..accounts.gate import Gate, address_of
from ..actions.caller import Caller
from ..server import bodies

_ANSWER_LIMIT_S = 900.0  # otad reads a large bundle once more, from a slow card
_CHECKSUM = "X-Saint-Sha256"


class Bundles:
    """The way from a browser to otad's upload socket."""

    def __init__(self, gate: Gate, otad: Path, add_entry: Callable[[AuditRecord], None]) -> None:
        self._gate = gate
        self._add_entry = add_entry
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
        identity = self._gate.admit(request, Level.ADMIN, is_action=True)
        sender = Caller("upload", identity, address_of(request)).person
        announced = Upload(size_bytes=request.content_length or 0)
        try:
            return await self._passed_on(request, sender)
        except _NotSentError as err:  # otad has no entry of it
            self._add_entry(audit.refused(UPLOAD, sender, announced, err.error))
            raise err.error from err

    async def _passed_on(self, request: web.Request, sender: Person) -> web.Response:
        size = request.content_length
        if size is None:
            text = "the request does not say how long the bundle is (Content-Length)"
            raise _NotSentError(SaintError(Code.REQUEST_INVALID, text))
        if self._busy.locked():
            text = "another bundle is being uploaded"
            raise _NotSentError(SaintError(Code.CONFLICT, text, fix="Wait for it."))
        name, value = sender.header
        headers = {"Content-Length": str(size), name: value}
        if checksum := request.headers.get(_CHECKSUM):
            headers[_CHECKSUM] = checksum[:80]
        async with self._busy:
            return await self._pass_on(request, headers)

    async def _pass_on(self, request: web.Request, headers: dict[str, str]) -> web.Response:
        upload = _Upload(request)
        try:
            async with self._client().post(
                "http://otad/releases", data=upload.pieces(), headers=headers
            ) as answer:
                body = await answer.read()
        except aiohttp.ClientConnectorError as err:
            raise _NotSentError(_unreachable()) from err
        except (aiohttp.ClientError, OSError, TimeoutError) as err:
            if upload.refusal:
                raise upload.refusal from err
            raise _unreachable() from err
        return web.Response(status=answer.status, body=body, content_type="application/json")

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            limits = aiohttp.ClientTimeout(total=None, sock_connect=5.0, sock_read=_ANSWER_LIMIT_S)
            connector = aiohttp.UnixConnector(str(self._otad), force_close=True)
            self._session = aiohttp.ClientSession(connector=connector, timeout=limits)
        return self._session


def _unreachable() -> SaintError:
    return SaintError(Code.DAEMON_UNREACHABLE, "otad does not answer")


class _NotSentError(Exception):
    """Raised for an upload that webd refused before otad saw it."""

    def __init__(self, error: SaintError) -> None:
        super().__init__(error.message)
        self.error = error


class _Upload:
    """The bundle on its way. What is wrong with it is kept: aiohttp tells only that it ended."""

    def __init__(self, request: web.Request) -> None:
        self._request = request
        self.refusal: SaintError | None = None

    async def pieces(self) -> AsyncIterator[bytes]:
        """As they come."""
        try:
            async for piece in bodies.pieces(self._request):
                yield piece
        except SaintError as err:
            self.refusal = err
            raise
