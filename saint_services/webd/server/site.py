"""The web server: routes, pages, the two paths of the WebSocket, security headers of every reply.
Not here: the session of a WebSocket (websocket/session.py).
"""

import asyncio
import socket
import ssl
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from ...lib.errors import Code, SaintError
from ...lib.http_connections import tracked
from ..accounts.access import RefusedError, has_host_form, is_host_allowed
from ..accounts.gate import Gate
from ..config import Config
from ..pages.assets import Asset, Assets
from ..websocket.session import Session, Sessions
from .boundary import Boundary, answer_expect, refusal
from .connections import WebConnection, WebConnections
from .handlers import RequestHandlers
from .listening import Listening, SecureSockets

STOP_LIMIT_S = 1.0
LARGEST_REQUEST_BYTES = 64 * 1024

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(self), geolocation=(), usb=(), payment=()",
}


_IMPORT_MAP = web.AppKey("import_map", str)


def policy(host: str, import_map: str = "") -> str:
    """Return the content security policy: only our own files, the import map by its hash,
    WebSockets only to the host that served the page.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' {import_map}".rstrip(),
            "style-src 'self'",
            "img-src 'self'",
            "manifest-src 'self'",
            f"connect-src 'self' ws://{host} wss://{host}",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types lit-html robot-model",  # the second parses a robot's XML
        )
    )


class Site:
    """The web server."""

    def __init__(
        self,
        config: Config,
        gate: Gate,
        sessions: Sessions,
        assets: Assets,
        handlers: Sequence[RequestHandlers],
        boundary: Boundary,
        connections: WebConnections,
    ) -> None:
        self._config = config
        self._gate = gate
        self._sessions = sessions
        self._assets = assets
        self._handlers = handlers
        self._boundary = boundary
        self._connections = connections
        self._runner: web.AppRunner | None = None
        self._secure = SecureSockets(connections)

    async def open(
        self, listening: Sequence[socket.socket], secure: Sequence[socket.socket] = ()
    ) -> None:
        """Serve all paths on these sockets; those in `secure` wait for encrypt()."""
        around = [tracked, self._boundary.middleware(), self._host_check()]
        app = web.Application(middlewares=around, client_max_size=LARGEST_REQUEST_BYTES)
        app[_IMPORT_MAP] = await asyncio.to_thread(self._assets.import_map)
        app.on_response_prepare.append(_add_headers)
        own = [web.get("/api/ws", self._websocket), web.get("/saint", self._websocket)]
        others = (route for each in self._handlers for route in each.routes())
        for route in (*own, *others, web.get("/{path:.*}", self._file)):
            options = {**route.kwargs, "expect_handler": answer_expect}
            app.router.add_routes([web.RouteDef(route.method, route.path, route.handler, options)])
        self._runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=STOP_LIMIT_S)
        await self._runner.setup()
        for each in listening:
            await Listening(self._runner, each, self._connections).start()
        self._secure.reject(secure)

    async def encrypt(self, context: ssl.SSLContext | None) -> None:
        """Serve on the secure sockets from now on; without a context, stop serving there."""
        assert self._runner is not None
        await self._secure.serve(self._runner, context)

    async def close(self) -> None:
        """Close all WebSockets, then stop."""
        sessions = list(self._sessions.by_name.values())
        if sessions:
            closing = [asyncio.create_task(session.close()) for session in sessions]
            await asyncio.wait(closing, timeout=STOP_LIMIT_S)
        self._secure.close()
        if self._runner:
            await self._runner.cleanup()
        for each in self._handlers:
            await each.close()

    def _host_check(self) -> Any:
        @web.middleware
        async def check(request: web.Request, handler: Any) -> web.StreamResponse:
            if not is_host_allowed(_host(request), self._config.names):
                text = f"this robot has no host name {_host(request)[:64]!r}"
                raise RefusedError("host", Code.FORBIDDEN, text)
            answer: web.StreamResponse = await handler(request)
            return answer

        return check

    async def _websocket(self, request: web.Request) -> web.StreamResponse:
        self._gate.check_origin(request)
        if not self._sessions.has_room():
            text = f"{self._sessions.most} clients are already connected"
            fix = "Close one of them. A stop needs no place: POST /api/v1/system/estop."
            error = RefusedError("too_many_clients", Code.REFUSED, text, fix=fix)
            self._boundary.count(error)
            return refusal(error, 503)
        if request.headers.get("Upgrade", "").lower() != "websocket":
            text = "this path is a WebSocket; connect with ws://"
            return refusal(SaintError(Code.REQUEST_INVALID, text), 426, {"Upgrade": "websocket"})
        connection = request.protocol
        assert isinstance(connection, WebConnection)
        session = Session(self._sessions, request, connection.is_old)
        if session.identity is not None:
            self._sessions.check_place(session, session.identity)
        connection.become_websocket()
        return await session.run(request)

    async def _file(self, request: web.Request) -> web.StreamResponse:
        asset = await asyncio.to_thread(self._asset, request.match_info["path"])
        if asset is None:
            front = await asyncio.to_thread(self._assets.get, "")
            if front and _is_typed(request):  # the page says so, with a way to the others
                return web.Response(
                    body=front.body, status=404, content_type="text/html", charset="utf-8"
                )
            raise SaintError(Code.NOT_FOUND, f"there is no page {request.path}")
        return _sent(asset, request)

    def _asset(self, path: str) -> Asset | None:
        return self._assets.get(path) or self._assets.page(path)


def _host(request: web.Request) -> str:
    """Return the host that the client names. aiohttp's own property queries the name service when
    the client names none, and all of webd would wait for that.
    """
    hosts = request.headers.getall("Host", ())
    return hosts[0] if len(hosts) == 1 else ""


def _is_typed(request: web.Request) -> bool:
    """Whether a browser was sent to this address by its user; a program gets JSON."""
    return "text/html" in request.headers.get("Accept", "") and not request.path.startswith("/api/")


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(_HEADERS)
    host = _host(request) if has_host_form(_host(request)) else ""
    response.headers["Content-Security-Policy"] = policy(host, request.app.get(_IMPORT_MAP, ""))
    response.headers.setdefault("Cache-Control", "no-store")
    response.headers.popall("Server", None)


def _sent(asset: Asset, request: web.Request) -> web.Response:
    headers = {"ETag": asset.etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    known = request.headers.get("If-None-Match", "")
    if asset.etag in (tag.strip().removeprefix("W/") for tag in known.split(",")):
        return web.Response(status=304, headers=headers)
    body = asset.body
    if asset.zipped is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
        headers["Content-Encoding"] = "gzip"
        body = asset.zipped
    headers["Content-Type"] = asset.content_type
    return web.Response(body=body, headers=headers)
