"""The WebSockets that remote sides open here, /ws/master/{robot_id} and /ws/slave/{robot_id}, and
those of rooms. Each has the usual sign-in: a token or a cookie with the handshake, or a message
`auth` first. Not here: what messages do (conversation.py, room_session.py).
"""

import asyncio
import re
from collections.abc import Callable
from typing import Protocol

from aiohttp import web

from ...lib.access.levels import Level
from ...lib.errors import Code, SaintError
from ...lib.remote import messages as m
from ..accounts.access import Identity, RefusedError, not_enough
from ..accounts.gate import Gate, address_of
from ..actions.act import Caller
from ..api import stopping
from ..robot.context import RobotContext
from ..server.boundary import Boundary
from ..server.connections import WebConnection
from ..websocket.frames import CloseCode, FrameError, Opcode, is_text, text_frame
from ..websocket.wire import Wire, accept
from .conversation import SOURCE

AUTH_LIMIT_S = 10.0
MOST_SOCKETS = 32
LARGEST_BYTES = 64 * 1024
_WHAT = "commanding an arm"
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_.-]")
_LONGEST_NAME = 24


class SocketSession(Protocol):
    """What is spoken on one socket after the sign-in."""

    def receive(self, text: str) -> None: ...

    def close(self) -> None: ...


Open = Callable[["RemoteSocket", Caller], SocketSession]


class RemoteSockets:
    """All sockets of remote sides, and what they share."""

    def __init__(self, robot: RobotContext, gate: Gate, boundary: Boundary) -> None:
        self.robot = robot
        self.gate = gate
        self.boundary = boundary
        self.open: dict[RemoteSocket, None] = {}  # the oldest first

    def identify(self, request: web.Request) -> Identity | None:
        """Return the sender of a handshake; None: a message `auth` has to come. Raises forbidden
        for a user who is no operator.
        """
        self.gate.check_origin(request)
        if request.headers.get("Upgrade", "").lower() != "websocket":
            raise SaintError(Code.REQUEST_INVALID, "this path is a WebSocket; connect with ws://")
        identity = self.gate.identify(request)
        check_driver(identity)
        return identity

    async def serve(
        self, request: web.Request, identity: Identity | None, begin: Open
    ) -> web.StreamResponse:
        """Serve one socket until it ends. `begin` is called after the sign-in."""
        if len(self.open) >= MOST_SOCKETS and not self._make_room():
            text = f"{MOST_SOCKETS} remote sides are already connected"
            raise RefusedError("too_many_clients", Code.REFUSED, text, fix="Close one of them.")
        connection = request.protocol
        assert isinstance(connection, WebConnection)
        connection.become_websocket()
        return await RemoteSocket(self, identity, address_of(request), begin).run(request)

    def _make_room(self) -> bool:
        """Close the oldest socket that is not signed in; return whether there was one."""
        unknown = next((each for each in self.open if not each.is_signed_in), None)
        if unknown is not None:
            unknown.end("too many clients")
            del self.open[unknown]
        return unknown is not None

    def recheck(self) -> None:
        """Close the sockets whose user, token or role is not valid any more."""
        for socket in tuple(self.open):
            socket.recheck()

    def close(self) -> None:
        """Close all sockets because webd stops."""
        for socket in tuple(self.open):
            socket.wire.close(CloseCode.STOPPING, "webd is stopping")


class RemoteSocket:
    """One socket."""

    wire: Wire

    def __init__(
        self, sockets: RemoteSockets, identity: Identity | None, address: str, begin: Open
    ) -> None:
        self._sockets = sockets
        self._identity = identity
        self._address = address
        self._begin = begin
        self._session: SocketSession | None = None

    async def run(self, request: web.Request) -> web.StreamResponse:
        """Serve the peer until either side ends the connection."""
        answer = await accept(request)
        if request.transport is None:
            return answer
        counters = self._sockets.robot.newest.counters
        self.wire = Wire(request.transport, counters, self._receive, LARGEST_BYTES)
        self.wire.on_too_large = self._look_for_stop
        self._sockets.open[self] = None
        limit = asyncio.get_running_loop().call_later(AUTH_LIMIT_S, self._expire)
        try:
            if self._identity is not None:
                self._start(self._identity)
            self.wire.start(request.protocol)
            await self.wire.ended()
        finally:
            limit.cancel()
            self._sockets.open.pop(self, None)
            if self._session is not None:
                self._session.close()
        return answer

    @property
    def is_signed_in(self) -> bool:
        """Whether the peer is known."""
        return self._session is not None

    def send(self, text: str) -> None:
        """Send one message."""
        self.wire.write(text_frame(text.encode()))

    def unsent_bytes(self) -> int:
        """Return the bytes that the peer has not read yet."""
        return self.wire.unsent_bytes()

    def end(self, reason: str) -> None:
        """Close the socket."""
        self.wire.close(CloseCode.REFUSED, reason[:100])

    def recheck(self) -> None:
        """Close the socket when its sign-in is not valid any more."""
        if self._identity is not None:
            self._identity = self._sockets.gate.renewed(self._identity)
            if self._identity is None or not self._identity.may_move:
                self.end("signed out")

    def _expire(self) -> None:
        if self._session is None:
            self.end("no token came")

    def _start(self, identity: Identity) -> None:
        self._identity = identity
        name = _NOT_A_NAME.sub("_", identity.name)[:_LONGEST_NAME] or "peer"
        try:
            self._session = self._begin(self, Caller(SOURCE + name, identity, self._address))
        except SaintError as err:
            self._refuse(err.code.value, err.message)
            self.end(err.message)

    def _receive(self, kind: Opcode, payload: bytes) -> None:
        if is_text(kind, payload):
            text = payload.decode()
        elif self._is_stop(payload):
            text = stopping.ACTION  # in doubt the robot stops
        elif kind is Opcode.TEXT:
            raise FrameError(CloseCode.NO_TEXT, "the message is not UTF-8")
        else:
            self._refuse("binary", "messages are text, this one was binary")
            return
        self._sockets.robot.newest.counters["remote_messages"] += 1
        try:
            with self._sockets.boundary.around("a remote message"):
                if self._session is None:
                    self._sign_in(text)
                else:
                    self._session.receive(text)
        except SaintError as err:
            self._sockets.boundary.count(err)
            self._refuse(err.code.value, err.message)

    def _look_for_stop(self, head: bytes) -> None:
        """Stop the robot for a message that names the stop and is too large."""
        if self._is_stop(head):
            self._receive(Opcode.BINARY, head)

    def _is_stop(self, payload: bytes) -> bool:
        """Return whether bytes that are no text name the stop, from a side that is signed in."""
        return self._session is not None and stopping.is_named(payload.decode(errors="replace"))

    def _sign_in(self, text: str) -> None:
        try:
            message = m.parse(text)
        except m.RemoteMessageError:
            message = None
        if not isinstance(message, m.RemoteAuth):
            raise RefusedError("no_token", Code.UNAUTHORIZED, "send auth with a token first")
        identity = self._sockets.gate.by_token(self._address, message.token)
        check_driver(identity)
        self._start(identity)

    def _refuse(self, code: str, text: str) -> None:
        if self.unsent_bytes() <= LARGEST_BYTES:
            self.send(m.encoded(m.RemoteError(code=code, message=text[:500])))


def check_driver(identity: Identity | None) -> None:
    """Raise forbidden for a user who is signed in and may not move the robot."""
    if identity is not None and not identity.may_move:
        raise not_enough(identity, Level.OPERATOR, _WHAT)
