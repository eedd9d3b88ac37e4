"""One client of the WebSocket: its messages one after another, each answered. Quick actions run at
once; actions that wait for another daemon run in tasks, so nothing delays a stop. Not here: frames
(wire.py).
"""

import asyncio
import secrets
import socket
from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from ...lib.access.levels import Level
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.reading_age import ReadingAge
from .. import logic
from ..accounts.access import Identity, RefusedError, network_of
from ..accounts.gate import Gate, address_of
from ..actions import motion
from ..actions.act import Act, Caller, data_of
from ..actions.table import ACTIONS, MODELS
from ..api import admission, stopping
from ..api import messages as m
from ..audit.record import Outcome
from ..robot.context import RobotContext
from ..server.boundary import Boundary
from ..topics import views
from ..topics.hub import encoded
from . import places
from .frames import CloseCode, FrameError, Opcode, is_text
from .outbox import Outbox, Turns
from .timing import MessageRate
from .wire import Wire, accept

AUTH_LIMIT_S = 10.0
MOST_REQUESTS = 16  # of one client that wait for other daemons
SEND_BUFFER_BYTES = 64 * 1024  # small, so that few outdated states wait in the kernel
MOST_SAME_NAME = 1000
BEAT_S = 0.1  # the router's status wakes webd as often
NONCE_BYTES = 8
_NOBODY = Identity("nobody", Level.VIEWER, "open")


@dataclass(slots=True)
class Sessions:
    """All clients, and what they share."""

    robot: RobotContext
    gate: Gate
    boundary: Boundary
    most: int = 64  # WebSockets at a time
    by_name: dict[str, "Session"] = field(default_factory=dict)
    turns: Turns = field(default_factory=Turns)

    def free_name(self, wanted: str) -> str:
        """Return the wanted client id, or the next one that is free."""
        names = (f"{wanted}-{n}" if n > 1 else wanted for n in range(1, MOST_SAME_NAME))
        return next(name for name in names if name not in self.by_name)

    def has_room(self) -> bool:
        """Return whether one more client may connect. When all places are taken, a client that is
        not signed in is disconnected, of the address that has most of these.
        """
        if len(self.by_name) < self.most:
            return True
        unknown = [each for each in self.by_name.values() if each.identity is None]
        if not unknown:
            return False
        crowds = Counter(each.network for each in unknown)
        max(unknown, key=lambda each: crowds[each.network]).make_room()  # the oldest of them
        return True

    def check_place(self, own: "Session", who: Identity) -> None:
        """Raise refused when the connected clients leave `who` no place."""
        others = (each.identity for each in self.by_name.values() if each is not own)
        reason = places.refusal(who, (each for each in others if each), self.most)
        if reason:
            fix = "Close one of them. A stop needs none: POST /api/v1/system/estop."
            raise RefusedError("no_place", Code.REFUSED, reason, fix=fix)

    async def watch_stalls(self) -> None:
        """Watch for stalls of the event loop, for as long as webd runs."""
        robot = self.robot
        while True:
            if robot.stalls.beat(monotonic_s()):
                self._end_stall()
            await asyncio.sleep(BEAT_S)

    def _end_stall(self) -> None:
        """Drop the goals of before the stall, and treat what is in the sockets as old."""
        self.robot.newest.counters["stalls"] += 1
        self.robot.goals.clear()
        for session in self.by_name.values():
            session.request_proof()

    def recheck(self) -> None:
        """Close the sessions whose user, token or sign-in is not valid any more."""
        for session in list(self.by_name.values()):
            session.recheck()


