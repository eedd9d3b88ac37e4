"""POST /api/robot/figures and /api/robot/archive: an owner's figure, or a robot with its figure, is
checked here, packed small and sent to adoptiond, which checks it again and stores it. GET
/api/robot/archive downloads the robot with its figure. Not here: what is checked
(lib/robot/figure/archive.py).
"""

import asyncio
import base64
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from aiohttp import web
from pydantic import BaseModel

from ...lib.access import audit
from ...lib.access.levels import Level
from ...lib.access.person import Person
from ...lib.api.endpoint import Endpoint, Nothing
from ...lib.api.robot import MOST_BASE64
from ...lib.api.robot_figure import (
    ADD_FIGURE,
    EXPORT_ARCHIVE,
    OPEN_ARCHIVE,
    AddFigure,
    OpenArchive,
)
from ...lib.errors import Code, SaintError
from ...lib.robot.figure.archive import MOST_UPLOAD_BYTES, received
from ...lib.robot.figure.robot_archive import opened_robot, packed_robot
from ..accounts.gate import Gate, person_of
from ..api.http_paths import DOWNLOAD_ROBOT, UPLOAD_FIGURE, UPLOAD_ROBOT
from ..robot.context import RobotContext
from ..robot.daemon_clients import AnsweredError
from ..server import bodies
from ..server.handlers import RequestHandlers

_LIMIT_S = 20.0


class FigureUpload(RequestHandlers):
    """Receives one file at a time."""

    def __init__(self, gate: Gate, robot: RobotContext) -> None:
        self._gate = gate
        self._robot = robot
        self._busy = asyncio.Lock()

    def routes(self) -> Sequence[web.RouteDef]:
        return [
            web.post(UPLOAD_FIGURE.path, self.add),
            web.get(DOWNLOAD_ROBOT.path, self.download, allow_head=False),
            web.post(UPLOAD_ROBOT.path, self.open_archive),
        ]

    async def add(self, request: web.Request) -> web.StreamResponse:
        """Store the figure of the body."""
        return await self._sent(request, ADD_FIGURE, lambda raw: received(raw).packed(), AddFigure)

    async def open_archive(self, request: web.Request) -> web.StreamResponse:
        """Store the figure of a robot's file, and answer with its text."""
        return await self._sent(request, OPEN_ARCHIVE, _repacked, OpenArchive)

    async def download(self, request: web.Request) -> web.StreamResponse:
        """Send the robot with its figure."""
        self._gate.admit(request, Level.VIEWER)
        found = await self._robot.daemons.adoptiond.request(EXPORT_ARCHIVE, Nothing())
        return web.Response(
            body=base64.b64decode(found.archive),
            content_type="application/zip",
            headers={"Content-Disposition": 'attachment; filename="robot.zip"'},
        )

    async def _sent(
        self,
        request: web.Request,
        row: Endpoint[Any, Any],
        check: Callable[[bytes], bytes],
        params: Callable[..., BaseModel],
    ) -> web.Response:
        identity = self._gate.admit(request, row.level, row.name)
        person = person_of(identity, request, "websocket:upload")
        if self._busy.locked():
            text = "another figure is being uploaded"
            raise SaintError(Code.CONFLICT, text, fix="Wait until it is uploaded.")
        async with self._busy:
            try:
                raw = await bodies.whole(request, MOST_UPLOAD_BYTES)
                archive = base64.b64encode(await asyncio.to_thread(check, raw)).decode()
                if len(archive) > MOST_BASE64:
                    raise SaintError(Code.TOO_LARGE, "the figure is too large when it is packed")
                given = params(archive=archive)
                reply = await self._robot.daemons.forward(row, given, person, timeout_s=_LIMIT_S)
            except SaintError as err:
                self._note(row, person, err)
                raise
        return web.Response(text=reply.model_dump_json(), content_type="application/json")

    def _note(self, row: Endpoint[Any, Any], person: Person, err: SaintError) -> None:
        """Write the audit entry of a refusal; adoptiond has written that of its own."""
        if not isinstance(err, AnsweredError):
            entry = audit.refused(row, person, Nothing(), err)
            self._robot.record(replace(entry, daemon="webd"))


def _repacked(raw: bytes) -> bytes:
    text, figure = opened_robot(raw)
    return packed_robot(text, received(figure) if figure else None)
