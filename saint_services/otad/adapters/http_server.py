"""Serves HTTP and loads aiohttp at the first connection only: 11 MB that a robot without updates
does not spend. Not here: what is answered (downloads.py, uploads.py), the bounds of a connection
(lib/http_connections.py).
"""

import asyncio
import contextlib
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...lib.errors import Code, SaintError

if TYPE_CHECKING:
    from aiohttp import web

STOP_LIMIT_S = 1.0

Spawn = Callable[[Coroutine[Any, Any, None], str], asyncio.Task[Any]]
Handler = Callable[["web.Request"], Awaitable["web.StreamResponse"]]


@dataclass(frozen=True, slots=True)
class HttpRoute:
    """A method, a path as aiohttp understands it, its handler."""

    method: str
    path: str
    handler: Handler


@dataclass(frozen=True, slots=True)
class Bounds:
    """As configured."""

    most_connections: int
    stalled_after_s: float  # a client that reads nothing for so long is dropped


class LazyHttpServer:
    """Serves routes on listening sockets."""

    def __init__(
        self,
        sockets: list[socket.socket],
        routes: list[HttpRoute],
        bounds: Bounds,
        spawn: Spawn,
        counters: Counter[str],
    ) -> None:
        self._sockets = sockets
        self._routes = routes
        self._bounds = bounds
        self._spawn = spawn
        self._counters = counters
        self._loop = asyncio.get_running_loop()
        self._tasks: list[asyncio.Task[Any]] = []
        self._runner: web.AppRunner | None = None
        self._servers: list[asyncio.Server] = []

    def open(self) -> None:
        """Wait for the first connection."""
        for each in self._sockets:
            self._loop.add_reader(each, self._start)

    async def close(self) -> None:
        """End all connections."""
        self._stop_waiting()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for server in self._servers:
            server.close()
        if self._runner:
            await self._runner.cleanup()
        for each in self._sockets:
            each.close()

    def _stop_waiting(self) -> None:
        for each in self._sockets:
            self._loop.remove_reader(each)

    def _start(self) -> None:
        self._stop_waiting()
        self._tasks.append(self._spawn(self._serve(), "HTTP server starts"))

    async def _serve(self) -> None:
        http, web = await asyncio.to_thread(_load)
        app = web.Application(middlewares=[http.tracked, self._errors()])
        app.on_response_prepare.append(_add_headers)
        for route in self._routes:
            app.router.add_route(route.method, route.path, route.handler)
        self._runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=STOP_LIMIT_S)
        await self._runner.setup()
        connections = http.HttpConnections(self._counters, self._bounds.most_connections)
        self._tasks.append(self._spawn(connections.watch(), "HTTP connections"))
        server = self._runner.server
        options = {
            "access_log": None,
            "keepalive_timeout": 2 * http.REQUEST_LIMIT_S,  # HttpConnections ends it before
        }
        for each in self._sockets:
            self._servers.append(
                await self._loop.create_server(
                    lambda: http.HttpConnection(connections, server, **options), sock=each
                )
            )

    def _errors(self) -> Any:
        """Count each refusal and answer it with one sentence."""
        from aiohttp import web

        from ...lib.http_connections import error_response

        @web.middleware
        async def answer(request: "web.Request", handler: Handler) -> "web.StreamResponse":
            _limit_stall(request.transport, self._bounds.stalled_after_s)
            try:
                return await handler(request)
            except SaintError as err:
                error, status = err, err.status
            except web.HTTPMethodNotAllowed as err:
                allowed = ", ".join(sorted(err.allowed_methods))
                text = f"{request.method} is not supported here, only {allowed}"
                error, status = SaintError(Code.REQUEST_INVALID, text), err.status
            except web.HTTPNotFound as err:
                text = f"there is no file at {request.path[:200]}"
                error, status = SaintError(Code.NOT_FOUND, text), err.status
            self._counters[f"refused_{error.code.value}"] += 1
            return error_response(error, status)

        return answer


def _load() -> Any:
    from aiohttp import web

    from ...lib import http_connections

    return http_connections, web


async def _add_headers(request: "web.Request", response: "web.StreamResponse") -> None:
    from ...lib.http_connections import HttpConnection

    for name, value in HttpConnection.headers.items():
        response.headers.setdefault(name, value)
    response.headers.popall("Server", None)


def _limit_stall(transport: Any, limit_s: float) -> None:
    """Have the kernel drop a client that acknowledges nothing, or whose window stays closed."""
    found = transport.get_extra_info("socket") if transport else None
    option = getattr(socket, "TCP_USER_TIMEOUT", None)  # Linux
    if found is not None and option is not None and found.family != socket.AF_UNIX:
        with contextlib.suppress(OSError):
            found.setsockopt(socket.IPPROTO_TCP, option, int(limit_s * 1000))
