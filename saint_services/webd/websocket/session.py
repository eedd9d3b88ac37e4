"""One client: its messages one after the other, each answered. Motion commands run at once; what
waits for another daemon runs beside, so nothing delays a stop. Not here: frames (wire.py).
"""

import asyncio
import secrets
import socket
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from pydantic import BaseModel

from ...lib.access.levels import Level
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from .. import logic
from ..accounts.access import Identity, RefusedError, network_of
from ..accounts.gate import Gate, address_of
from ..actions import ACTIONS, MODELS, Action, Quick, motion
from ..actions.caller import Caller
from ..api import admission, stopping
from ..api import messages as m
from ..audit.entries import Driving
from ..robot.context import Robot
from ..server.boundary import Boundary
from ..topics import views
from ..topics.hub import encoded
from . import places
from .close_codes import CloseCode
from .frames import FrameError, Kind
from .lag import Lag
from .outbox import Outbox, Turns
from .pace import Pace
from .wire import Wire, accept

AUTH_LIMIT_S = 10.0
MOST_REQUESTS = 16  # of one client that wait for other daemons
SEND_BUFFER_BYTES = 64 * 1024  # small, so that little old news waits in the kernel
MOST_SAME_NAME = 1000
BEAT_S = 0.1  # the router's status wakes webd as often
NONCE_BYTES = 8
_NOBODY = Identity("nobody", Level.VIEWER, "open")


@dataclass(slots=True)
class Door:
    """What all sessions share."""

    robot: Robot
    gate: Gate
    boundary: Boundary
    most: int = 64  # WebSockets at a time
    sessions: dict[str, "Session"] = field(default_factory=dict)
    turns: Turns = field(default_factory=Turns)

    def free_name(self, wanted: str) -> str:
        """The wanted client id, or the next one that nobody has."""
        names = (f"{wanted}-{n}" if n > 1 else wanted for n in range(1, MOST_SAME_NAME))
        return next(name for name in names if name not in self.sessions)

    def has_room(self) -> bool:
        """For one more client. One that is not signed in yet makes room for it, of the address that
        has most of these.
        """
        if len(self.sessions) < self.most:
            return True
        unknown = [each for each in self.sessions.values() if each.is_stranger]
        if not unknown:
            return False
        crowds = Counter(each.network for each in unknown)
        max(unknown, key=lambda each: crowds[each.network]).make_room()  # the oldest of them
        return True

    def check_place(self, own: "Session", who: Identity) -> None:
        """Raises refused when those who are connected leave `who` no place."""
        others = (each.identity for each in self.sessions.values() if each is not own)
        reason = places.refusal(who, (each for each in others if each), self.most)
        if reason:
            fix = "Close one of them. A stop needs none: POST /api/v1/system/estop."
            raise RefusedError("no_place", Code.REFUSED, reason, fix=fix)

    async def beat(self) -> None:
        """Watch for stalls of the loop, for as long as webd runs."""
        robot = self.robot
        while True:
            if robot.stalls.beat(monotonic_s()):
                self._end_stall()
            await asyncio.sleep(BEAT_S)

    def _end_stall(self) -> None:
        """What was asked before it is not wanted any more, and what is in the sockets is old."""
        self.robot.newest.counters["stalls"] += 1
        self.robot.goals.clear()
        for session in self.sessions.values():
            session.ask_for_proof()

    def look_again(self) -> None:
        """Users, tokens or sign-ins have changed: who lost his way in leaves, at once."""
        for session in list(self.sessions.values()):
            session.look_again()


