"""The connections that webd holds: how many, how long one may take for its request, how long it may
take nothing of its answer, and whose is ended when there are too many. A request that is no HTTP
is answered here too. Not here: what a request means (site.py), its body (bodies.py).
"""

import asyncio
import contextlib
import math
import socket
from collections import Counter
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import LineTooLong

from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.ipc import ErrorReply
from ...lib.stall import StallWatch
from ..accounts.access import network_of
from .boundary import refusal

MOST_CONNECTIONS = 448  # beside the WebSockets; a process has 1024 descriptors
REQUEST_LIMIT_S = 30.0  # from the connection, or the last answer, to a whole head
LINGER_S = 60.0  # a browser reads the refusal of a large upload only when it has sent all of it
STALLED_S = 30.0  # an answer of which nothing was taken for so long is given up
LOOK_S = 1.0
HEAR_S = 1.0  # for the reason of an end
# Beside the body that a request announces: its head, and requests behind it. aiohttp bounds one
# header, but older versions not their number, nor what waits for an answer to go out.
SPARE_BYTES = 2 << 20
STOP_PATH = b"/estop"
_PEEK_BYTES = 2048
_HEADERS = {"Server": "SAINT.OS", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}


class Connection(web.RequestHandler):
    """One, of a browser or a program."""

    def __init__(self, crowd: "Connections", server: web.Server, **options: Any) -> None:
        super().__init__(server, loop=asyncio.get_running_loop(), **options)
        self._crowd = crowd
        self._until_s = monotonic_s() + REQUEST_LIMIT_S
        self._room_bytes: float = SPARE_BYTES  # what may still come
        self._has_begun = False  # to send a request
        self._unsent_bytes = 0
        self._moved_s = monotonic_s()
        self.is_waiting = True  # for a request; not while one is worked on
        self.network = ""  # whose it is; empty: of this machine's control socket
        # It was accepted, or brought bytes, right after a stall: they may have waited for its end.
        self.is_old = False
        self.has_served = False  # a request of it was answered

    # Called by the loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        peer = transport.get_extra_info("peername")
        bare: socket.socket = transport.get_extra_info("socket")
        if bare.family != socket.AF_UNIX and peer:
            self.network = network_of(str(peer[0]))
        self._note_stall()
        self._crowd.add(self)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._crowd.forget(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._has_begun = True
        self._note_stall()
        self._room_bytes -= len(data)
        if self._room_bytes < 0:
            self._crowd.end(self, "too_much")
            return
        super().data_received(data)

    def _note_stall(self) -> None:
        self.is_old = self.is_old or self._crowd.stalls.is_stalled(monotonic_s())

    # Called by aiohttp.

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """The request is no HTTP, or nobody is left to be answered. Anybody can send any number of
        these: they are counted, not logged.
        """
        if isinstance(exc, ConnectionError):
            raise exc
        self._crowd.counters["refused_http"] += 1
        text = "the request is no sound HTTP"
        if isinstance(exc, LineTooLong):
            text = "the request's first line or a header is too long"
        fix = "Correct the program that sends it; /api/openapi.json tells what can be asked."
        answer = refusal(SaintError(Code.REQUEST_INVALID, text, fix=fix), status, _HEADERS)
        answer.force_close()
        return answer

    # Called by the site.

    def begin(self, request: web.Request) -> None:
        """A request is here. One that wants to be no HTTP any more has no body."""
        self.is_waiting = False
        announced = 0 if "Upgrade" in request.headers else request.content_length
        self._room_bytes = (announced or 0) + SPARE_BYTES

    def become_websocket(self) -> None:
        """What comes from now on is bounded there (wire.py)."""
        self._room_bytes = math.inf

    def rest(self, has_more: bool) -> None:
        """It was worked on; `has_more`: the rest of its body, which nobody wants."""
        self.is_waiting, self._has_begun, self.has_served = True, False, True
        if not has_more:
            self._room_bytes = SPARE_BYTES
        self._until_s = monotonic_s() + (LINGER_S if has_more else REQUEST_LIMIT_S)

    @property
    def has_bytes(self) -> bool:
        """Whether it began a request, or one waits in the kernel."""
        return self._has_begun or bool(self._waiting_bytes())

    @property
    def says_stop(self) -> bool:
        """Whether what waits to be read is a request for the stop."""
        return STOP_PATH in self._waiting_bytes()

    def _waiting_bytes(self) -> bytes:
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

    def fault(self, now_s: float) -> str:
        """Why it should end by now; empty: it need not."""
        if self.transport is None:
            return ""
        unsent_bytes = self.transport.get_write_buffer_size()
        if unsent_bytes != self._unsent_bytes:
            self._until_s = max(self._until_s, now_s + REQUEST_LIMIT_S)  # an answer is being read
        if unsent_bytes == 0 or unsent_bytes != self._unsent_bytes:
            self._unsent_bytes, self._moved_s = unsent_bytes, now_s
        if now_s - self._moved_s > STALLED_S:
            return "stalled"
        is_late = self.is_waiting and unsent_bytes == 0 and now_s > self._until_s
        if not is_late:
            return ""
        return "slow_request" if self._has_begun else "idle"


class Connections:
    """All that are open."""

    def __init__(self, counters: Counter[str], websockets: int, stalls: StallWatch) -> None:
        self.counters = counters
        self.stalls = stalls
        self._most = MOST_CONNECTIONS + websockets
        self._open: dict[Connection, None] = {}  # the oldest first

    def add(self, connection: Connection) -> None:
        """A new one; of too many one must go, of whoever has most of them."""
        self._open[connection] = None
        if len(self._open) > self._most and (crowd := self._crowd()):
            self.end(_least(crowd, connection), "crowd")

    def _crowd(self) -> list[Connection]:
        remote = [each for each in self._open if each.network]
        if not remote:
            return []
        [(network, _)] = Counter(each.network for each in remote).most_common(1)
        return [each for each in remote if each.network == network]

    def forget(self, connection: Connection) -> None:
        """It has ended."""
        self._open.pop(connection, None)

    def end(self, connection: Connection, reason: str) -> None:
        """At once; who was slow with a request may hear why."""
        self.counters[f"connections_ended_{reason}"] += 1
        self.forget(connection)
        if (transport := connection.transport) is None:
            return
        if reason == "slow_request":
            transport.write(_too_slow())
            connection.close()
            if transport.can_write_eof():
                transport.write_eof()  # closing while bytes come would destroy the answer
            asyncio.get_running_loop().call_later(HEAR_S, transport.abort)
        elif reason == "idle":
            connection.force_close()
        else:
            transport.abort()

    async def watch(self) -> None:
        """For ever."""
        while True:
            await asyncio.sleep(LOOK_S)
            now_s = monotonic_s()
            for connection in tuple(self._open):
                if reason := connection.fault(now_s):
                    self.end(connection, reason)


def _least(crowd: list[Connection], newest: Connection) -> Connection:
    """Return which of them is missed least: one that never asked for anything before one that did,
    the oldest first. One whose request is on its way, which may be a stop, stays.
    """
    waiting = [each for each in crowd if each.is_waiting and each is not newest]
    for each in sorted(waiting, key=lambda each: each.has_served):
        if not each.has_bytes:
            return each
    for each in waiting:
        if not each.says_stop:
            return each
    return crowd[-1]


def is_old(request: web.Request) -> bool:
    """Return whether the request may have waited while webd stood still."""
    connection = request.protocol
    assert isinstance(connection, Connection)
    return connection.is_old


@web.middleware
async def attended(request: web.Request, handler: Any) -> web.StreamResponse:
    """Tells a request's connection that it is worked on."""
    connection = request.protocol
    assert isinstance(connection, Connection)
    connection.begin(request)
    try:
        answer: web.StreamResponse = await handler(request)
        if connection.is_old:
            answer.force_close()  # the next connection is new
        return answer
    finally:
        connection.rest(not request.content.is_eof())


def _too_slow() -> bytes:
    text = f"the request did not come within {REQUEST_LIMIT_S:g} s"
    error = SaintError(Code.TOO_SLOW, text, fix="Send it faster.")
    body = ErrorReply.of(error).model_dump_json().encode() + b"\n"
    headers = _HEADERS | {
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 408 Request Timeout\r\n{lines}\r\n".encode() + body
