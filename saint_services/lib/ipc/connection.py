"""One connection of the control plane's server: parses requests, writes replies, and enforces every
limit on size and time. h11 implements HTTP. Not here: what is replied (server.py).
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, cast

import h11

from ..access import person
from ..access.person import uid_of
from ..errors import Code, SaintError
from .wire import LARGEST_BODY_BYTES, LARGEST_HEAD_BYTES

MOST_CONNECTIONS = 64
_MOST_AHEAD_BYTES = 64 << 10  # of further requests, while one is being handled
_ARRIVAL_LIMIT_S = 10.0  # for a whole request, from its first byte; of a new connection at once
_IDLE_LIMIT_S = 60.0  # between two requests
_WRITE_LIMIT_S = 5.0  # a client that reads nothing for this time is dropped
_LINGER_S = 1.0  # for the rest of a rejected request: closing at once would discard the reply
_HEADER_MARKS = len(": \r\n")
_JSON = (b"Content-Type", b"application/json; charset=utf-8")
_LINES = (b"Content-Type", b"application/x-ndjson")


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A complete request as it arrived."""

    method: str
    target: str
    body: bytes
    peer_uid: int | None = None  # user id of the client's process; None: unknown
    person: bytes = b""  # header that names the user (lib/access/person.py)


@dataclass(frozen=True, slots=True)
class ConnectionHub:
    """What all connections of a server share."""

    answer: Callable[[ReceivedRequest, "ApiConnection"], Coroutine[Any, Any, None]]
    refusal: Callable[[SaintError], bytes]
    connections: "set[ApiConnection]" = field(default_factory=set)
    excess: "set[ApiConnection]" = field(default_factory=set)  # beyond the limit, about to close
    closing: asyncio.Event = field(default_factory=asyncio.Event)  # the server takes no more


class ClientGoneError(Exception):
    """The client closed the connection or stopped reading: no reply is possible."""


