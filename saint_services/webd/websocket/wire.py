"""One WebSocket connection: handshake, frames in and out, pings, closing. Messages are handled in
the callback that brings their bytes, a few of one client per turn of the loop, so that no client
delays another. Not here: what a message means (session.py).
"""

import asyncio
import base64
import binascii
import hashlib
from collections import Counter
from collections.abc import Callable
from typing import Any

from aiohttp import web

from ...lib.errors import Code, SaintError
from .frames import CloseCode, FrameError, Frames, Opcode, close_code, close_frame, control_frame

PING_S = 5.0  # a client that is silent for so long gets a ping
PONG_LIMIT_S = 2.5  # and times out without a pong
CLOSE_LIMIT_S = 1.0
MOST_UNSENT_BYTES = 64 * 1024
FAIR_SHARE = 8  # messages of one client before other clients are read
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

Receive = Callable[[Opcode, bytes], None]


async def accept(request: web.Request) -> web.StreamResponse:
    """Answer the handshake; raises SaintError for an invalid one."""
    headers = request.headers
    key = headers.get("Sec-WebSocket-Key", "")
    if headers.get("Sec-WebSocket-Version", "") != "13" or not _is_key(key):
        raise SaintError(Code.REQUEST_INVALID, "this is no WebSocket handshake of version 13")
    answer = web.StreamResponse(status=101)
    answer.headers["Upgrade"] = "websocket"
    answer.headers["Connection"] = "Upgrade"
    digest = hashlib.sha1(key.encode() + _GUID, usedforsecurity=False).digest()
    answer.headers["Sec-WebSocket-Accept"] = base64.b64encode(digest).decode()
    answer.force_close()
    await answer.prepare(request)
    return answer


def _is_key(key: str) -> bool:
    try:
        return len(base64.b64decode(key, validate=True)) == 16
    except (binascii.Error, ValueError):
        return False


class Wire:
    """The connection after accept(). `receive` gets text and binary messages; it may raise
    FrameError.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        counters: Counter[str],
        receive: Receive,
        largest_bytes: int,
    ) -> None:
        self._transport = transport
        self._counters = counters
        self._receive = receive
        self._frames = Frames(largest_bytes)
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self.before_close: Callable[[], object] = bool  # may write its last frames
        self.on_pong: Callable[[bytes], object] = bool
        self.on_too_large: Callable[[bytes], object] = bool  # gets the first bytes
        self._is_closing = False  # we sent a close frame
        self._is_behind = False  # messages wait for the next turn
        self._has_received = False
        self._timer = self._loop.call_later(PING_S, self._check_silence)

    def start(self, protocol: Any) -> None:
        """Take over the bytes that aiohttp reads, with those that it has read already."""
        protocol.keep_alive(False)
        protocol.set_parser(self)

    async def ended(self) -> None:
        """Return when the connection has ended."""
        await self._ended

    def write(self, data: bytes) -> None:
        """Send whole frames, unless the connection is ending."""
        if not self._is_closing and not self._transport.is_closing():
            self._transport.write(data)

    def ping(self, payload: bytes) -> None:
        """Send a ping, whose pong repeats this payload."""
        self.write(control_frame(Opcode.PING, payload))

    def unsent_bytes(self) -> int:
        """Return the bytes that the kernel has not accepted yet because the client reads slowly."""
        return self._transport.get_write_buffer_size()

    def close(self, code: int, reason: str = "") -> None:
        """Send a close frame; the client has a moment to answer."""
        if self._is_closing:
            return
        self.before_close()
        self.write(close_frame(code, reason))
        self._is_closing = True
        self._timer.cancel()
        self._timer = self._loop.call_later(CLOSE_LIMIT_S, self._abort)

    # Called by aiohttp

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        """Handle the next bytes."""
        self._has_received = True
        self._frames.feed(data)
        if not self._is_behind:
            self._work()
        return False, b""

    def feed_eof(self) -> None:
        """Handle the end of the connection."""
        self._end()

    def _work(self) -> None:
        """Handle one share of the messages that have arrived."""
        try:
            for _ in range(FAIR_SHARE):
                frame = self._frames.next()
                if frame is None:
                    self._catch_up()
                    return
                self._handle(*frame)
        except FrameError as err:
            self._counters[
                "refused_" + ("too_large" if err.code == CloseCode.TOO_LARGE else "frame")
            ] += 1
            if err.head:
                self.on_too_large(err.head)
            self._fail(err)
            return
        if not self._is_behind:
            self._is_behind = True
            self._transport.pause_reading()
        self._loop.call_soon(self._continue)

    def _continue(self) -> None:
        if not self._ended.done():
            self._work()

    def _catch_up(self) -> None:
        if self._is_behind:
            self._is_behind = False
            if not self._transport.is_closing():
                self._transport.resume_reading()

    def _handle(self, kind: Opcode, payload: bytes) -> None:
        if kind is Opcode.CLOSE:
            code = close_code(payload)
            self.close(code)
            self._transport.close()
        elif self._is_closing:
            return
        elif kind is Opcode.PING:
            if self.unsent_bytes() <= MOST_UNSENT_BYTES:  # else it reads no pong either
                self.write(control_frame(Opcode.PONG, payload))
        elif kind is Opcode.PONG:
            self.on_pong(payload)
        else:
            self._receive(kind, payload)

    def _fail(self, error: FrameError) -> None:
        """Read no more of this client, and close the connection with the reason."""
        self.close(error.code, error.reason)
        self._frames = Frames(0)
        self._is_behind = True
        if not self._transport.is_closing():
            self._transport.pause_reading()

    def _check_silence(self) -> None:
        """Ping a client that was silent."""
        if self._has_received:
            self._has_received = False
            self._timer = self._loop.call_later(PING_S, self._check_silence)
            return
        self.ping(b"")
        self._timer = self._loop.call_later(PONG_LIMIT_S, self._check_pong)

    def _check_pong(self) -> None:
        if self._has_received:
            self._has_received = False
            self._timer = self._loop.call_later(PING_S, self._check_silence)
            return
        self._counters["clients_silent"] += 1
        self.close(CloseCode.TRY_LATER, "no answer to a ping")

    def _abort(self) -> None:
        self._transport.abort()
        self._end()

    def _end(self) -> None:
        self._is_closing = True
        self._timer.cancel()
        if not self._ended.done():
            self._ended.set_result(None)
