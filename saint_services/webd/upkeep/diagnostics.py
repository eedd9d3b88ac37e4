"""GET /api/diagnostics: one zip for remote support with states, health and counters of all daemons
and the newest log lines. It holds no passwords, tokens or keys.
"""

import asyncio
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from aiohttp import web
from pydantic import BaseModel

from ...lib.access.levels import Level
from ...lib.api import rc, routing
from ...lib.api.adoption import LIST_NODES
from ...lib.api.endpoint import Endpoint, Nothing
from ...lib.api.firmware import STATUS
from ...lib.api.livelink import LIST_SOURCES
from ...lib.api.logs import LogQuery
from ...lib.errors import SaintError
from ...lib.health import HealthReport
from ..accounts.gate import Gate
from ..actions.settings import describe
from ..robot.context import RobotContext
from ..server.handlers import RequestHandlers
from .log_files import as_text
from .wiring import file_name

LOG_PAGES = 8
_PAGE = 500
_LIMIT_S = 3.0  # for a daemon; the file names one that hangs

_ROWS: tuple[Endpoint[Nothing, Any], ...] = (
    LIST_NODES, routing.GET_STATUS, routing.LIST_ROUTES, rc.GET_STATUS, LIST_SOURCES, STATUS,
)  # fmt: skip
_DAEMONS = ("adoptiond", "routerd", "rcd", "livelinkd", "otad")
_REPORTS: tuple[tuple[str, str, type[BaseModel]], ...] = (
    *((row.daemon, row.path, row.reply) for row in _ROWS),
    *((name, "/health", HealthReport) for name in _DAEMONS),
)


class Diagnostics(RequestHandlers):
    """Creates the file at each request."""

    def __init__(self, gate: Gate, robot: RobotContext) -> None:
        self._gate = gate
        self._robot = robot
        self._busy = asyncio.Lock()

    def routes(self) -> Sequence[web.RouteDef]:
        return [web.get("/api/diagnostics", self.download, allow_head=False)]

    async def download(self, request: web.Request) -> web.StreamResponse:
        """Send the file."""
        self._gate.admit(request, Level.ADMIN)
        async with self._busy:
            files = await self._files()
            raw = await asyncio.to_thread(_zip, files)
        name = file_name(self._robot.roles.name, "diagnostics")
        return web.Response(
            body=raw,
            content_type="application/zip",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    async def _files(self) -> dict[str, str]:
        robot = self._robot
        replies = await asyncio.gather(*(self._fetch(*each) for each in _REPORTS))
        names = [f"{daemon}{path.replace('/', '-')}.json" for daemon, path, _ in _REPORTS]
        files = dict(zip(names, replies, strict=True))
        settings = await asyncio.to_thread(describe, robot)
        files["settings.json"] = settings.model_dump_json(indent=1)
        files["activity.json"] = _text(robot.log.newest(500))
        files["webd-counters.json"] = _text(dict(robot.newest.counters))
        files["log.txt"] = await self._log()
        return files

    async def _fetch(self, daemon: str, path: str, reply: type[BaseModel]) -> str:
        try:
            client = getattr(self._robot.daemons, daemon)
            found: BaseModel = await client.get(path, reply, timeout_s=_LIMIT_S)
        except SaintError as err:
            return _text({"error": err.message})
        return found.model_dump_json(indent=1, by_alias=True)

    async def _log(self) -> str:
        lines: list[str] = []
        before = ""
        try:
            for _ in range(LOG_PAGES):
                query = LogQuery(level="DEBUG", before=before, limit=_PAGE)
                page = await self._robot.upkeep.logs.page(query)
                lines += [as_text(line) for line in page.lines]
                before = page.older
                if not before:
                    break
        except SaintError as err:
            lines.append(f"the log cannot be read: {err.message}\n")
        return "".join(reversed(lines))


def _text(data: Any) -> str:
    return json.dumps(data, indent=1, default=str)


def _zip(files: Mapping[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()
