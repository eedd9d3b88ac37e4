"""HTTP: pages and the WebSocket's two paths; every answer carries the security headers.
Not here: what happens inside a WebSocket (session.py).
"""

import asyncio
import socket
import ssl
from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

from aiohttp import web

from ...lib.errors import Code, SaintError
from ...lib.ipc import ErrorReply
from ..access import is_host_allowed
from ..config import Config
from . import bad_requests
from .assets import Asset, Assets
from .gate import Gate, RefusedError
from .secure_sockets import SecureSockets
from .session import Door, Session

STOP_LIMIT_S = 1.0
LINGER_S = 60.0  # a browser reads the refusal of a large upload only when it has sent all of it
LARGEST_REQUEST_BYTES = 64 * 1024

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), usb=(), payment=()",
}


_IMPORT_MAP = web.AppKey("import_map", str)


def policy(host: str, import_map: str = "") -> str:
    """Only our own files, and the import map by its hash; WebSockets only to the host that served
    the page.
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


class Part(Protocol):
    """Some of the site's HTTP requests, in a module of its own; it checks who asks itself."""

    def routes(self) -> Sequence[web.RouteDef]: ...

    async def close(self) -> None: ...


class Site:
    """The web server."""

    def __init__(
        self,
        config: Config,
        gate: Gate,
        door: Door,
        assets: Assets,
        parts: Sequence[Part],
        counters: Counter[str],
    ) -> None:
        self._config = config
        self._gate = gate
        self._door = door
        self._assets = assets
        self._parts = parts
        self._counters = counters
        self._runner: web.AppRunner | None = None
        self._secure = SecureSockets()

    async def open(
        self, listening: Sequence[socket.socket], secure: Sequence[socket.socket] = ()
    ) -> None:
        """Answer on these sockets; all answer all paths. Those in `secure` wait for encrypt()."""
        app = web.Application(middlewares=[self._guard()], client_max_size=LARGEST_REQUEST_BYTES)
        app[_IMPORT_MAP] = await asyncio.to_thread(self._assets.import_map)
        app.on_response_prepare.append(_add_headers)
        app.router.add_get("/api/ws", self._websocket)
        app.router.add_get("/saint", self._websocket)
        for part in self._parts:
            app.router.add_routes(part.routes())
        app.router.add_get("/{path:.*}", self._file)
        self._runner = web.AppRunner(
            app,
            handle_signals=False,
            access_log=None,
            logger=bad_requests.logger(self._counters),
            shutdown_timeout=STOP_LIMIT_S,
            lingering_time=LINGER_S,
        )
        await self._runner.setup()
        for each in listening:
            await web.SockSite(self._runner, each).start()
        self._secure.closed(secure)

    async def encrypt(self, context: ssl.SSLContext | None) -> None:
        """Answer on the secure sockets from now on, or, without a context, no more."""
        assert self._runner is not None
        await self._secure.serve(self._runner, context)

    async def close(self) -> None:
        """Say goodbye to all clients, then stop."""
        sessions = list(self._door.sessions.values())
        if sessions:
            closing = [asyncio.create_task(session.close()) for session in sessions]
            await asyncio.wait(closing, timeout=STOP_LIMIT_S)
        self._secure.close()
        if self._runner:
            await self._runner.cleanup()
        for part in self._parts:
            await part.close()

    def _guard(self) -> Any:
        @web.middleware
        async def guard(request: web.Request, handler: Any) -> web.StreamResponse:
            try:
                if not is_host_allowed(request.host, self._config.names):
                    self._counters["refused_host"] += 1
                    text = f"this robot is not called {request.host!r}"
                    raise SaintError(Code.FORBIDDEN, text)
                answer: web.StreamResponse = await handler(request)
            except SaintError as err:
                return _refusal(err)
            except web.HTTPMethodNotAllowed as err:
                text = f"{request.method} is not possible here"
                return _refusal(SaintError(Code.REQUEST_INVALID, text), err.status)
            return answer

        return guard

    async def _websocket(self, request: web.Request) -> web.StreamResponse:
        try:
            self._gate.check_origin(request)
        except RefusedError as err:
            self._counters[f"refused_{err.reason}"] += 1
            raise
        if len(self._door.sessions) >= self._config.max_clients:
            self._counters["refused_too_many_clients"] += 1
            text = f"{self._config.max_clients} clients are connected already"
            return _refusal(SaintError(Code.REFUSED, text), 503)
        if request.headers.get("Upgrade", "").lower() != "websocket":
            text = "this is a WebSocket; connect with ws://"
            return _refusal(SaintError(Code.REQUEST_INVALID, text), 426)
        return await Session(self._door, request).run(request)

    async def _file(self, request: web.Request) -> web.StreamResponse:
        asset = await asyncio.to_thread(self._assets.get, request.match_info["path"])
        if asset is None:
            raise SaintError(Code.NOT_FOUND, f"there is no page {request.path}")
        return _sent(asset, request)


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(_HEADERS)
    response.headers["Content-Security-Policy"] = policy(
        request.host, request.app.get(_IMPORT_MAP, "")
    )
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


def _refusal(error: SaintError, status: int = 0) -> web.Response:
    text = ErrorReply.of(error).model_dump_json()
    return web.Response(
        status=status or error.status, text=text + "\n", content_type="application/json"
    )
