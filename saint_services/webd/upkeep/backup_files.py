"""GET /api/backup: the whole robot in one file. POST /api/backup: bring such a file back, or with
check=1 only look at it. POST and PUT /api/backup/sealed: the same with the server's key, sealed
with a passphrase, which stands in the body alone. Not here: what is in the file (backups.py).
"""

import base64
import binascii
from collections.abc import Sequence
from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from ...lib.access.levels import Level
from ...lib.api.backup import LARGEST_BASE64, LARGEST_FILE_BYTES, SealedRestore
from ...lib.api.keys import Passphrase
from ...lib.errors import Code, SaintError
from ..accounts.gate import Gate, is_private
from ..robot.context import Robot
from ..server import bodies
from .wiring import file_name, now

_SEALED = "/api/backup/sealed"
_MOST_PASSPHRASE_BYTES = 32 << 10  # with the names of the stops that are confirmed
M = TypeVar("M", bound=Passphrase)


class BackupFiles:
    """Downloads and uploads of backups."""

    def __init__(self, gate: Gate, robot: Robot) -> None:
        self._gate = gate
        self._robot = robot

    def routes(self) -> Sequence[web.RouteDef]:
        """Four."""
        return [
            web.get("/api/backup", self.download, allow_head=False),
            web.post("/api/backup", self.upload),
            web.post(_SEALED, self.download_sealed),
            web.put(_SEALED, self.upload_sealed),
        ]

    async def close(self) -> None:
        """Nothing stays open; what is not restored yet goes on at the next start."""

    async def download(self, request: web.Request) -> web.StreamResponse:
        """Send the file."""
        identity = self._gate.admit(request, Level.ADMIN)
        robot = self._robot
        raw = await robot.upkeep.backups.create(robot.roles.name, now())
        robot.note("INFO", identity.name, "A backup of the robot was taken")
        return self._file(raw)

    async def download_sealed(self, request: web.Request) -> web.StreamResponse:
        """Send the file with the server's key in it."""
        identity = self._gate.admit(request, Level.ADMIN)
        asked = await _secret(request, Passphrase, _MOST_PASSPHRASE_BYTES)
        robot = self._robot
        raw = await robot.upkeep.backups.create(robot.roles.name, now(), asked.passphrase)
        robot.note("WARNING", identity.name, "A backup with the server's sealed key was taken")
        return self._file(raw)

    async def upload_sealed(self, request: web.Request) -> web.StreamResponse:
        """Restore a file and the server's key that is sealed in it."""
        identity = self._gate.admit(request, Level.ADMIN)
        asked = await _secret(request, SealedRestore, LARGEST_BASE64 + _MOST_PASSPHRASE_BYTES)
        robot, backups = self._robot, self._robot.upkeep.backups
        raw, passphrase = _decoded(asked.file), asked.passphrase
        reply = await backups.restore(raw, robot.roles.name, now(), asked.confirm, passphrase)
        robot.note("WARNING", identity.name, "A backup was restored, with the server's key")
        return _json(reply)

    def _file(self, raw: bytes) -> web.Response:
        robot = self._robot
        name = file_name(robot.roles.name, "backup")
        return web.Response(
            body=raw,
            content_type="application/zip",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    async def upload(self, request: web.Request) -> web.StreamResponse:
        """What is in the file, or what became of it."""
        identity = self._gate.admit(request, Level.ADMIN)
        raw = await bodies.whole(request, LARGEST_FILE_BYTES)
        if not raw:
            text = "the request holds no file"
            raise SaintError(Code.REQUEST_INVALID, text, fix="Choose a file.")
        robot, backups = self._robot, self._robot.upkeep.backups
        if request.query.get("check", "") not in ("", "0"):
            return _json(await backups.check(raw))
        confirm = [name for name in request.query.get("confirm", "").split(",") if name]
        reply = await backups.restore(raw, robot.roles.name, now(), confirm)
        robot.note("WARNING", identity.name, "A backup was restored")
        return _json(reply)


async def _secret(request: web.Request, model: type[M], most_bytes: int) -> M:
    """Read a body that holds a passphrase, which no message may repeat. Raises SaintError."""
    if not is_private(request):
        text = "a passphrase does not go over a connection that is not encrypted"
        fix = "Open this page with https:// (Settings, Encryption), or use saintctl on the robot."
        raise SaintError(Code.REFUSED, text, fix=fix)
    raw = await bodies.whole(request, most_bytes)
    try:
        found = model.model_validate_json(raw)
    except ValidationError:
        found = None
    if found is None or not found.passphrase:
        text = "the request holds no passphrase, or is not sound"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Send JSON with a passphrase.")
    return found


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        fix = "Choose the file that was saved as a backup."
        raise SaintError(Code.REQUEST_INVALID, "the file is not Base64", fix=fix) from None


def _json(reply: BaseModel) -> web.Response:
    return web.Response(text=reply.model_dump_json() + "\n", content_type="application/json")
