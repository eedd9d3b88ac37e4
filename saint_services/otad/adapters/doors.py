"""HTTP servers that cost nothing before somebody comes: the first connection loads aiohttp, 11 MB
that a robot without updates should not spend. Connections are bounded, silent ones are closed.
Not here: what is answered (downloads.py, uploads.py).
"""

import asyncio
import contextlib
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ...lib.errors import Code, SaintError
from ...lib.ipc import ErrorReply

if TYPE_CHECKING:
    from aiohttp import web

STOP_LIMIT_S = 1.0
_ARRIVAL_LIMIT_S = 10.0  # for the head of a connection's first request
_KEEP_ALIVE_S = 15.0
_HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n"
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)

Spawn = Callable[[Coroutine[Any, Any, None], str], asyncio.Task[Any]]
Handler = Callable[["web.Request"], Awaitable["web.StreamResponse"]]


@dataclass(frozen=True, slots=True)
class Route:
    """A method, a path as aiohttp understands it, who answers."""

    method: str
    path: str
    handler: Handler


@dataclass(frozen=True, slots=True)
class Bounds:
    """As configured."""

    most_connections: int
    stalled_after_s: float  # a peer that takes nothing for so long is gone


class Door:
    """Some listening sockets and what is answered there."""

    def __init__(
        self,
        sockets: list[socket.socket],
        routes: list[Route],
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
        self._opening: asyncio.Task[Any] | None = None
        self._runner: web.AppRunner | None = None
        self._listening: list[asyncio.Server] = []
        self._silent: set[Any] = set()  # new connections without a request yet

    def open(self) -> None:
        """Wait for the first connection."""
        for each in self._sockets:
            self._loop.add_reader(each, self._first)

    async def close(self) -> None:
        """End all connections."""
        self._deaf()
        if self._opening:
            self._opening.cancel()
            await asyncio.wait({self._opening})
        for server in self._listening:
            server.close()
        if self._runner:
            await self._runner.cleanup()
        for each in self._sockets:
            each.close()

    def _deaf(self) -> None:
        for each in self._sockets:
            self._loop.remove_reader(each)

    def _first(self) -> None:
        self._deaf()
        self._opening = self._spawn(self._serve(), "open door")

    async def _serve(self) -> None:
        web = await asyncio.to_thread(_load)
        app = web.Application(middlewares=[self._guard()])
        app.on_response_prepare.append(_add_headers)
        for route in self._routes:
            app.router.add_route(route.method, route.path, route.handler)
        self._runner = web.AppRunner(
            app,
            handle_signals=False,
            access_log=None,
            keepalive_timeout=_KEEP_ALIVE_S,
            shutdown_timeout=STOP_LIMIT_S,
        )
        await self._runner.setup()
        for each in self._sockets:
            self._listening.append(await self._loop.create_server(self._accept, sock=each))

    def _accept(self) -> asyncio.Protocol:
        server = self._runner.server if self._runner else None
        if server is None or len(server.connections) >= self._bounds.most_connections:
            self._counters["refused_too_many"] += 1
            return _Full()
        protocol: Any = server()
        self._silent.add(protocol)
        self._loop.call_later(_ARRIVAL_LIMIT_S, self._expect_request, protocol)
        return protocol  # type: ignore[no-any-return]  # aiohttp's own, a Protocol

    def _expect_request(self, protocol: Any) -> None:
        if protocol not in self._silent:
            return
        self._silent.discard(protocol)
        if protocol.transport is not None:
            self._counters["refused_silent"] += 1
            protocol.transport.abort()

    def _guard(self) -> Any:
        """Every refusal is counted, and is one sentence."""
        from aiohttp import web

        @web.middleware
        async def guard(request: "web.Request", handler: Handler) -> "web.StreamResponse":
            self._silent.discard(request.protocol)
            _limit_stall(request.transport, self._bounds.stalled_after_s)
            try:
                return await handler(request)
            except SaintError as err:
                error, status = err, err.status
            except web.HTTPMethodNotAllowed as err:
                allowed = ", ".join(sorted(err.allowed_methods))
                text = f"{request.method} is not possible here, only {allowed}"
                error, status = SaintError(Code.REQUEST_INVALID, text), err.status
            except web.HTTPNotFound as err:
                text = f"there is nothing at {request.path[:200]}"
                error, status = SaintError(Code.NOT_FOUND, text), err.status
            self._counters[f"refused_{error.code.value}"] += 1
            body = ErrorReply.of(error).model_dump_json() + "\n"
            return web.Response(status=status, text=body, content_type="application/json")

        return guard


class _Full(asyncio.Protocol):
    """Says so, and hangs up."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are streams without being asyncio's class
        cast(asyncio.Transport, transport).write(_FULL)
        transport.close()


def _load() -> Any:
    from aiohttp import web

    return web


async def _add_headers(_: "web.Request", response: "web.StreamResponse") -> None:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.popall("Server", None)


def _limit_stall(transport: Any, limit_s: float) -> None:
    """The kernel gives up a peer that acknowledges nothing, or whose window stays closed."""
    found = transport.get_extra_info("socket") if transport else None
    option = getattr(socket, "TCP_USER_TIMEOUT", None)  # Linux
    if found is not None and option is not None and found.family != socket.AF_UNIX:
        with contextlib.suppress(OSError):
            found.setsockopt(socket.IPPROTO_TCP, option, int(limit_s * 1000))
