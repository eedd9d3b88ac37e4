"""The control plane: HTTP and JSON over unix sockets, for daemons (Api) and their clients (Client).
`curl --unix-socket <path> http://localhost/status` works. Not here: what is asked (lib/api).

aiohttp is imported when the first server or client opens: programs that do neither never pay.
"""

import asyncio
import contextlib
import socket
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pydantic_core
from pydantic import BaseModel, ValidationError

from . import log, validation
from .errors import Code, SaintError
from .ipc_client import Client
from .ipc_wire import LARGEST_BODY_BYTES, ErrorReply, StreamEnd

if TYPE_CHECKING:
    from aiohttp import web

__all__ = ["LARGEST_BODY_BYTES", "Api", "Call", "Client", "ErrorReply", "Server"]

B = TypeVar("B")
Read = TypeVar("Read", covariant=True)  # a Call is only read

_WRITE_LIMIT_S = 5.0  # a client that does not read a stream for so long is dropped
_READ_LIMIT_S = 10.0  # for a request's body to arrive
_CLOSE_LIMIT_S = 1.0
_log = log.get("ipc")


@dataclass(frozen=True, slots=True)
class Call(Generic[Read]):
    """One request. `path` holds the {parts} of the route, `body` the checked model."""

    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Read


Handler = Callable[[Call[B]], Awaitable[BaseModel]]
StreamHandler = Callable[[Call[B]], AsyncIterator[BaseModel]]


@dataclass(frozen=True, slots=True)
class _Route:
    method: str
    path: str
    handler: Callable[[Any], Any]
    body: type[BaseModel] | None
    limit_s: float
    is_stream: bool = False


class Api:
    """The paths that a daemon answers."""

    def __init__(self) -> None:
        self._routes: list[_Route] = []
        self.counters: Counter[str] = Counter()

    def get(self, path: str, handler: Handler[None], *, limit_s: float = 10.0) -> None:
        """Answer GET `path`; `limit_s` is the longest that the handler may take."""
        self._routes.append(_Route("GET", path, handler, None, limit_s))

    def post(
        self, path: str, handler: Handler[B], body: type[B] | None = None, *, limit_s: float = 10.0
    ) -> None:
        """Answer POST `path`; the handler finds the checked `body` in its call."""
        self._add("POST", path, handler, body, limit_s)

    def put(
        self, path: str, handler: Handler[B], body: type[B] | None = None, *, limit_s: float = 10.0
    ) -> None:
        """Answer PUT `path`."""
        self._add("PUT", path, handler, body, limit_s)

    def patch(
        self, path: str, handler: Handler[B], body: type[B] | None = None, *, limit_s: float = 10.0
    ) -> None:
        """Answer PATCH `path`."""
        self._add("PATCH", path, handler, body, limit_s)

    def delete(self, path: str, handler: Handler[None], *, limit_s: float = 10.0) -> None:
        """Answer DELETE `path`."""
        self._routes.append(_Route("DELETE", path, handler, None, limit_s))

    def stream(
        self,
        method: str,
        path: str,
        handler: StreamHandler[B],
        body: type[B] | None = None,
        *,
        limit_s: float = 10.0,
    ) -> None:
        """Answer with one JSON object per line for as long as the handler yields.

        The handler is cancelled when the client's connection ends. `limit_s` is for the first
        line: an error raised before it becomes the answer's status.
        """
        self._add(method, path, handler, body, limit_s, is_stream=True)

    def _add(
        self,
        method: str,
        path: str,
        handler: Callable[[Call[B]], Any],
        body: type[B] | None,
        limit_s: float,
        is_stream: bool = False,
    ) -> None:
        model: Any = body
        self._routes.append(_Route(method, path, handler, model, limit_s, is_stream))

    async def serve(self, sockets: Iterable[socket.socket]) -> "Server":
        """Answer on listening sockets until the server is closed."""
        server = Server(self._routes, self.counters)
        await server.open(sockets)
        return server


