"""GET /api/backup: the robot's settings in one file. POST /api/backup: restore such a file, or with
check=1 only describe it. POST and PUT /api/backup/sealed: the same with the server's key, sealed
with a passphrase in the body. Not here: the content of the file (backups.py).
"""

import base64
import binascii
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from ...lib.access.levels import Level
from ...lib.access.person import Person
from ...lib.api.backup import LARGEST_BASE64, LARGEST_FILE_BYTES, SealedRestore
from ...lib.api.keys import Passphrase
from ...lib.errors import Code, SaintError
from ..accounts.gate import Gate, is_private, person_of
from ..api.http_paths import (
    DOWNLOAD_BACKUP,
    DOWNLOAD_SEALED_BACKUP,
    RESTORE_BACKUP,
    RESTORE_SEALED_BACKUP,
    Described,
)
from ..audit.record import Outcome, recorded
from ..robot.context import RobotContext
from ..server import bodies
from ..server.handlers import RequestHandlers
from .backups import KeyAccess
from .wiring import file_name, now

_MOST_PASSPHRASE_BYTES = 32 << 10  # with the names of the stops that are confirmed
M = TypeVar("M", bound=Passphrase)


class BackupFiles(RequestHandlers):
    """Downloads and uploads of backups."""

    def __init__(self, gate: Gate, robot: RobotContext) -> None:
        self._gate = gate
        self._robot = robot

    def routes(self) -> Sequence[web.RouteDef]:
        return [
            web.get(DOWNLOAD_BACKUP.path, self.download, allow_head=False),
            web.post(RESTORE_BACKUP.path, self.restore),
            web.post(DOWNLOAD_SEALED_BACKUP.path, self.download_sealed),
            web.put(RESTORE_SEALED_BACKUP.path, self.restore_sealed),
        ]

    async def download(self, request: web.Request) -> web.StreamResponse:
        """Send a backup."""
        robot, person = self._robot, self._admin(request, DOWNLOAD_BACKUP)
        with self._recorded(person, DOWNLOAD_BACKUP):
            return self._file(await robot.upkeep.backups.create(robot.roles.name, now()))

    async def download_sealed(self, request: web.Request) -> web.StreamResponse:
        """Send a backup with the server's sealed key."""
        robot, person = self._robot, self._admin(request, DOWNLOAD_SEALED_BACKUP)
        with self._recorded(person, DOWNLOAD_SEALED_BACKUP):
            given = await _secret(request, Passphrase, _MOST_PASSPHRASE_BYTES)
            key = KeyAccess(given.passphrase, person)
            return self._file(await robot.upkeep.backups.create(robot.roles.name, now(), key))

    async def restore(self, request: web.Request) -> web.StreamResponse:
        """Restore a backup, or describe it."""
        person, backups = self._admin(request, RESTORE_BACKUP), self._robot.upkeep.backups
        if request.query.get("check", "") not in ("", "0"):
            return _json(await backups.check(await _file_in(request)))
        confirm = [name for name in request.query.get("confirm", "").split(",") if name]
        with self._recorded(person, RESTORE_BACKUP):
            raw = await _file_in(request)
            return _json(await backups.restore(raw, self._robot.roles.name, now(), confirm))

    async def restore_sealed(self, request: web.Request) -> web.StreamResponse:
        """Restore a backup and the server's key in it."""
        robot, person = self._robot, self._admin(request, RESTORE_SEALED_BACKUP)
        with self._recorded(person, RESTORE_SEALED_BACKUP):
            largest = LARGEST_BASE64 + _MOST_PASSPHRASE_BYTES
            given = await _secret(request, SealedRestore, largest)
            raw, key = _decoded(given.file), KeyAccess(given.passphrase, person)
            name, backups = robot.roles.name, robot.upkeep.backups
            return _json(await backups.restore(raw, name, now(), given.confirm, key))

    def _admin(self, request: web.Request, row: Described) -> Person:
        identity = self._gate.admit(request, Level.ADMIN, row.what)
        return person_of(identity, request)

    def _recorded(self, person: Person, row: Described) -> AbstractContextManager[Outcome]:
        return recorded(self._robot.record, person, row.what, row.log, row.severity)

    def _file(self, raw: bytes) -> web.Response:
        name = file_name(self._robot.roles.name, "backup")
        return web.Response(
            body=raw,
            content_type="application/zip",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )


async def _file_in(request: web.Request) -> bytes:
    raw = await bodies.whole(request, LARGEST_FILE_BYTES)
    if not raw:
        text = "the request holds no file"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Choose a file.")
    return raw


async def _secret(request: web.Request, model: type[M], most_bytes: int) -> M:
    """Read a body that holds a passphrase, which no message may repeat. Raises SaintError."""
    if not is_private(request):
        text = "a passphrase must not be sent over an unencrypted connection"
        fix = "Open this page with https:// (Settings, Users), or use saintctl on the robot."
        raise SaintError(Code.REFUSED, text, fix=fix)
    raw = await bodies.whole(request, most_bytes)
    try:
        found = model.model_validate_json(raw)
    except ValidationError:
        found = None
    if found is None or not found.passphrase:
        text = "the request holds no passphrase, or is malformed"
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
