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
from ..access.audit import Entry
from ..api.endpoint import Endpoint
from ..errors import Code, SaintError
from . import routes
from .connection import Asked, Connection, GoneError, Hub
from .routes import Call, Route
from .wire import ErrorReply, StreamEnd

B = TypeVar("B")
P = TypeVar("P", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)

_CLOSE_LIMIT_S = 1.0
_TOO_LATE = "there was no result in time"
_UNAWAITED = "nobody waited for the answer, so it may be done or not"
_FAULT = "it is the service's own; its log tells more"
_log = log.get("ipc")

Handler = Callable[[Call[B]], Awaitable[BaseModel]]
StreamHandler = Callable[[Call[B]], AsyncIterator[BaseModel]]


class Api:
    """The paths that a daemon answers."""

    def __init__(self) -> None:
        self._routes: list[Route] = []
        self.counters: Counter[str] = Counter()
        self.on_entry: Callable[[Entry], None] = _unheard  # of what was carried out or refused

    def get(self, path: str, handler: Handler[None], *, limit_s: float = 10.0) -> None:
        """Answer GET `path`; `limit_s` is the longest that the handler may take."""
        self._routes.append(Route("GET", path, handler, None, limit_s))

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

    def bind(self, row: Endpoint[P, R], handler: Callable[[Call[P]], Awaitable[R]]) -> None:
        """Answer what this row of lib/api describes."""
        self._routes.append(Route(row.method, row.path, handler, row.params, row.limit_s, row=row))

    def bind_stream(
        self, row: Endpoint[P, R], handler: Callable[[Call[P]], AsyncIterator[R]]
    ) -> None:
        """The same with one reply a line, as `stream` does."""
        self._routes.append(
            Route(row.method, row.path, handler, row.params, row.limit_s, is_stream=True, row=row)
        )

    def check(self, rows: Iterable[Endpoint[Any, Any]]) -> None:
        """Raise internal when one of these rows was not bound."""
        bound = {route.row.name for route in self._routes if route.row}
        if missing := [row.name for row in rows if row.name not in bound]:
            raise SaintError(Code.INTERNAL, f"nothing answers {', '.join(missing)}")

    def delete(self, path: str, handler: Handler[None], *, limit_s: float = 10.0) -> None:
        """Answer DELETE `path`."""
        self._routes.append(Route("DELETE", path, handler, None, limit_s))

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
        self._routes.append(Route(method, path, handler, model, limit_s, is_stream))

    async def serve(self, sockets: Iterable[socket.socket]) -> "Server":
        """Answer on listening sockets until the server is closed."""
        server = Server(self._routes, self.counters, self.on_entry)
        await server.open(sockets)
        return server


class Server:
    """An Api at work; made by Api.serve."""

    def __init__(
        self, served: list[Route], counters: Counter[str], on_entry: Callable[[Entry], None]
    ) -> None:
        self._routes = served
        self._counters = counters
        self._on_entry = on_entry
        self._running: set[asyncio.Task[Any]] = set()
        self._listening: list[asyncio.Server] = []
        self._hub = Hub(self._answer, self._refusal)

    async def open(self, sockets: Iterable[socket.socket]) -> None:
        """Start answering."""
        loop = asyncio.get_running_loop()
        for each in sockets:
            server = await loop.create_server(lambda: Connection(self._hub), sock=each)
            self._listening.append(server)

    async def close(self) -> None:
        """Stop answering; streams end at once."""
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

    async def _all_closed(self) -> None:
        for connection in tuple(self._hub.connections):
            await connection.closed.wait()

    async def _answer(self, asked: Asked, connection: Connection) -> None:
        route, call = None, None
        try:
            route, values = routes.find(self._routes, asked.method, asked.target)
            call = routes.call(route, values, asked)
            if route.is_stream:
                await self._stream(route, call, connection)
            else:
                async with asyncio.timeout(route.limit_s):
                    reply, text = await self._outcome(_answer(route, call))
                with self._noted(route, call, reply):
                    connection.reply(200, text)
        except SaintError as err:
            self._refuse(err, route, call, connection)
        except TimeoutError:
            self._refuse(SaintError(Code.INTERNAL, _TOO_LATE), route, call, connection)
        except asyncio.CancelledError:
            self._note(route, call, SaintError(Code.INTERNAL, _UNAWAITED))
            raise

    def _refuse(
        self, error: SaintError, route: Route | None, call: Call[Any] | None, connection: Connection
    ) -> None:
        with self._noted(route, call, error):
            connection.reply(error.status, self._refusal(error))

    @contextlib.contextmanager
    def _noted(self, route: Route | None, call: Call[Any] | None, outcome: Any) -> Iterator[None]:
        """After the answer: it does not wait for the audit log."""
        try:
            yield
        finally:
            self._note(route, call, outcome)

    def _note(self, route: Route | None, call: Call[Any] | None, outcome: Any) -> None:
        """The audit log's entry of a request that changes something."""
        row = route.row if route else None
        if row is None or row.is_reading or call is None or (who := call.person) is None:
            return
        make = audit.refused if isinstance(outcome, SaintError) else audit.done
        try:
            self._on_entry(make(row, who, call.body, outcome))
        except (KeyError, AttributeError, ValueError) as err:  # a sentence that does not fit
            _log.error("no audit entry", request=row.name, error=err)
            self._counters["audit_faults"] += 1

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
        raise SaintError(Code.INTERNAL, _FAULT) from error

    async def _stream(self, route: Route, call: Call[Any], connection: Connection) -> None:
        """All lines of a stream; what goes wrong after the first one is told in the last one."""
        try:
            await self._outcome(_pour(route, call, connection))
        except SaintError as err:
            if not connection.is_begun:
                raise
            await connection.line(_encoded(StreamEnd(error=ErrorReply.of(err))))
        connection.end_lines()

    def _refusal(self, error: SaintError) -> bytes:
        self._counters[f"ipc_refused_{error.code.value}"] += 1
        return _encoded(ErrorReply.of(error))


async def _answer(route: Route, call: Call[Any]) -> tuple[BaseModel, bytes]:
    reply = await route.handler(call)
    return reply, _encoded(reply)


async def _pour(route: Route, call: Call[Any], connection: Connection) -> None:
    """All lines of a stream. The status is sent with the first one."""
    replies: AsyncGenerator[BaseModel] = route.handler(call)
    async with contextlib.aclosing(replies):
        try:
            async with asyncio.timeout(route.limit_s):
                first = await anext(replies, None)
        except TimeoutError as err:
            raise SaintError(Code.INTERNAL, _TOO_LATE) from err
        with contextlib.suppress(GoneError):  # that is how streams end
            connection.begin_lines()
            if first is not None:
                await connection.line(_encoded(first))
            async for reply in replies:
                await connection.line(_encoded(reply))


def _unheard(_: Entry) -> None:
    """For an Api of no daemon."""


def _encoded(reply: BaseModel) -> bytes:
    return reply.model_dump_json(by_alias=True).encode() + b"\n"
