"""POST /api/programs: an archive of a program, written to the data partition, checked there and
unpacked. The sender is checked before the first byte. Not here: what an archive may hold
(lib/programs/archive.py).
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web

from ...lib.access.levels import Level
from ...lib.api.programs import ProgramInfo
from ...lib.errors import Code, SaintError
from ...lib.programs.archive import LARGEST_ARCHIVE_BYTES
from ..accounts.gate import Gate, person_of
from ..api.http_paths import ADD_PROGRAM
from ..audit.record import recorded
from ..robot.context import RobotContext
from ..server import bodies
from ..server.handlers import RequestHandlers


class ProgramArchives(RequestHandlers):
    """Receives one archive at a time."""

    def __init__(self, gate: Gate, robot: RobotContext) -> None:
        self._gate = gate
        self._robot = robot
        self._busy = asyncio.Lock()

    def routes(self) -> Sequence[web.RouteDef]:
        return [web.post(ADD_PROGRAM.path, self.add)]

    async def add(self, request: web.Request) -> web.StreamResponse:
        """Add the program of the body, or replace it."""
        identity = self._gate.admit(request, Level.ADMIN, ADD_PROGRAM.what)
        person, row = person_of(identity, request, "websocket:upload"), ADD_PROGRAM
        with recorded(self._robot.record, person, row.what, row.log, row.severity):
            if self._busy.locked():
                text = "another program is being uploaded"
                raise SaintError(Code.CONFLICT, text, fix="Wait until it is uploaded.")
            async with self._busy:
                info = await self._received(request)
        return web.Response(text=info.model_dump_json(), content_type="application/json")

    async def _received(self, request: web.Request) -> ProgramInfo:
        store = self._robot.programs.store
        file = await asyncio.to_thread(store.upload_file)
        try:
            await self._write(request, file)
            found = await self._robot.programs.add(file)
        finally:
            await asyncio.to_thread(file.unlink, missing_ok=True)
        return ProgramInfo(name=found.name, description=found.description, access=found.access)

    async def _write(self, request: web.Request, path: Path) -> None:
        """Write the body while there is room: for the archive, and for it unpacked."""
        room = await asyncio.to_thread(self._robot.programs.store.room_bytes)
        most = min(LARGEST_ARCHIVE_BYTES, room // 3)
        received = 0
        file = await asyncio.to_thread(path.open, "wb")
        try:
            async for chunk in bodies.pieces(request):
                received += len(chunk)
                if received > most:
                    raise _too_large(most)
                await asyncio.to_thread(file.write, chunk)
        finally:
            await asyncio.to_thread(file.close)


def _too_large(most: int) -> SaintError:
    if most < LARGEST_ARCHIVE_BYTES:
        text = f"the data partition has room for an archive of {max(0, most) >> 20} MB now"
        return SaintError(Code.DISK_FULL, text)
    return SaintError(Code.TOO_LARGE, f"the archive is larger than {most >> 20} MB")
