"""/api/v1/daemon/<name>/<path>: a daemon's own request, for saintctl on another machine. webd
checks the level and forwards request and reply unchanged.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import aiohttp
from aiohttp import web
from yarl import URL

from ...lib.access.levels import Level
from ...lib.access.person import Person
from ...lib.api.endpoint import CONFIRM, Endpoint, rows_of
from ...lib.errors import Code, SaintError
from ...lib.ipc import LARGEST_BODY_BYTES
from ..accounts.gate import Gate, person_of
from ..audit.record import Outcome, entry, watched
from ..robot.context import RobotContext
from ..server import bodies
from ..server.connections import is_old
from ..server.handlers import RequestHandlers
from . import admission

DAEMONS = ("adoptiond", "routerd", "rcd", "livelinkd", "otad", "noded", "teleopd")
MOST_AT_ONCE = 64
_ROWS = {daemon: rows_of(daemon) for daemon in DAEMONS}
_ROOT = "/api/v1/daemon/"
_HEALTH = ("GET", "/health")  # of every daemon (lib/daemon.py)
_ALWAYS = ("routerd", "/estop")  # however many other requests wait
_CLEAR = ("routerd", "/estop/clear")
_CONNECT_S = 5.0
_SILENCE_S = 900.0  # the longest reply: otad reads a bundle; each request has its own limit there
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def is_local(daemon: str, path: str) -> bool:
    """Return whether a request is never forwarded, in whichever spelling: the daemon relies on the
    kernel to name the sender, and here that would be webd.
    """
    plain = "/".join(map(unquote, path.split("/")))
    return any(row.is_local and _row_pattern(row.path).fullmatch(plain) for row in _ROWS[daemon])


def needs(daemon: str, method: str, path: str, query: str = "") -> Level:
    """Return the level of a request; `path` as it is on the wire, so that no spelling slips
    through. What is in no row of lib/api needs an admin. The query of a change may confirm that
    something no longer stops the robot, so it needs an admin too.
    """
    if row := row_of(daemon, method, path):
        return Level.ADMIN if query and CONFIRM in row.query else row.level
    return Level.VIEWER if (method, path) == _HEALTH else Level.ADMIN


def row_of(daemon: str, method: str, path: str) -> Endpoint[Any, Any] | None:
    """Return the row of lib/api that a request is for; `path` as it is on the wire."""
    rows = (row for row in _ROWS[daemon] if row.method == method)
    found = [row for row in rows if _row_pattern(row.path).fullmatch(path)]
    return min(found, key=lambda row: len(row.parts), default=None)


@cache
def _row_pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{[\w.\\]+\\}", "[^/]+", re.escape(path)))


class DaemonRequests(RequestHandlers):
    """Forwards requests to the other daemons' sockets."""

    def __init__(self, gate: Gate, robot: RobotContext, runtime: Path) -> None:
        self._gate = gate
        self._robot = robot
        self._runtime = runtime
        self._sessions: dict[str, aiohttp.ClientSession] = {}
        self._open = 0

    def routes(self) -> Sequence[web.RouteDef]:
        path = _ROOT + "{daemon}/{path:.+}"
        return [web.route(method, path, self.forward) for method in _METHODS]

    async def close(self) -> None:
        """End the requests in progress."""
        for session in self._sessions.values():
            await session.close()

    async def forward(self, request: web.Request) -> web.StreamResponse:
        """Answer with the daemon's reply, line by line for a stream."""
        daemon = request.match_info["daemon"]
        if daemon not in DAEMONS:
            text = f"webd forwards no requests to {daemon[:64]}"
            raise SaintError(Code.NOT_FOUND, text, fix=f"Known: {', '.join(DAEMONS)}.")
        path = request.rel_url.raw_path.removeprefix(f"{_ROOT}{daemon}")
        if is_local(daemon, path):
            text = f"{path[:64]} of {daemon} is for daemons of the robot itself"
            raise SaintError(Code.FORBIDDEN, text, fix="Nothing to do: they use it by themselves.")
        method, row = request.method, row_of(daemon, request.method, path)
        what = _what(method, f"{daemon}{path}", row)
        level = needs(daemon, method, path, request.rel_url.raw_query_string)
        is_personal = row is not None and row.is_personal
        identity = self._gate.admit(request, level, what, is_personal=is_personal)
        person = person_of(identity, request, "websocket:saintctl")

        def write(outcome: Outcome) -> None:
            is_logged = row is not None and outcome.is_logged
            if what and not is_logged:
                self._robot.record(entry(person, what, refused=outcome.refusal))

        with watched(write) as outcome:
            return await self._forward(request, person, path, outcome)

    async def _forward(
        self, request: web.Request, person: Person, path: str, outcome: Outcome
    ) -> web.StreamResponse:
        place = (request.match_info["daemon"], path)
        if self._open >= MOST_AT_ONCE and place != _ALWAYS:
            text = f"{MOST_AT_ONCE} requests are waiting for their replies"
            raise SaintError(Code.REFUSED, text)
        self._open += 1
        try:
            if place == _ALWAYS:
                return await self._send(request, person, path, await _stop_body(request), outcome)
            body = await bodies.whole(request, LARGEST_BODY_BYTES)
            if place == _CLEAR and is_old(request):
                raise SaintError(Code.REFUSED, admission.OLD, fix="Send it again.")
            return await self._send(request, person, path, body, outcome)
        finally:
            self._open -= 1

    async def _send(
        self, request: web.Request, person: Person, path: str, body: bytes, outcome: Outcome
    ) -> web.StreamResponse:
        daemon = request.match_info["daemon"]
        url = f"http://{daemon}{path}"
        if query := request.rel_url.raw_query_string:
            url += f"?{query}"
        sending = self._session(daemon).request(
            request.method,
            URL(url, encoded=True),
            data=body or None,
            headers=dict([person.header]),
        )
        try:
            async with sending as answer:
                outcome.is_logged = True
                outcome.refusal = "" if answer.ok else f"{daemon} answered {answer.status}"
                return await _sent(request, answer)
        except (aiohttp.ClientError, OSError, TimeoutError) as err:
            raise SaintError(Code.DAEMON_UNREACHABLE, f"{daemon} does not answer") from err

    def _session(self, daemon: str) -> aiohttp.ClientSession:
        if daemon not in self._sessions:
            limits = aiohttp.ClientTimeout(
                total=None, sock_connect=_CONNECT_S, sock_read=_SILENCE_S
            )
            socket = str(self._runtime / f"{daemon}.sock")
            connector = aiohttp.UnixConnector(socket, force_close=True)
            self._sessions[daemon] = aiohttp.ClientSession(connector=connector, timeout=limits)
        return self._sessions[daemon]


def _what(method: str, path: str, row: Endpoint[Any, Any] | None) -> str:
    """Return how the audit log names a request; empty for one that only reads."""
    if row is not None:
        return "" if row.is_reading else row.name
    return "" if method == "GET" else f"{method} {path}"


async def _stop_body(request: web.Request) -> bytes:
    """Return what arrives of a stop's body in a short time: routerd stops without any."""
    try:
        return await bodies.whole(request, LARGEST_BODY_BYTES, bodies.STOP_LIMIT_S)
    except SaintError:
        return b""


async def _sent(request: web.Request, answer: aiohttp.ClientResponse) -> web.StreamResponse:
    """Pass a reply on in pieces as they arrive: a stream lasts for as long as it is read."""
    reply = web.StreamResponse(status=answer.status)
    reply.content_type = answer.content_type
    await reply.prepare(request)
    try:
        async for chunk in answer.content.iter_any():
            await reply.write(chunk)
        await reply.write_eof()
    except (aiohttp.ClientError, OSError):  # one side has gone: half a reply must not look whole
        if request.transport:
            request.transport.abort()
    return reply