class Server:
    """An Api at work; made by Api.serve."""

    def __init__(self, routes: list[_Route], counters: Counter[str]) -> None:
        self._routes = routes
        self._counters = counters
        self._running: set[asyncio.Task[Any]] = set()
        self._runner: web.AppRunner | None = None

    async def open(self, sockets: Iterable[socket.socket]) -> None:
        """Start answering."""
        from aiohttp import web

        app = web.Application(middlewares=[self._translate], client_max_size=LARGEST_BODY_BYTES)
        for route in self._routes:
            app.router.add_route(route.method, route.path, self._handler(route))
        self._runner = web.AppRunner(
            app,
            handle_signals=False,
            access_log=None,
            handler_cancellation=True,
            shutdown_timeout=_CLOSE_LIMIT_S,
        )
        await self._runner.setup()
        for each in sockets:
            await web.SockSite(self._runner, each).start()

    async def close(self) -> None:
        """Stop answering; streams end at once."""
        for task in self._running:
            task.cancel()
        if self._runner:
            await self._runner.cleanup()
            self._runner = None

    def _handler(self, route: _Route) -> Callable[["web.Request"], Awaitable["web.StreamResponse"]]:
        async def handle(request: "web.Request") -> "web.StreamResponse":
            async with asyncio.timeout(_READ_LIMIT_S):
                raw = await request.read() if route.body else b""
            call = Call(
                path=dict(request.match_info),
                query=dict(request.query),
                body=_checked(route.body, raw) if route.body else None,
            )
            if route.is_stream:
                return await self._stream(route, call, request)
            async with asyncio.timeout(route.limit_s):
                return _json(200, await self._outcome(route.handler(call)))

        return handle

    async def _outcome(self, work: Awaitable[Any]) -> Any:
        """The work's result. Run as a task of its own so that whatever it raises is data here."""
        task = asyncio.ensure_future(work)
        self._running.add(task)
        try:
            await asyncio.wait({task})
        finally:
            self._running.discard(task)
            if task.cancel():
                await asyncio.wait({task}, timeout=_CLOSE_LIMIT_S)
        if task.cancelled():
            raise SaintError(Code.DAEMON_UNREACHABLE, "the daemon is stopping")
        error = task.exception()
        if error is None or isinstance(error, SaintError):
            return task.result()
        _log.error("request failed", error=type(error).__name__, text=error)
        _log.trace(error)
        self._counters["ipc_faults"] += 1
        raise SaintError(Code.INTERNAL, f"{type(error).__name__}: {error}") from error

    async def _stream(
        self, route: _Route, call: Call[Any], request: "web.Request"
    ) -> "web.StreamResponse":
        from aiohttp import web

        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        try:
            await self._outcome(_pour(route, call, request, response))
        except SaintError as err:
            if not response.prepared:
                raise
            with contextlib.suppress(ConnectionError):
                await _send(response, StreamEnd(error=ErrorReply.of(err)))
        return response

    @property
    def _translate(self) -> Any:
        from aiohttp import web

        @web.middleware
        async def translate(request: web.Request, handler: Any) -> web.StreamResponse:
            try:
                answer: web.StreamResponse = await handler(request)
            except SaintError as err:
                return self._refusal(err)
            except TimeoutError:
                return self._refusal(SaintError(Code.INTERNAL, "there was no result in time"))
            except web.HTTPNotFound:
                return self._refusal(self._unknown_path(request.path))
            except web.HTTPMethodNotAllowed as err:
                allowed = ", ".join(sorted(err.allowed_methods - {"HEAD"}))
                message = f"{request.method} is not possible at {request.path}, only {allowed}"
                return self._refusal(SaintError(Code.REQUEST_INVALID, message), 405)
            except web.HTTPRequestEntityTooLarge:
                message = f"the body is longer than {LARGEST_BODY_BYTES} bytes"
                return self._refusal(SaintError(Code.TOO_LARGE, message))
            return answer

        return translate

    def _refusal(self, error: SaintError, status: int = 0) -> "web.Response":
        self._counters[f"ipc_refused_{error.code.value}"] += 1
        return _json(status or error.status, ErrorReply.of(error))

    def _unknown_path(self, path: str) -> SaintError:
        known = sorted({route.path for route in self._routes})
        return SaintError(
            Code.NOT_FOUND,
            f"{path} is not a path here",
            fix=f"Known paths: {', '.join(known)}.",
        )


async def _pour(
    route: _Route, call: Call[Any], request: "web.Request", response: "web.StreamResponse"
) -> None:
    """All lines of a stream. The status is sent with the first one."""
    replies: AsyncGenerator[BaseModel] = route.handler(call)
    async with contextlib.aclosing(replies):
        async with asyncio.timeout(route.limit_s):
            first = await anext(replies, None)
        try:
            await response.prepare(request)
            if first is not None:
                await _send(response, first)
            async for reply in replies:
                await _send(response, reply)
        except ConnectionError:
            return  # the client has gone; that is how streams end


def _json(status: int, reply: BaseModel) -> "web.Response":
    from aiohttp import web

    text = reply.model_dump_json(by_alias=True)
    return web.Response(status=status, text=text + "\n", content_type="application/json")


async def _send(response: "web.StreamResponse", reply: BaseModel) -> None:
    line = reply.model_dump_json(by_alias=True).encode() + b"\n"
    try:
        async with asyncio.timeout(_WRITE_LIMIT_S):
            await response.write(line)
    except TimeoutError as err:
        raise SaintError(Code.TOO_SLOW, "the client does not read its stream") from err


def _checked(model: type[BaseModel], raw: bytes) -> BaseModel:
    """The body as a model; none at all counts as one without fields."""
    try:
        return model.model_validate_json(raw or b"{}")
    except ValidationError as err:
        error = err
    if any(details["type"] == "json_invalid" for details in error.errors(include_url=False)):
        raise SaintError(Code.REQUEST_INVALID, "the body is not JSON")
    data = pydantic_core.from_json(raw or b"{}")
    found = validation.faults(error, model, data, noun="field")
    subject = "" if found[0].path else "the request "
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    raise SaintError(Code.REQUEST_INVALID, f"{subject}{found[0]}{more}")
