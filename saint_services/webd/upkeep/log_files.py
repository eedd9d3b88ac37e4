"""GET /api/logs: the lines of all programs as a file, or, with follow=1, one JSON object per line
until the reader disconnects. Not here: pages of lines (actions/maintenance.py).
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Sequence

from aiohttp import web
from pydantic import ValidationError

from ...lib.access.levels import Level
from ...lib.api.logs import LogFilter, LogLine, LogQuery
from ...lib.config import validation
from ...lib.errors import Code, SaintError
from ..accounts.gate import Gate
from ..robot.context import RobotContext
from ..server.handlers import RequestHandlers

MOST_FOLLOWERS = 8  # each is a process on a device
MOST_LINES = 20_000  # of one download
MOST_DOWNLOADS = 2  # at once, the others wait: all lines of one are held to be reversed
_PAGE = 500
_FIELDS = ("level", "source", "node", "search")


class LogFiles(RequestHandlers):
    """Downloads and live tails."""

    def __init__(self, gate: Gate, robot: RobotContext) -> None:
        self._gate = gate
        self._robot = robot
        self._tails: set[asyncio.Task[None]] = set()
        self._downloads = asyncio.Semaphore(MOST_DOWNLOADS)

    def routes(self) -> Sequence[web.RouteDef]:
        return [web.get("/api/logs", self.logs, allow_head=False)]

    async def close(self) -> None:
        """End the tails."""
        for tail in self._tails:
            tail.cancel()

    async def logs(self, request: web.Request) -> web.StreamResponse:
        """Send the log, newest last, or follow it."""
        self._gate.admit(request, Level.VIEWER)
        filter_ = _filter(request)
        if request.query.get("follow", "") not in ("", "0"):
            return await self._follow(request, filter_)
        async with self._downloads:
            return await self._download(request, filter_)

    async def _download(self, request: web.Request, filter_: LogFilter) -> web.StreamResponse:
        answer = web.StreamResponse(headers=_attachment())
        lines = [line async for line in self._newest(filter_)]
        await answer.prepare(request)
        while lines:
            await answer.write(as_text(lines.pop()).encode())
        return answer

    async def _newest(self, filter_: LogFilter) -> AsyncIterator[LogLine]:
        before = ""
        for _ in range(MOST_LINES // _PAGE):
            query = LogQuery(**filter_.model_dump(), before=before, limit=_PAGE)
            page = await self._robot.upkeep.logs.page(query)
            for line in page.lines:
                yield line
            before = page.older
            if not before:
                return

    async def _follow(self, request: web.Request, filter_: LogFilter) -> web.StreamResponse:
        if len(self._tails) >= MOST_FOLLOWERS:
            text = f"{MOST_FOLLOWERS} readers already follow the log"
            raise SaintError(Code.REFUSED, text, fix="Close one of them.")
        answer = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        tail = asyncio.ensure_future(self._send_lines(request, answer, filter_))
        self._tails.add(tail)
        try:
            await tail
        finally:
            tail.cancel()
            self._tails.discard(tail)
        return answer

    async def _send_lines(
        self, request: web.Request, answer: web.StreamResponse, filter_: LogFilter
    ) -> None:
        await answer.prepare(request)
        async with contextlib.aclosing(self._robot.upkeep.logs.follow(filter_)) as lines:
            with contextlib.suppress(ConnectionError, SaintError):
                async for line in lines:
                    # An empty line shows in time that the reader has disconnected.
                    await answer.write((line.model_dump_json() if line else "").encode() + b"\n")


def as_text(line: LogLine) -> str:
    """Return one line of a log file."""
    moment = time.localtime(line.time)
    clock = time.strftime("%Y-%m-%d %H:%M:%S", moment)
    milliseconds = int(line.time * 1000) % 1000
    return f"{clock}.{milliseconds:03d} {line.node} {line.source} {line.level}: {line.text}\n"


def _filter(request: web.Request) -> LogFilter:
    given = {name: request.query[name] for name in _FIELDS if name in request.query}
    try:
        return LogFilter.model_validate(given)
    except ValidationError as err:
        fault = validation.faults(err, LogFilter, given, noun="field")[0]
        raise SaintError(Code.REQUEST_INVALID, str(fault)) from None


def _attachment() -> dict[str, str]:
    name = time.strftime("saint-log-%Y%m%d-%H%M%S.txt")
    return {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Disposition": f'attachment; filename="{name}"',
    }
