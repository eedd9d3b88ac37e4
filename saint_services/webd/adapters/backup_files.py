"""GET /api/backup: the whole robot in one file. POST /api/backup: bring such a file back, or with
check=1 only look at it. Not here: what is in it (backups.py).
"""

from collections.abc import Sequence

from aiohttp import web
from pydantic import BaseModel

from ...lib.backup.archive import LARGEST_BYTES
from ...lib.errors import Code, SaintError
from ...lib.levels import Level
from ..robot import Robot
from ..upkeep import file_name, now
from . import bodies
from .gate import Gate


class BackupFiles:
    """Downloads and uploads of backups."""

    def __init__(self, gate: Gate, robot: Robot) -> None:
        self._gate = gate
        self._robot = robot

    def routes(self) -> Sequence[web.RouteDef]:
        """Two."""
        return [
            web.get("/api/backup", self.download, allow_head=False),
            web.post("/api/backup", self.upload),
        ]

    async def close(self) -> None:
        """Nothing stays open; what is not restored yet goes on at the next start."""

    async def download(self, request: web.Request) -> web.StreamResponse:
        """The file."""
        identity = self._gate.admit(request, Level.ADMIN)
        robot = self._robot
        raw = await robot.upkeep.backups.create(robot.roles.name, now())
        robot.note("INFO", identity.name, "A backup of the robot was taken")
        name = file_name(robot.roles.name, "backup")
        return web.Response(
            body=raw,
            content_type="application/zip",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    async def upload(self, request: web.Request) -> web.StreamResponse:
        """What is in the file, or what became of it."""
        identity = self._gate.admit(request, Level.ADMIN)
        raw = await bodies.whole(request, LARGEST_BYTES)
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


def _json(reply: BaseModel) -> web.Response:
    return web.Response(text=reply.model_dump_json() + "\n", content_type="application/json")