class ApiConnection(asyncio.Protocol):
    """Serves one request after the other."""

    def __init__(self, hub: ConnectionHub) -> None:
        self._hub = hub
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=LARGEST_HEAD_BYTES)
        self._transport: asyncio.Transport
        self._request: h11.Request | None = None
        self._body = bytearray()
        self._task: asyncio.Task[None] | None = None  # handles the request
        self._ahead_bytes = 0  # arrived while a request is handled
        self._timer: asyncio.TimerHandle | None = None
        self._is_idle = False  # between two requests
        self._is_last = False  # no further request is accepted
        self._is_over = False  # received data is dropped
        self._writable = asyncio.Event()
        self._writable.set()
        self.closed = asyncio.Event()

    # Callbacks of the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are streams without being asyncio's class
        self._transport = cast(asyncio.Transport, transport)
        hub = self._hub
        served = len(hub.connections) - len(hub.excess)
        hub.connections.add(self)
        if hub.closing.is_set():  # the loop had accepted it already
            self.abort()
        elif served < MOST_CONNECTIONS:
            self._schedule(_ARRIVAL_LIMIT_S, self._refuse_slow)
        elif len(hub.excess) >= MOST_CONNECTIONS:
            self.abort()
        else:
            hub.excess.add(self)
            message = f"the daemon is at its limit of {MOST_CONNECTIONS} connections"
            self._refuse(
                SaintError(Code.DAEMON_UNREACHABLE, message, fix="Close some connections.")
            )

    def data_received(self, data: bytes) -> None:
        if self._is_over:
            return
        self._http.receive_data(data)
        if self._task is not None:
            self._ahead_bytes += len(data)
            if self._ahead_bytes > _MOST_AHEAD_BYTES:
                self.abort()
            return
        if self._is_idle:
            self._is_idle = False
            self._schedule(_ARRIVAL_LIMIT_S, self._refuse_slow)
        self._read()

    def eof_received(self) -> None:
        """Handle the client's end of stream; returning None closes the connection."""
        if not self._is_over and self._task is None:
            self._http.receive_data(b"")
            self._read()

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_over = True
        self._hub.connections.discard(self)
        self._hub.excess.discard(self)
        if self._timer:
            self._timer.cancel()
        if self._task:
            self._task.cancel()
        self._writable.set()
        self.closed.set()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    # Called by the server

    def reply(self, status: int, body: bytes) -> None:
        """Send a complete reply."""
        headers = [_JSON, (b"Content-Length", b"%d" % len(body))]
        if self._is_last or self._http.their_state is not h11.DONE:
            headers.append((b"Connection", b"close"))
        events: list[h11.Event] = [_response(status, headers), h11.Data(data=body)]
        if self._request is not None and self._request.method == b"HEAD":
            events.pop()
        self._send(*events, h11.EndOfMessage())

    @property
    def is_begun(self) -> bool:
        """Whether a part of the reply has been sent."""
        return self._http.our_state is not h11.SEND_RESPONSE

    def begin_lines(self) -> None:
        """Send status and headers of a stream."""
        self._send(_response(200, [_LINES]))

    async def line(self, line: bytes) -> None:
        """Send one line of a stream."""
        self._send(h11.Data(data=line))
        await self._drain()

    def end_lines(self) -> None:
        """Complete the stream."""
        self._send(h11.EndOfMessage())

    def stop(self) -> None:
        """Close after the pending reply; at once if none is pending."""
        self._is_last = True
        if self._task is None:
            self._is_over = True
            self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self._is_over = True
        self._transport.abort()

    # Reading

    def _read(self) -> None:
        try:
            while self._accept(self._http.next_event()):
                pass
        except h11.RemoteProtocolError as err:
            error = SaintError(Code.REQUEST_INVALID, f"the request is not HTTP/1.1: {err}")
            self._refuse(error, err.error_status_hint)
        except SaintError as err:
            self._refuse(err)
        except ClientGoneError:
            self.abort()

    def _accept(self, event: object) -> bool:
        """Accept an h11 event; True if more may follow."""
        if isinstance(event, h11.Request):
            self._begin(event)
            return True
        if isinstance(event, h11.Data):
            self._body += event.data
            _check_size(len(self._body))
            return True
        if isinstance(event, h11.EndOfMessage):
            self._schedule(None)
            self._task = asyncio.get_running_loop().create_task(self._answer(), name="ipc reply")
        return False

    def _begin(self, request: h11.Request) -> None:
        self._request = request
        size = sum(len(name) + len(value) + _HEADER_MARKS for name, value in request.headers)
        if size + len(request.target) > LARGEST_HEAD_BYTES:  # h11 checks incomplete ones only
            raise h11.RemoteProtocolError("the headers are too long", error_status_hint=431)
        for name, value in request.headers:
            if name == b"content-length":
                _check_size(int(value))
        if self._http.they_are_waiting_for_100_continue:
            self._send(h11.InformationalResponse(status_code=100, headers=[]))

    # Replying

    async def _answer(self) -> None:
        assert self._request
        method, target = self._request.method.decode(), self._request.target.decode("latin-1")
        try:
            uid, who = uid_of(self._transport), _person(self._request)
            received = ReceivedRequest(method, target, bytes(self._body), uid, who)
            await self._hub.answer(received, self)
            await self._drain()
        except ClientGoneError:
            self.abort()
            return
        self._task = None
        self._next()

    def _next(self) -> None:
        """Prepare for the next request if both sides keep the connection open."""
        states = (self._http.our_state, self._http.their_state)
        if self._is_last or states != (h11.DONE, h11.DONE):
            self._end()
            return
        self._http.start_next_cycle()
        self._request, self._body = None, bytearray()
        self._ahead_bytes = 0
        self._is_idle = not self._http.trailing_data[0]
        if self._is_idle:
            self._schedule(_IDLE_LIMIT_S, self.stop)
        else:
            self._schedule(_ARRIVAL_LIMIT_S, self._refuse_slow)
            self._read()

    def _refuse_slow(self) -> None:
        message = f"the request did not arrive within {_ARRIVAL_LIMIT_S:g} s"
        self._refuse(SaintError(Code.TOO_SLOW, message))

    def _refuse(self, error: SaintError, status: int = 0) -> None:
        """Reply with an error to an incomplete request and close the connection."""
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.abort()
            return
        with contextlib.suppress(ClientGoneError):
            self.reply(status or error.status, self._hub.refusal(error))
        self._end()

    def _end(self) -> None:
        self._is_over = True
        if self._http.their_state in (h11.DONE, h11.MUST_CLOSE, h11.CLOSED):
            self._transport.close()
            self._schedule(_WRITE_LIMIT_S, self._transport.abort)
        else:
            if self._transport.can_write_eof():
                self._transport.write_eof()
            self._schedule(_LINGER_S, self._transport.abort)

    def _send(self, *events: h11.Event) -> None:
        if self._transport.is_closing():
            raise ClientGoneError
        self._transport.write(b"".join(self._http.send(event) or b"" for event in events))

    async def _drain(self) -> None:
        if self._writable.is_set():
            return
        try:
            async with asyncio.timeout(_WRITE_LIMIT_S):
                await self._writable.wait()
        except TimeoutError as err:
            self._hub.refusal(
                SaintError(Code.TOO_SLOW, "the client does not read")
            )  # counted, not sent
            raise ClientGoneError from err

    def _schedule(self, limit_s: float | None, then: Callable[[], None] | None = None) -> None:
        """Replace the timer; a connection has one at a time."""
        if self._timer:
            self._timer.cancel()
        self._timer = None
        if limit_s is not None and then is not None:
            self._timer = asyncio.get_running_loop().call_later(limit_s, then)


def _check_size(size: int) -> None:
    if size > LARGEST_BODY_BYTES:
        message = f"the body is longer than {LARGEST_BODY_BYTES} bytes"
        raise SaintError(Code.TOO_LARGE, message)


def _person(request: h11.Request) -> bytes:
    expected = person.HEADER.lower().encode()
    return next((bytes(value) for name, value in request.headers if name == expected), b"")


def _response(status: int, headers: list[tuple[bytes, bytes]]) -> h11.Response:
    reason = HTTPStatus(status).phrase.encode()
    return h11.Response(status_code=status, headers=headers, reason=reason)
