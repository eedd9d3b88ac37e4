"""Answers the requests of the control plane: paths, handlers and streams of one daemon. Not here:
connections and their limits (connection.py).
"""

import asyncio
import contextlib
import socket
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any, TypeVar

from pydantic import BaseModel

from .. import log
from ..access import audit
from ..access.audit import AuditRecord
from ..api.endpoint import Endpoint
from ..errors import Code, SaintError
from . import routes
from .connection import ApiConnection, ClientGoneError, ConnectionHub, ReceivedRequest
from .routes import ApiRoute, Call
from .wire import ErrorReply, StreamEnd

B = TypeVar("B")
P = TypeVar("P", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)

_CLOSE_LIMIT_S = 1.0
_TIMED_OUT = "the request timed out in the service"
_ABANDONED = "the client left before the reply, so the request may have been carried out or not"
_FAULT = "the request failed by a fault of the service; see its log"
_log = log.get("ipc")

Handler = Callable[[Call[B]], Awaitable[BaseModel]]
StreamHandler = Callable[[Call[B]], AsyncIterator[BaseModel]]


class Api:
    """The requests that a daemon serves."""

    def __init__(self) -> None:
        self._routes: list[ApiRoute] = []
        self.counters: Counter[str] = Counter()
        self.on_entry: Callable[[AuditRecord], None] = _discard  # for each change and refusal

    def get(self, path: str, handler: Handler[None], *, limit_s: float = 10.0) -> None:
        """Serve GET `path`; the handler times out after `limit_s`."""
        self._routes.append(ApiRoute("GET", path, handler, None, limit_s))

    def post(
        self, path: str, handler: Handler[B], body: type[B] | None = None, *, limit_s: float = 10.0
    ) -> None:
        """Serve POST `path`; the handler receives the validated `body` in its call."""
        self._add("POST", path, handler, body, limit_s)

    def put(
        self, path: str, handler: Handler[B], body: type[B] | None = None, *, limit_s: float = 10.0
    ) -> None:
        """Serve PUT `path`."""
        self._add("PUT", path, handler, body, limit_s)

    def patch(
        self, path: str, handler: Handler[B], body: type[B] | None = None, *, limit_s: float = 10.0
    ) -> None:
        """Serve PATCH `path`."""
        self._add("PATCH", path, handler, body, limit_s)

    def bind(self, row: Endpoint[P, R], handler: Callable[[Call[P]], Awaitable[R]]) -> None:
        """Serve the request that this row of lib/api describes."""
        _build(row)
        self._routes.append(
            ApiRoute(row.method, row.path, handler, row.params, row.limit_s, row=row)
        )

    def bind_stream(
        self, row: Endpoint[P, R], handler: Callable[[Call[P]], AsyncIterator[R]]
    ) -> None:
        """Serve this row as a stream, one reply per line (see `stream`)."""
        _build(row)
        self._routes.append(
            ApiRoute(
                row.method, row.path, handler, row.params, row.limit_s, is_stream=True, row=row
            )
        )

    def check(self, rows: Iterable[Endpoint[Any, Any]]) -> None:
        """Raise `internal` if one of these rows has no handler."""
        bound = {route.row.name for route in self._routes if route.row}
        if missing := [row.name for row in rows if row.name not in bound]:
            raise SaintError(Code.INTERNAL, f"no handler is bound for {', '.join(missing)}")

    def delete(self, path: str, handler: Handler[None], *, limit_s: float = 10.0) -> None:
        """Serve DELETE `path`."""
        self._routes.append(ApiRoute("DELETE", path, handler, None, limit_s))

    def stream(
        self,
        method: str,
        path: str,
        handler: StreamHandler[B],
        body: type[B] | None = None,
        *,
        limit_s: float = 10.0,
    ) -> None:
        """Serve a stream: one JSON object per line until the handler ends.

        The handler is cancelled when the client's connection ends. `limit_s` limits the time to the
        first line; an error raised before that line becomes the HTTP status.
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
        self._routes.append(ApiRoute(method, path, handler, model, limit_s, is_stream))

    async def serve(self, sockets: Iterable[socket.socket]) -> "ApiServer":
        """Serve on listening sockets until the server is closed."""
        server = ApiServer(self._routes, self.counters, self.on_entry)
        await server.open(sockets)
        return server


class ApiServer:
    """A running Api; made by Api.serve."""

    def __init__(
        self,
        served: list[ApiRoute],
        counters: Counter[str],
        on_entry: Callable[[AuditRecord], None],
    ) -> None:
        self._routes = served
        self._counters = counters
        self._on_entry = on_entry
        self._running: set[asyncio.Task[Any]] = set()
        self._listening: list[asyncio.Server] = []
        self._hub = ConnectionHub(self._answer, self._refusal)

    async def open(self, sockets: Iterable[socket.socket]) -> None:
        loop = asyncio.get_running_loop()
        for each in sockets:
            server = await loop.create_server(lambda: ApiConnection(self._hub), sock=each)
            self._listening.append(server)

    async def close(self) -> None:
        """Stop serving: end all streams at once and close all connections."""
        self._hub.closing.set()
        try:
            await self._accepted()
        finally:
            for server in self._listening:
                server.close()
        for task in self._running:
            task.cancel()
        for connection in tuple(self._hub.connections):
            connection.stop()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_LIMIT_S):
                await self._all_closed()
        for connection in tuple(self._hub.connections):
            connection.abort()
        await self._all_closed()

    async def _accepted(self) -> None:
        """Accept no more, and let the loop hand over what it has accepted: a server that is closed
        before it would lose that connection, open.
        """
        for server in self._listening:
            for each in server.sockets:
                asyncio.get_running_loop().remove_reader(each.fileno())
        await asyncio.sleep(0)

    async def _all_closed(self) -> None:
        for connection in tuple(self._hub.connections):
            await connection.closed.wait()

    async def _answer(self, request: ReceivedRequest, connection: ApiConnection) -> None:
        route, call = None, None
        try:
            route, values = routes.find(self._routes, request.method, request.target)
            call = routes.call(route, values, request)
            if route.is_stream:
                await self._stream(route, call, connection)
            else:
                async with asyncio.timeout(route.limit_s):
                    reply, text = await self._run(_reply(route, call))
                with self._audited(route, call, reply):
                    connection.reply(200, text)
        except SaintError as err:
            self._refuse(err, route, call, connection)
        except TimeoutError:
            self._refuse(SaintError(Code.INTERNAL, _TIMED_OUT), route, call, connection)
        except asyncio.CancelledError:
            self._audit(route, call, SaintError(Code.INTERNAL, _ABANDONED))
            raise

    def _refuse(
        self,
        error: SaintError,
        route: ApiRoute | None,
        call: Call[Any] | None,
        connection: ApiConnection,
    ) -> None:
        with self._audited(route, call, error):
            connection.reply(error.status, self._refusal(error))

    @contextlib.contextmanager
    def _audited(
        self, route: ApiRoute | None, call: Call[Any] | None, outcome: Any
    ) -> Iterator[None]:
        """Add the audit entry after the reply, which must not wait for the log."""
        try:
            yield
        finally:
            self._audit(route, call, outcome)

    def _audit(self, route: ApiRoute | None, call: Call[Any] | None, outcome: Any) -> None:
        """Report a request that changes something to the audit log."""
        row = route.row if route else None
        if row is None or row.is_reading or call is None or (who := call.person) is None:
            return
        make = audit.refused if isinstance(outcome, SaintError) else audit.done
        try:
            self._on_entry(make(row, who, call.body, outcome))
        except (KeyError, AttributeError, ValueError) as err:  # the row's sentence does not fit
            _log.error("no audit entry", request=row.name, error=err)
            self._counters["audit_faults"] += 1

    async def _run(self, work: Awaitable[Any]) -> Any:
        """Run a handler as a task and return its result; every fault becomes a SaintError."""
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
        raise SaintError(Code.INTERNAL, _FAULT) from error

    async def _stream(self, route: ApiRoute, call: Call[Any], connection: ApiConnection) -> None:
        """Send a stream; an error after the first line becomes the last line."""
        try:
            await self._run(_send_lines(route, call, connection))
        except SaintError as err:
            if not connection.is_begun:
                raise
            await connection.line(_encoded(StreamEnd(error=ErrorReply.of(err))))
        connection.end_lines()

    def _refusal(self, error: SaintError) -> bytes:
        self._counters[f"ipc_refused_{error.code.value}"] += 1
        return _encoded(ErrorReply.of(error))


async def _reply(route: ApiRoute, call: Call[Any]) -> tuple[BaseModel, bytes]:
    reply = await route.handler(call)
    return reply, _encoded(reply)


async def _send_lines(route: ApiRoute, call: Call[Any], connection: ApiConnection) -> None:
    """Send the lines of a stream, the HTTP status with the first one."""
    replies: AsyncGenerator[BaseModel] = route.handler(call)
    async with contextlib.aclosing(replies):
        try:
            async with asyncio.timeout(route.limit_s):
                first = await anext(replies, None)
        except TimeoutError as err:
            raise SaintError(Code.INTERNAL, _TIMED_OUT) from err
        with contextlib.suppress(
            ClientGoneError
        ):  # the client ends a stream by closing its connection
            connection.begin_lines()
            if first is not None:
                await connection.line(_encoded(first))
            async for reply in replies:
                await connection.line(_encoded(reply))


def _build(row: Endpoint[Any, Any]) -> None:
    """Build what checks a row's models now: models are built when they are first used."""
    for model in (row.params, row.reply):
        model.model_rebuild()


def _discard(_: AuditRecord) -> None:
    """Drop the audit entries of an Api outside a daemon."""


def _encoded(reply: BaseModel) -> bytes:
    return reply.model_dump_json(by_alias=True).encode() + b"\n"
