"""/api/v1/daemon/<name>/<path>: a daemon's own requests, passed on to its socket and back as they
are. For saintctl on another machine. Not here: who may ask for what (control_plane.py).
"""

from collections.abc import Sequence
from pathlib import Path

import aiohttp
from aiohttp import web
from yarl import URL

from ...lib.access.person import Person
from ...lib.errors import Code, SaintError
from ...lib.ipc import LARGEST_BODY_BYTES
from ..accounts.gate import Gate, address_of
from ..actions.caller import Caller
from ..server import bodies
from ..server.connections import is_old
from . import admission
from . import daemon_rows as control_plane

_ROOT = "/api/v1/daemon/"
MOST_AT_ONCE = 64
_ALWAYS = ("routerd", "/estop")  # however many others wait
_RELEASE = ("routerd", "/estop/clear")
_CONNECT_S = 5.0
_SILENCE_S = 900.0  # the longest answer: otad reads a bundle; each request has its own limit there
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


class ControlPlane:
    """The way to the other daemons' sockets."""

    def __init__(self, gate: Gate, runtime: Path) -> None:
        self._gate = gate
        self._runtime = runtime
        self._sessions: dict[str, aiohttp.ClientSession] = {}
        self._open = 0

    def routes(self) -> Sequence[web.RouteDef]:
        """One path with everything below it."""
        path = _ROOT + "{daemon}/{path:.+}"
        return [web.route(method, path, self.pass_on) for method in _METHODS]

    async def close(self) -> None:
        """End what is on its way."""
        for session in self._sessions.values():
            await session.close()

    async def pass_on(self, request: web.Request) -> web.StreamResponse:
        """Answers with what the daemon answers, line by line where it does so."""
        daemon = request.match_info["daemon"]
        if daemon not in control_plane.DAEMONS:
            known = ", ".join(control_plane.DAEMONS)
            text = f"{daemon[:64]} cannot be asked through here"
            raise SaintError(Code.NOT_FOUND, text, fix=f"There are: {known}.")
        path = request.rel_url.raw_path.removeprefix(f"{_ROOT}{daemon}")
        if control_plane.is_local(daemon, path):
            text = f"{path[:64]} of {daemon} is for daemons of the robot itself"
            raise SaintError(Code.FORBIDDEN, text, fix="Nothing to do: they use it by themselves.")
        query = request.rel_url.raw_query_string
        needs = control_plane.needs(daemon, request.method, path, query)
        row = control_plane.row_of(daemon, request.method, path)
        identity = self._gate.admit(request, needs, is_action=row is not None)
        who = Caller("saintctl", identity, address_of(request)).person
        if self._open >= MOST_AT_ONCE and (daemon, path) != _ALWAYS:
            raise SaintError(Code.REFUSED, f"{MOST_AT_ONCE} requests are not answered yet")
        self._open += 1
        try:
            if (daemon, path) == _ALWAYS:
                return await self._ask(request, who, path, await _stop_body(request))
            body = await bodies.whole(request, LARGEST_BODY_BYTES)
            if (daemon, path) == _RELEASE and is_old(request):
                raise SaintError(Code.REFUSED, admission.OLD, fix="Send it again.")
            return await self._ask(request, who, path, body)
        finally:
            self._open -= 1

    async def _ask(
        self, request: web.Request, who: Person, path: str, body: bytes
    ) -> web.StreamResponse:
        daemon = request.match_info["daemon"]
        url = f"http://{daemon}{path}"
        if query := request.rel_url.raw_query_string:
            url += f"?{query}"
        asked = self._session(daemon).request(
            request.method,
            URL(url, encoded=True),
            data=body or None,
            headers=dict([who.header]),
        )
        try:
            async with asked as answer:
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


async def _stop_body(request: web.Request) -> bytes:
    """Whatever comes of it in a short time: routerd stops without any."""
    try:
        return await bodies.whole(request, LARGEST_BODY_BYTES, bodies.STOP_LIMIT_S)
    except SaintError:
        return b""


async def _sent(request: web.Request, answer: aiohttp.ClientResponse) -> web.StreamResponse:
    """In pieces as they come: streams go on for as long as somebody reads them."""
    reply = web.StreamResponse(status=answer.status)
    reply.content_type = answer.content_type
    await reply.prepare(request)
    try:
        async for chunk in answer.content.iter_any():
            await reply.write(chunk)
        await reply.write_eof()
    except (
        aiohttp.ClientError,
        OSError,
    ):  # either side has gone: half an answer must not look whole
        if request.transport:
            request.transport.abort()
    return reply