class Session:
    """A client while it is connected."""

    def __init__(self, door: Door, request: web.Request, is_old: bool = False) -> None:
        self._door = door
        # Which stall the client has answered a ping after; what comes before its pong is older.
        self._proof = -1 if is_old else door.robot.stalls.number(monotonic_s())
        self._asked, self._nonce = 0, b""
        self._address = address_of(request)
        self._identity = door.gate.identify(request)
        self._since_s = monotonic_s()
        self._reached_at = local_address(request)
        self._pace = Pace(self._since_s)
        self._wire: Wire
        self._outbox: Outbox
        self._tasks: asyncio.TaskGroup
        self._waiting = 0
        self._answers_to = Caller("")
        self._lag = Lag()
        self._driving = Driving()
        self.commands = 0
        self.name = door.free_name(f"client-{secrets.token_hex(3)}")

    @property
    def name(self) -> str:
        """Its client id."""
        return self._answers_to.client_id

    @name.setter
    def name(self, name: str) -> None:
        self._answers_to = Caller(name, self._identity or _NOBODY, self._address)

    @property
    def is_stranger(self) -> bool:
        """Nobody is signed in here."""
        return self._identity is None

    @property
    def identity(self) -> Identity | None:
        """Who is signed in here."""
        return self._identity

    @property
    def network(self) -> str:
        """Where it comes from, as connections are counted."""
        return network_of(self._address)

    def ask_for_proof(self) -> None:
        """Send a ping that only a pong of after this moment can answer."""
        self._proof, self._asked = -1, self._door.robot.stalls.number(monotonic_s())
        self._nonce = secrets.token_bytes(NONCE_BYTES)
        self._wire.ping(self._nonce)

    def _prove(self, payload: bytes) -> None:
        if self._nonce and payload == self._nonce:
            self._proof, self._nonce = self._asked, b""

    @property
    def _is_old(self) -> bool:
        """Whether what is read now may have waited while webd stood still."""
        return self._proof != self._door.robot.stalls.number(monotonic_s())

    def data(self) -> dict[str, Any]:
        """As it is shown among the inputs."""
        now_s = monotonic_s()
        return {
            "client_id": self.name,
            "address": self._address,
            "user": self._answers_to.identity.name,
            "level": self._answers_to.identity.level.word,
            "topics": self._outbox.topics,
            "commands": self.commands,
            "messages_per_s": self._pace.per_s(now_s),
            "connected_s": round(now_s - self._since_s),
        }

    async def run(self, request: web.Request) -> web.StreamResponse:
        """Until either side ends it."""
        answer = await accept(request)
        transport = request.transport
        if transport is None:
            return answer
        _limit_kernel_buffer(transport)
        robot, door = self._door.robot, self._door
        counters = robot.newest.counters
        self._wire = Wire(transport, counters, self._receive, m.LARGEST_BYTES)
        self._outbox = Outbox(self._wire, robot.hub.frame, counters, self._cut_off, door.turns)
        self._wire.before_close, self._wire.on_pong = self._outbox.flush, self._prove
        door.sessions[self.name] = self
        robot.hub.changed("system")
        try:
            async with asyncio.TaskGroup() as self._tasks:
                watch = self._tasks.create_task(self._expect_auth())
                if self._is_old:
                    self.ask_for_proof()
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
        robot = self._door.robot
        for topic in robot.hub.names:
            robot.hub.unsubscribe(topic, self._outbox)
        self._outbox.close()
        robot.goals.drop(self._answers_to.source)
        if self._door.sessions.pop(self.name, None):
            robot.hub.changed("system")

    async def close(self) -> None:
        """We are stopping."""
        self._wire.close(CloseCode.STOPPING, "webd is stopping")
        await self._wire.ended()

    def end(self, reason: str) -> None:
        """Somebody who may wants it."""
        self._wire.close(CloseCode.REFUSED, reason)

    def make_room(self) -> None:
        """Another client wants to come in, and all places are taken."""
        self._count("no_room")
        self._wire.close(CloseCode.TRY_LATER, "too many clients")
        self._leave()

    def look_again(self) -> None:
        """The same client, by what is known of it now."""
        before = self._identity
        self._identity = self._door.gate.again(before)
        if before is not None and self._identity is None:
            self.end("signed out")
        self.name = self.name

    def _cut_off(self) -> None:
        self._wire.close(CloseCode.TRY_LATER, "too slow")

    async def _expect_auth(self) -> None:
        await asyncio.sleep(AUTH_LIMIT_S)
        if self._identity is None:
            self._count("no_token")
            self._wire.close(CloseCode.REFUSED, "no token came")

    def _receive(self, kind: Kind, payload: bytes) -> None:
        if not is_text(kind, payload) and stopping.is_named(payload.decode(errors="replace")):
            self._take(f'"{stopping.ACTION}"')  # in doubt the robot stops
            return
        if kind is not Kind.TEXT:
            text = "messages are text, this one was binary"
            self._refuse(None, RefusedError("binary", Code.REQUEST_INVALID, text))
            return
        try:
            text = payload.decode()
        except UnicodeDecodeError:
            raise FrameError(CloseCode.NO_TEXT, "the message is not UTF-8") from None
        self._take(text)

    def _take(self, text: str) -> None:
        self._pace.count(monotonic_s())
        self._door.robot.newest.counters["messages"] += 1
        parsed: logic.Parsed | None = None
        try:
            with self._door.boundary.around("a message"):
                parsed = logic.parse(text, MODELS)
                self._obey(parsed)
        except SaintError as err:
            named = getattr(err, "id", None) if parsed is None else parsed.id
            self._refuse(named, err)

    def _obey(self, parsed: logic.Parsed) -> None:
        if isinstance(parsed, m.Auth):
            self._answer(parsed.id, self._authenticate(parsed))
        elif self._identity is None:
            raise RefusedError("no_token", Code.UNAUTHORIZED, "send auth with a token first")
        elif isinstance(parsed, logic.Call):
            self._call(parsed)
        elif isinstance(parsed, m.Input):
            self._stream(parsed)
        else:
            self._answer(parsed.id, self._subscribe(parsed))

    def _authenticate(self, auth: m.Auth) -> dict[str, Any]:
        door = self._door
        if auth.token:
            found = door.gate.by_token(self._address, auth.token)
            door.check_place(self, found)
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
            "robot": door.robot.roles.name,
            "token_required": not door.gate.is_open,
            "user": who.name,
            "level": who.level.word,
            "via": who.via,
            "server_address": self._reached_at,
        }

    def _rename(self, wanted: str) -> None:
        sessions = self._door.sessions
        sessions.pop(self.name, None)
        self._door.robot.goals.drop(Caller(self.name).source)
        self.name = self._door.free_name(wanted)
        sessions[self.name] = self

    def _subscribe(self, message: m.Subscribe | m.Unsubscribe) -> dict[str, Any]:
        hub = self._door.robot.hub
        logic.check_topics(message.topics, hub.names)
        for topic in message.topics:
            hub.unsubscribe(topic, self._outbox)
            if isinstance(message, m.Subscribe):
                self._outbox.want(topic, message.rate_hz)
            else:
                self._outbox.unwant(topic)
        if isinstance(message, m.Subscribe):
            # The answer first, then the states.
            asyncio.get_running_loop().call_soon(self._join, list(message.topics))
        return {"topics": self._outbox.topics}

    def _join(self, topics: list[str]) -> None:
        for topic in topics:
            period_s = self._outbox.period_s(topic)
            if period_s is not None:
                self._door.robot.hub.subscribe(topic, self._outbox, period_s)

    def _stream(self, message: m.Input) -> None:
        """One reading of a stick or a pad. Only refused ones and those with an id are answered."""
        self.commands += 1
        robot = self._door.robot
        admission.check_motion(self._answers_to)
        logic.check_target(message.target, robot.roles.by_target)
        role = robot.roles.by_target.get(message.target)
        if role is not None:
            logic.check_fields(message.values, role)
        admission.check_reading(robot, self._is_old)
        if message.time_ms is not None and self._lag.is_stale(message.time_ms / 1e3, monotonic_s()):
            if message.id is None:
                self._count("stale_input")
                return
            raise RefusedError("stale_input", Code.REFUSED, "the reading was too long on its way")
        robot.send(self._answers_to.source, message.target, message.values)
        self._note_motion(message.target)
        if message.id is not None:
            self._answer(message.id, motion.answer(role, message.values) if role else {})

    def _call(self, call: logic.Call) -> None:
        action = ACTIONS[call.group][call.action]
        robot, is_old = self._door.robot, self._is_old
        admission.check(robot, self._answers_to, call.group, call.action, call.params)
        admission.check_moving(robot, call.group, call.action, call.params, is_old)
        if isinstance(action, Quick):
            self.commands += 1
            with admission.noted(robot, self._answers_to, call.group, call.action, call.params):
                data = action.handler(robot, self._answers_to, _params(call.params))
            self._answer(call.id, data)
            self._note_moved(call)
        elif self._waiting >= MOST_REQUESTS and call.action != "estop":
            text = f"{MOST_REQUESTS} requests of this client are not answered yet"
            raise RefusedError("too_many", Code.REFUSED, text)
        else:
            self._waiting += 1
            self._tasks.create_task(self._perform_beside(call, action))

    async def _perform_beside(self, call: logic.Call, action: Action[Any]) -> None:
        try:
            await self._perform(call, action)
        finally:
            self._waiting -= 1

    async def _perform(self, call: logic.Call, action: Action[Any]) -> None:
        caller = self._answers_to
        try:
            with (
                self._door.boundary.around("a message"),
                admission.noted(self._door.robot, caller, call.group, call.action, call.params),
            ):
                data = await action.handler(self._door.robot, caller, _params(call.params))
            self._answer(call.id, data)
            self._note_moved(call)
        except SaintError as err:
            self._refuse(call.id, err)

    def _note_moved(self, call: logic.Call) -> None:
        if (call.group, call.action) in admission.MOTION:
            self._note_motion(call.group)

    def _note_motion(self, target: str) -> None:
        if self._driving.begins(target, monotonic_s()):
            admission.tell_motion(self._door.robot, self._answers_to, target)

    def _answer(self, message_id: logic.MessageId, data: dict[str, Any]) -> None:
        self._reply(message_id, {"status": "ok", "data": data})

    def _refuse(self, message_id: logic.MessageId, err: SaintError) -> None:
        self._door.boundary.count(err)
        self._reply(message_id, {"status": "error", "error": views.problem(err)})

    def _reply(self, message_id: logic.MessageId, outcome: dict[str, Any]) -> None:
        named = {} if message_id is None else {"id": message_id}
        self._outbox.reply(encoded({**named, "type": "response", **outcome}))

    def _count(self, reason: str) -> None:
        self._door.robot.newest.counters[f"refused_{reason}"] += 1


def is_text(kind: Kind, payload: bytes) -> bool:
    """Return whether the message is one that can be read."""
    if kind is not Kind.TEXT:
        return False
    try:
        payload.decode()
    except UnicodeDecodeError:
        return False
    return True


def _params(params: BaseModel) -> Any:
    """The table pairs each model with its handler; the type checker cannot follow the lookup."""
    return params


def _limit_kernel_buffer(transport: asyncio.Transport) -> None:
    bare = transport.get_extra_info("socket")
    if bare is not None:
        bare.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        bare.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def local_address(request: web.Request) -> str:
    """The robot's own address on the way that this client came; empty: by the control socket."""
    name = request.transport.get_extra_info("sockname") if request.transport else None
    return str(name[0]) if isinstance(name, tuple) else ""
