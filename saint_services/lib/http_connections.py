"""Limits the connections of an HTTP server: their number, the time for a request, the time without
progress of a reply, the bytes that a client may send. Also replies to requests that are not HTTP.
Importing this module loads aiohttp (11 MB). Not here: what a request means.
"""

import asyncio
import contextlib
import math
import socket
from collections import Counter
from typing import Any, Generic, TypeVar

from aiohttp import web
from aiohttp.http_exceptions import LineTooLong

from .clock import monotonic_s
from .errors import Code, SaintError
from .ipc import ErrorReply

REQUEST_LIMIT_S = 30.0  # from the connection, or the last reply, to a complete head
LINGER_S = 60.0  # a browser reads the refusal of a large upload only after sending all of it
STALLED_S = 30.0  # a reply of which nothing is read for this time is aborted
CHECK_INTERVAL_S = 1.0
REFUSAL_READ_S = 1.0  # for the client to read why the connection is closed
# In addition to the announced body: the head, and requests behind it. aiohttp limits the size of a
# header, but older versions not the number of headers, nor what waits for a reply to be sent.
SPARE_BYTES = 2 << 20
_PEEK_BYTES = 2048
_TOO_MANY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n"
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)


class HttpConnection(web.RequestHandler):
    """One connection of a client."""

    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
    malformed_fix = "Correct the program that sends it."

    def __init__(
        self, connections: "HttpConnections[Any]", server: web.Server, **options: Any
    ) -> None:
        super().__init__(server, loop=asyncio.get_running_loop(), **options)
        self._connections = connections
        self._until_s = monotonic_s() + REQUEST_LIMIT_S
        self._room_bytes: float = SPARE_BYTES  # bytes that may still arrive
        self._has_begun = False  # a request has started to arrive
        self._unsent_bytes = 0
        self._moved_s = monotonic_s()
        self.is_waiting = True  # for a request; False while one is handled
        self.has_served = False  # a request of this connection was answered

    # Called by the loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._connections.add(self)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._connections.forget(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._has_begun = True
        self._room_bytes -= len(data)
        if self._room_bytes < 0:
            self._connections.end(self, "too_much")
            return
        super().data_received(data)

    # Called by aiohttp.

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Reply to a request that is not HTTP. Clients can send any number of these, so they are
        counted, not logged.
        """
        if isinstance(exc, ConnectionError):
            raise exc
        self._connections.counters["refused_http"] += 1
        text = "the request is no sound HTTP"
        if isinstance(exc, LineTooLong):
            text = "the request's first line or a header is too long"
        error = SaintError(Code.REQUEST_INVALID, text, fix=self.malformed_fix)
        answer = error_response(error, status)
        answer.headers.update(self.headers)
        answer.force_close()
        return answer

    # Called by the server.

    def begin(self, request: web.Request) -> None:
        """Allow the bytes that the request announces. A protocol upgrade has no body."""
        self.is_waiting = False
        announced = 0 if "Upgrade" in request.headers else request.content_length
        self._room_bytes = (announced or 0) + SPARE_BYTES

    def become_websocket(self) -> None:
        """Lift the limit on bytes: the WebSocket limits its messages itself."""
        self._room_bytes = math.inf

    def complete(self, answer: web.StreamResponse) -> None:
        """Handle the end of a reply."""

    def rest(self, has_more: bool) -> None:
        """Wait for the next request. `has_more`: the unread rest of a body is still arriving."""
        self.is_waiting, self._has_begun, self.has_served = True, False, True
        if not has_more:
            self._room_bytes = SPARE_BYTES
        self._until_s = monotonic_s() + (LINGER_S if has_more else REQUEST_LIMIT_S)

    @property
    def has_bytes(self) -> bool:
        """Return whether the client began a request, or one waits in the kernel."""
        return self._has_begun or bool(self.peeked())

    def peeked(self) -> bytes:
        """Return the first bytes that wait in the kernel, without reading them."""
        bare = self.transport.get_extra_info("socket") if self.transport else None
        if bare is None:
            return b""
        with contextlib.suppress(OSError, ValueError):
            found = socket.socket(fileno=bare.fileno())
            found.setblocking(False)
            try:
                return found.recv(_PEEK_BYTES, socket.MSG_PEEK | socket.MSG_DONTWAIT)
            finally:
                found.detach()
        return b""

    def overdue(self, now_s: float) -> str:
        """Return why the connection must be closed now; empty: it may stay open."""
        if self.transport is None:
            return ""
        unsent_bytes = self.transport.get_write_buffer_size()
        if unsent_bytes != self._unsent_bytes:
            self._until_s = max(self._until_s, now_s + REQUEST_LIMIT_S)  # a reply is being read
        if unsent_bytes == 0 or unsent_bytes != self._unsent_bytes:
            self._unsent_bytes, self._moved_s = unsent_bytes, now_s
        if now_s - self._moved_s > STALLED_S:
            return "stalled"
        is_late = self.is_waiting and unsent_bytes == 0 and now_s > self._until_s
        if not is_late:
            return ""
        return "slow_request" if self._has_begun else "idle"


C = TypeVar("C", bound=HttpConnection)


class HttpConnections(Generic[C]):
    """The open connections of a server, at most `most`."""

    def __init__(self, counters: Counter[str], most: int) -> None:
        self.counters = counters
        self._most = most
        self._open: dict[C, None] = {}  # the oldest first

    def add(self, connection: C) -> None:
        """Register a new connection; beyond the limit, close one."""
        self._open[connection] = None
        if len(self._open) <= self._most:
            return
        ended = self.surplus(list(self._open), connection)
        if ended is connection and connection.transport:
            self.counters["connections_refused"] += 1
            self.forget(connection)
            connection.transport.write(_TOO_MANY)
            connection.force_close()
        elif ended:
            self.end(ended, "crowd")

    def surplus(self, connections: list[C], newest: C) -> C | None:
        """Return the connection to close beyond the limit: the oldest idle one, else the new
        one.
        """
        return next((each for each in connections if is_idle(each, newest)), newest)

    def forget(self, connection: C) -> None:
        """Remove a closed connection."""
        self._open.pop(connection, None)

    def end(self, connection: C, reason: str) -> None:
        """Close a connection at once. The client of a slow request can read the reason."""
        self.counters[f"connections_ended_{reason}"] += 1
        self.forget(connection)
        if (transport := connection.transport) is None:
            return
        if reason == "slow_request":
            transport.write(_too_slow(connection.headers))
            connection.close()
            if transport.can_write_eof():
                transport.write_eof()  # closing while bytes arrive would discard the reply
            asyncio.get_running_loop().call_later(REFUSAL_READ_S, transport.abort)
        elif reason == "idle":
            connection.force_close()
        else:
            transport.abort()

    async def watch(self) -> None:
        """Close overdue connections until stopped."""
        while True:
            await asyncio.sleep(CHECK_INTERVAL_S)
            now_s = monotonic_s()
            for connection in tuple(self._open):
                if reason := connection.overdue(now_s):
                    self.end(connection, reason)


def is_idle(connection: HttpConnection, newest: HttpConnection) -> bool:
    """Return whether an older connection waits without sending anything."""
    return connection is not newest and connection.is_waiting and not connection.has_bytes


@web.middleware
async def tracked(request: web.Request, handler: Any) -> web.StreamResponse:
    """Mark the connection as busy while a request is handled."""
    connection = request.protocol
    assert isinstance(connection, HttpConnection)
    connection.begin(request)
    try:
        answer: web.StreamResponse = await handler(request)
        connection.complete(answer)
        return answer
    finally:
        connection.rest(not request.content.is_eof())


def error_response(error: SaintError, status: int = 0) -> web.Response:
    """Return the documented error."""
    return web.Response(
        status=status or error.status,
        text=ErrorReply.of(error).model_dump_json() + "\n",
        content_type="application/json",
    )


def _too_slow(headers: dict[str, str]) -> bytes:
    text = f"the request did not come within {REQUEST_LIMIT_S:g} s"
    error = SaintError(Code.TOO_SLOW, text, fix="Send it faster.")
    body = ErrorReply.of(error).model_dump_json().encode() + b"\n"
    headers = headers | {
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 408 Request Timeout\r\n{lines}\r\n".encode() + body
