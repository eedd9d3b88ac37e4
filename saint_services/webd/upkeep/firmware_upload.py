"""/api/firmware: GET lists releases and machines, POST streams a bundle to otad; webd stores
nothing of it. The sender is checked before the first byte. Not here: verifying the bundle (otad).
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import aiohttp
from aiohttp import web

from ...lib.access import audit
from ...lib.access.levels import Level
from ...lib.access.person import Person
from ...lib.api.endpoint import Nothing
from ...lib.api.firmware import STATUS, UPLOAD, Upload
from ...lib.errors import Code, SaintError
from ..accounts.gate import Gate, person_of
from ..api.http_paths import LIST_RELEASES, UPLOAD_RELEASE
from ..audit.record import Outcome, watched
from ..robot.context import RobotContext
from ..server import bodies
from ..server.handlers import RequestHandlers

_REPLY_LIMIT_S = 900.0  # otad reads a large bundle once more, from a slow card
_CHECKSUM = "X-Saint-Sha256"
_NO_REPLY = "otad does not answer"


class FirmwareUpload(RequestHandlers):
    """Forwards to otad: requests for the list, and uploads, one at a time."""

    def __init__(self, gate: Gate, robot: RobotContext, otad: Path) -> None:
        self._gate = gate
        self._robot = robot
        self._otad = otad
        self._busy = asyncio.Lock()
        self._session: aiohttp.ClientSession | None = None

    def routes(self) -> Sequence[web.RouteDef]:
        return [
            web.get(LIST_RELEASES.path, self.releases),
            web.post(UPLOAD_RELEASE.path, self.upload),
        ]

    async def close(self) -> None:
        """End the upload in progress."""
        if self._session:
            await self._session.close()

    async def releases(self, request: web.Request) -> web.StreamResponse:
        """Answer with the releases and the machines."""
        self._gate.admit(request, Level.VIEWER)
        report = await self._robot.daemons.otad.request(STATUS, Nothing())
        return web.Response(text=report.model_dump_json(), content_type="application/json")

    async def upload(self, request: web.Request) -> web.StreamResponse:
        """Answer with the release, or with otad's refusal unchanged. otad writes the audit entry of
        an upload that has reached it.
        """
        identity = self._gate.admit(request, Level.ADMIN, UPLOAD.name)
        person = person_of(identity, request, "websocket:upload")
        announced = Upload(size_bytes=request.content_length or 0)

        def write(outcome: Outcome) -> None:
            if outcome.refusal and not outcome.is_logged:
                error = SaintError(Code.REFUSED, outcome.refusal)
                entry = audit.refused(UPLOAD, person, announced, error)
                self._robot.record(replace(entry, daemon="webd"))

        with watched(write) as outcome:
            return await self._checked(request, person, outcome)

    async def _checked(
        self, request: web.Request, person: Person, outcome: Outcome
    ) -> web.Response:
        size = request.content_length
        if size is None:
            text = "the request does not say how long the bundle is (Content-Length)"
            raise SaintError(Code.REQUEST_INVALID, text)
        if self._busy.locked():
            text = "another bundle is being uploaded"
            raise SaintError(Code.CONFLICT, text, fix="Wait until it is uploaded.")
        name, value = person.header
        headers = {"Content-Length": str(size), name: value}
        if checksum := request.headers.get(_CHECKSUM):
            headers[_CHECKSUM] = checksum[:80]
        async with self._busy:
            return await self._forward(request, headers, outcome)

    async def _forward(
        self, request: web.Request, headers: dict[str, str], outcome: Outcome
    ) -> web.Response:
        upload = _Upload(request)
        try:
            async with self._client().post(
                "http://otad/releases", data=upload.pieces(), headers=headers
            ) as answer:
                body = await answer.read()
        except aiohttp.ClientConnectorError as err:
            raise SaintError(Code.DAEMON_UNREACHABLE, _NO_REPLY) from err
        except (aiohttp.ClientError, OSError, TimeoutError) as err:
            outcome.is_logged = True  # otad logs what has reached it
            if upload.refusal:
                raise upload.refusal from err
            raise SaintError(Code.DAEMON_UNREACHABLE, _NO_REPLY) from err
        return web.Response(status=answer.status, body=body, content_type="application/json")

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            limits = aiohttp.ClientTimeout(total=None, sock_connect=5.0, sock_read=_REPLY_LIMIT_S)
            connector = aiohttp.UnixConnector(str(self._otad), force_close=True)
            self._session = aiohttp.ClientSession(connector=connector, timeout=limits)
        return self._session


class _Upload:
    """The bundle in transit. It holds the error of a broken upload: aiohttp reports only
    its end.
    """

    def __init__(self, request: web.Request) -> None:
        self._request = request
        self.refusal: SaintError | None = None

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the pieces as they arrive."""
        try:
            async for piece in bodies.pieces(self._request):
                yield piece
        except SaintError as err:
            self.refusal = err
            raise