class Session:
    """A client while it is connected."""

    def __init__(self, sessions: Sessions, request: web.Request, is_old: bool = False) -> None:
        self._sessions = sessions
        # The stall after which the client answered a ping; what comes before its pong is older.
        self._proof = -1 if is_old else sessions.robot.stalls.number(monotonic_s())
        self._proof_wanted, self._nonce = 0, b""
        self._address = address_of(request)
        self._identity = sessions.gate.identify(request)
        self._since_s = monotonic_s()
        self._reached_at = local_address(request)
        self._rate = MessageRate(self._since_s)
        self._wire: Wire
        self._outbox: Outbox
        self._tasks: asyncio.TaskGroup
        self._waiting = 0
        self._caller = Caller("")
        self._age = ReadingAge()
        self.commands = 0
        self.name = sessions.free_name(f"client-{secrets.token_hex(3)}")

    @property
    def name(self) -> str:
        """The client id."""
        return self._caller.client_id

    @name.setter
    def name(self, name: str) -> None:
        self._caller = Caller(name, self._identity or _NOBODY, self._address)

    @property
    def identity(self) -> Identity | None:
        """The signed-in user; None before the sign-in."""
        return self._identity

    @property
    def network(self) -> str:
        """The network that the client's connections are counted by."""
        return network_of(self._address)

    def request_proof(self) -> None:
        """Send a ping that only a pong from after this moment can answer."""
        self._proof, self._proof_wanted = -1, self._sessions.robot.stalls.number(monotonic_s())
        self._nonce = secrets.token_bytes(NONCE_BYTES)
        self._wire.ping(self._nonce)

    def _prove(self, payload: bytes) -> None:
        if self._nonce and payload == self._nonce:
            self._proof, self._nonce = self._proof_wanted, b""

    @property
    def _is_old(self) -> bool:
        """Whether what is read now may have waited while webd was stalled."""
        return self._proof != self._sessions.robot.stalls.number(monotonic_s())

    def data(self) -> dict[str, Any]:
        """Describe the client, for the topic "inputs"."""
        now_s = monotonic_s()
        return {
            "client_id": self.name,
            "address": self._address,
            "user": self._caller.identity.name,
            "level": self._caller.identity.level.word,
            "topics": self._outbox.topics,
            "commands": self.commands,
            "messages_per_s": self._rate.per_s(now_s),
            "connected_s": round(now_s - self._since_s),
        }

    async def run(self, request: web.Request) -> web.StreamResponse:
        """Serve the client until either side ends the connection."""
        answer = await accept(request)
        transport = request.transport
        if transport is None:
            return answer
        _limit_kernel_buffer(transport)
        robot, sessions = self._sessions.robot, self._sessions
        counters = robot.newest.counters
        self._wire = Wire(transport, counters, self._receive, m.LARGEST_BYTES)
        self._outbox = Outbox(self._wire, robot.hub.frame, counters, self._end_slow, sessions.turns)
        self._wire.before_close, self._wire.on_pong = self._outbox.flush, self._prove
        self._wire.on_too_large = self._look_for_stop
        sessions.by_name[self.name] = self
        robot.hub.changed("system")
        try:
            async with asyncio.TaskGroup() as self._tasks:
                watch = self._tasks.create_task(self._expect_auth())
                if self._is_old:
                    self.request_proof()
                self._wire.start(request.protocol)
                try:
                    await self._wire.ended()
                finally:
                    watch.cancel()
                    self._leave()
        finally:
            self._leave()
        return answer

    def _leave(self) -> None:
        robot = self._sessions.robot
        for topic in robot.hub.names:
            robot.hub.unsubscribe(topic, self._outbox)
        self._outbox.close()
        robot.goals.drop(self._caller.source)
        robot.repeats.forget(self._caller.source)
        if self._sessions.by_name.pop(self.name, None):
            robot.hub.changed("system")

    async def close(self) -> None:
        """Close the connection because webd stops."""
        self._wire.close(CloseCode.STOPPING, "webd is stopping")
        await self._wire.ended()

    def end(self, reason: str) -> None:
        """Close the session on an admin's request or after its sign-in has ended."""
        self._wire.close(CloseCode.REFUSED, reason)

    def make_room(self) -> None:
        """Close the session because all places are taken and another client connects."""
        self._count("no_room")
        self._wire.close(CloseCode.TRY_LATER, "too many clients")
        self._leave()

    def recheck(self) -> None:
        """Update the identity by what is stored now; close the session when it is not valid."""
        before = self._identity
        self._identity = self._sessions.gate.renewed(before)
        if before is not None and self._identity is None:
            self.end("signed out")
        self.name = self.name

    def _end_slow(self) -> None:
        self._wire.close(CloseCode.TRY_LATER, "too slow")

    async def _expect_auth(self) -> None:
        await asyncio.sleep(AUTH_LIMIT_S)
        if self._identity is None:
            self._count("no_token")
            self._wire.close(CloseCode.REFUSED, "no token came")

    def _receive(self, kind: Opcode, payload: bytes) -> None:
        if not is_text(kind, payload) and stopping.is_named(payload.decode(errors="replace")):
            self._handle(f'"{stopping.ACTION}"')  # in doubt the robot stops
            return
        if kind is not Opcode.TEXT:
            text = "messages are text, this one was binary"
            self._refuse(None, RefusedError("binary", Code.REQUEST_INVALID, text))
            return
        try:
            text = payload.decode()
        except UnicodeDecodeError:
            raise FrameError(CloseCode.NO_TEXT, "the message is not UTF-8") from None
        self._handle(text)

    def _look_for_stop(self, head: bytes) -> None:
        """Stop the robot for a message that names the stop and is too large."""
        if stopping.is_named(head.decode(errors="replace")):
            self._receive(Opcode.BINARY, head)

    def _handle(self, text: str) -> None:
        self._rate.count(monotonic_s())
        self._sessions.robot.newest.counters["messages"] += 1
        parsed: logic.Parsed | None = None
        try:
            with self._sessions.boundary.around("a message"):
                parsed = logic.parse(text, MODELS)
                self._obey(parsed)
        except SaintError as err:
            message_id = getattr(err, "id", None) if parsed is None else parsed.id
            self._refuse(message_id, err)

    def _obey(self, parsed: logic.Parsed) -> None:
        if isinstance(parsed, m.Auth):
            self._answer(parsed.id, self._authenticate(parsed))
        elif self._identity is None:
            raise RefusedError("no_token", Code.UNAUTHORIZED, "send auth with a token first")
        elif isinstance(parsed, logic.ClientCall):
            self._call(parsed)
        elif isinstance(parsed, m.Input):
            self._stream(parsed)
        else:
            self._answer(parsed.id, self._subscribe(parsed))

    def _authenticate(self, auth: m.Auth) -> dict[str, Any]:
        sessions = self._sessions
        if auth.token:
            found = sessions.gate.by_token(self._address, auth.token)
            sessions.check_place(self, found)
            self._identity = found
            self.name = self.name
        who = self._identity
        if who is None:
            text = "sign in on the robot's page, or send auth with a token"
            raise RefusedError("no_token", Code.UNAUTHORIZED, text)
        if auth.client_id is not None and auth.client_id != self.name:
            self._rename(auth.client_id)
        return {
            "client_id": self.name,
            "robot": sessions.robot.roles.name,
            "token_required": not sessions.gate.is_open,
            "user": who.name,
            "level": who.level.word,
            "via": who.via,
            "server_address": self._reached_at,
        }

    def _rename(self, wanted: str) -> None:
        by_name = self._sessions.by_name
        by_name.pop(self.name, None)
        self._sessions.robot.goals.drop(self._caller.source)
        self._sessions.robot.repeats.forget(self._caller.source)
        self.name = self._sessions.free_name(wanted)
        by_name[self.name] = self

    def _subscribe(self, message: m.Subscribe | m.Unsubscribe) -> dict[str, Any]:
        hub = self._sessions.robot.hub
        logic.check_topics(message.topics, hub.names)
        for topic in message.topics:
            hub.unsubscribe(topic, self._outbox)
            if isinstance(message, m.Subscribe):
                self._outbox.subscribe(topic, message.rate_hz)
            else:
                self._outbox.unsubscribe(topic)
        if isinstance(message, m.Subscribe):
            # The reply first, then the states.
            asyncio.get_running_loop().call_soon(self._join, list(message.topics))
        return {"topics": self._outbox.topics}

    def _join(self, topics: list[str]) -> None:
        for topic in topics:
            period_s = self._outbox.period_s(topic)
            if period_s is not None:
                self._sessions.robot.hub.subscribe(topic, self._outbox, period_s)

    def _stream(self, message: m.Input) -> None:
        """Send one reading of a stick or a pad. Only refused ones and those with an id get a
        reply.
        """
        self.commands += 1
        robot = self._sessions.robot
        logic.check_target(message.target, robot.roles.by_target)
        role = robot.roles.by_target.get(message.target)
        if role is not None:
            logic.check_fields(message.values, role)
        if self._is_stale(message):
            return
        is_old = self._is_old
        with admission.reading_admitted(robot, self._caller, message.target, is_old=is_old):
            robot.send(self._caller.source, message.target, message.values)
        if message.id is not None:
            self._answer(message.id, motion.accepted(role, message.values) if role else {})

    def _is_stale(self, message: m.Input) -> bool:
        """Return whether a reading is too old to be sent; raises refused when it expects a
        reply.
        """
        time_ms = message.time_ms
        if time_ms is None or not self._age.is_stale(time_ms / 1e3, monotonic_s()):
            return False
        if message.id is None:
            self._count("stale_input")
            return True
        raise RefusedError("stale_input", Code.REFUSED, "the reading arrived too late")

    def _call(self, call: logic.ClientCall) -> None:
        act = ACTIONS[call.group][call.action]
        if act.is_quick:
            self.commands += 1
            with self._admitted(call, act) as outcome:
                outcome.reply = act.handler(self._sessions.robot, self._caller, call.params)
            self._answer(call.id, data_of(outcome.reply))
            return
        if self._waiting >= MOST_REQUESTS and call.action != stopping.ACTION:
            with self._admitted(call, act):
                text = f"{MOST_REQUESTS} requests of this client are waiting for their replies"
                raise RefusedError("too_many", Code.REFUSED, text)
        self._waiting += 1
        self._tasks.create_task(self._perform(call, act, self._is_old))

    async def _perform(self, call: logic.ClientCall, act: Act, is_old: bool) -> None:
        robot, caller = self._sessions.robot, self._caller
        try:
            with self._sessions.boundary.around("a message"):
                with admission.admitted(robot, caller, act, call.params, is_old=is_old) as outcome:
                    outcome.reply = await act.handler(robot, caller, call.params)
                self._answer(call.id, data_of(outcome.reply))
        except SaintError as err:
            self._refuse(call.id, err)
        finally:
            self._waiting -= 1

    def _admitted(self, call: logic.ClientCall, act: Act) -> AbstractContextManager[Outcome]:
        robot = self._sessions.robot
        return admission.admitted(robot, self._caller, act, call.params, is_old=self._is_old)

    def _answer(self, message_id: logic.MessageId, data: dict[str, Any]) -> None:
        self._reply(message_id, {"status": "ok", "data": data})

    def _refuse(self, message_id: logic.MessageId, err: SaintError) -> None:
        self._sessions.boundary.count(err)
        self._reply(message_id, {"status": "error", "error": views.problem(err)})

    def _reply(self, message_id: logic.MessageId, outcome: dict[str, Any]) -> None:
        id_field = {} if message_id is None else {"id": message_id}
        self._outbox.reply(encoded({**id_field, "type": "response", **outcome}))

    def _count(self, reason: str) -> None:
        self._sessions.robot.newest.counters[f"refused_{reason}"] += 1


def _limit_kernel_buffer(transport: asyncio.Transport) -> None:
    bare = transport.get_extra_info("socket")
    if bare is not None:
        bare.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        bare.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def local_address(request: web.Request) -> str:
    """Return the robot's address that the client has connected to; empty: the control socket."""
    name = request.transport.get_extra_info("sockname") if request.transport else None
    return str(name[0]) if isinstance(name, tuple) else ""
