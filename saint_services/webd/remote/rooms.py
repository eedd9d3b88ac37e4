"""RobotHub's rooms on this server, behind its sign-in: a room that is named after a target of this
robot commands and shows that target, through the router; every other room only passes values on.
"""

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson
from aiohttp import web

from ...lib.access.levels import Level
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.remote import rooms as r
from ...lib.remote.joints import JointMap
from ...lib.remote.messages import MessageKey, RemoteMessageError, parsed_object, validated
from ...lib.role_config.model import RoleConfig
from ..accounts.gate import Gate, address_of
from ..actions.act import Caller
from ..api import stopping
from ..robot import latch
from ..server import bodies
from ..server.handlers import RequestHandlers
from . import targets
from .conversation import MOST_UNREAD_BYTES, SOURCE, RemoteShared
from .master import RemoteMaster
from .sockets import LARGEST_BYTES, RemoteSocket, RemoteSockets
from .stops import StopExchange

MOST_ROOMS = 32
_ROOMS = "/robotics/workspaces/{workspace_id}/rooms"
_ROOM = _ROOMS + "/{room_id}"


class OpenRoom:
    """A room with its connected participants."""

    def __init__(self, room: r.Room, role: RoleConfig | None, shared: RemoteShared) -> None:
        self.room = room
        self.role = role
        self.sessions: dict[str, RoomSession] = {}
        self._tap = shared.tap(role) if role else None

    def enter(self, session: "RoomSession", who: r.RoomJoin) -> None:
        """Let a participant in. Raises RemoteMessageError."""
        self.room.join(who)
        if not self.sessions and self._tap:
            self._tap.add(self._on_router)
        self.sessions[who.participant_id] = session

    def leave(self, participant_id: str) -> None:
        """Let a participant out."""
        self.room.leave(participant_id)
        self.sessions.pop(participant_id, None)
        if not self.sessions and self._tap:
            self._tap.remove(self._on_router)

    def publish(self, values: Mapping[str, float]) -> list[dict[str, Any]]:
        """Send the values that have changed to all consumers; return them."""
        changed = self.room.changed(values.items())
        data = [{"name": name, "value": value} for name, value in changed.items()]
        if data:
            self.broadcast({"type": "joint_update", "data": data, **_stamp()}, to="consumer")
        return data

    def broadcast(self, message: Mapping[str, Any], *, to: str = "") -> None:
        """Send a message to all participants, or to those of one role."""
        text = orjson.dumps(message).decode()
        for session in tuple(self.sessions.values()):
            if not to or session.role_name == to:
                session.send(text)

    def _on_router(self, values: Mapping[str, float]) -> None:
        assert self.role is not None
        self.publish(r.room_values(self.role, values))


class RoomSession:
    """One participant of a room."""

    def __init__(
        self, rooms: "Rooms", opened: OpenRoom, socket: RemoteSocket, caller: Caller
    ) -> None:
        self.role_name = ""  # before it has joined
        self.source = caller.source
        self.name = caller.client_id.removeprefix(SOURCE)
        self.caller = caller
        self._rooms = rooms
        self._opened = opened
        self._socket = socket
        self._who: r.RoomJoin | None = None
        self._master: RemoteMaster | None = None
        rooms.take_name(self.name)

    def send(self, text: str) -> None:
        """Send a message, unless the participant does not read."""
        if self._socket.unsent_bytes() <= MOST_UNREAD_BYTES:
            self._socket.send(text)

    def receive(self, text: str) -> None:
        """Handle one message."""
        try:
            if self._who is None:
                self._join(_joining(text))
            else:
                self._handle(r.parse(text))
        except RemoteMessageError as err:
            if stopping.is_addressed(text):
                self._stop(stopping.UNREADABLE)
            self._rooms.count()
            self._refuse(str(err))
            if self._who is None:
                self._socket.end("not joined")
        except SaintError as err:
            self._rooms.count()
            self._refuse(err.message)

    def close(self) -> None:
        """Leave the room; nothing that the participant has commanded goes on."""
        if self._who is not None:
            self._opened.leave(self._who.participant_id)
            self._who = None
        self._rooms.leave(self.name, self.source)

    def end(self, reason: str) -> None:
        """Close the connection."""
        self._socket.end(reason)

    def _join(self, who: r.RoomJoin) -> None:
        self._opened.enter(self, who)
        self._who, self.role_name = who, who.role
        room = self._opened.room
        if who.role == "consumer":
            self._send({"type": "state_sync", "data": room.joints, **_stamp()})
        elif self._opened.role is not None:
            self._rooms.leave("", _source_of_requests(room))
            self._master = self._rooms.master(self.caller, self._opened.role)
            self._master.peer_error = self._report
        self._send(
            {
                "type": "joined", "room_id": room.room_id, "workspace_id": room.workspace_id,
                "role": who.role, **_stamp(),
            }
        )  # fmt: skip

    def _handle(self, message: r.RoomMessage) -> None:
        if isinstance(message, r.RoomHeartbeat):
            self._send({"type": "heartbeat_ack", **_stamp()})
        elif isinstance(message, r.RoomStop):
            self._stop(message.reason)
        elif isinstance(message, r.RoomStatus):
            to = "consumer" if self.role_name == "producer" else "producer"
            self._opened.broadcast({"type": message.type, "status": message.status}, to=to)
        elif self.role_name != "producer":
            raise RemoteMessageError("consumer", "a consumer commands nothing")
        else:
            self._rooms.command(self._opened, self._master, message.data)

    def _stop(self, reason: str) -> None:
        self._rooms.stop(self, reason)
        self._opened.broadcast(
            {"type": "emergency_stop", "enabled": True, "reason": reason, **_stamp()}
        )

    def _report(self, _: MessageKey | None, __: str, text: str) -> None:
        self._refuse(text)

    def _refuse(self, text: str) -> None:
        self._send({"type": "error", "message": text[:500], **_stamp()})

    def _send(self, message: Mapping[str, Any]) -> None:
        self.send(orjson.dumps(message).decode())


class Rooms(RequestHandlers):
    """All rooms of this server."""

    def __init__(
        self, shared: RemoteShared, stops: StopExchange, sockets: RemoteSockets, gate: Gate
    ) -> None:
        self._shared = shared
        self._stops = stops
        self._sockets = sockets
        self._gate = gate
        self._rooms: dict[tuple[str, str], OpenRoom] = {}
        self.masters: dict[str, RemoteMaster] = {}  # of producers, by source

    def routes(self) -> Sequence[web.RouteDef]:
        return [
            web.get(_ROOMS, self.list_rooms, allow_head=False),
            web.post(_ROOMS, self.create),
            web.get(_ROOM, self.info, allow_head=False),
            web.delete(_ROOM, self.delete),
            web.get(_ROOM + "/state", self.state, allow_head=False),
            web.post(_ROOM + "/command", self.post_command),
            web.get(_ROOM + "/ws", self.socket, allow_head=False),
            web.get("/robotics/status", self.status, allow_head=False),
            web.get("/robotics/health", self.health, allow_head=False),
        ]

    def beat(self, now_s: float) -> None:
        """Do what is due ten times a second."""
        for master in tuple(self.masters.values()):
            master.beat(now_s)

    def stopped(self, reason: str) -> None:
        """Notify all rooms of a stop of this robot."""
        for master in tuple(self.masters.values()):
            master.stopped()
        message = {"type": "emergency_stop", "enabled": True, "reason": reason, **_stamp()}
        for opened in tuple(self._rooms.values()):
            opened.broadcast(message)

    # Of the sessions

    def count(self) -> None:
        """Count a refused message."""
        self._shared.robot.newest.counters["refused_remote"] += 1

    def take_name(self, name: str) -> None:
        """Reserve the name of a participant."""
        self._shared.names.add(name)

    def leave(self, name: str, source: str) -> None:
        """Release a name, and what its source drives."""
        self._shared.names.discard(name)
        if (master := self.masters.pop(source, None)) is not None:
            master.leave()

    def master(self, caller: Caller, role: RoleConfig) -> RemoteMaster:
        """Return the producer as a master of a target."""
        robot, spawn = self._shared.robot, self._shared.spawn
        made = RemoteMaster(robot, caller, role, JointMap(role), spawn)
        self.masters[caller.source] = made
        return made

    def stop(self, session: RoomSession, reason: str) -> None:
        """Stop this robot for a participant."""
        self._stops.press(session, reason)

    def command(
        self, opened: OpenRoom, master: RemoteMaster | None, joints: Sequence[r.RoomJoint]
    ) -> list[dict[str, Any]]:
        """Obey a command of a producer. Raises SaintError, or RemoteMessageError."""
        now_s = monotonic_s()
        if opened.role is not None and master is not None:
            master.note_message(now_s)
            values = r.field_values(opened.role, joints)
            master.obey(values, None, now_s)
            return [{"name": each.name, "value": each.value} for each in joints]
        if problem := latch.problem(self._shared.robot.newest, now_s):
            raise problem
        return opened.publish({each.name: each.value for each in joints})

    # Over HTTP

    async def list_rooms(self, request: web.Request) -> web.StreamResponse:
        """List the rooms of a workspace."""
        self._gate.admit(request, Level.VIEWER)
        wanted = request.match_info["workspace_id"]
        rooms = [each.room.info() for (space, _), each in self._rooms.items() if space == wanted]
        return _json({"workspace_id": wanted, "rooms": rooms, "total": len(rooms)})

    async def create(self, request: web.Request) -> web.StreamResponse:
        """Create a room; one that exists stays as it is."""
        self._gate.admit(request, Level.OPERATOR, "creating a room")
        raw = await bodies.whole(request, LARGEST_BYTES)
        body = _checked(r.CreateRoom, raw or b"{}")
        space = _checked_id(request.match_info["workspace_id"])
        opened = self.opened(space, body.room_id or secrets.token_hex(8))
        room_id = opened.room.room_id
        text = f"Room {room_id} created successfully in workspace {space}"
        return _json({"workspace_id": space, "room_id": room_id, "message": text})

    async def info(self, request: web.Request) -> web.StreamResponse:
        """Describe a room."""
        self._gate.admit(request, Level.VIEWER)
        return _json({"room": self._room(request).room.info()})

    async def delete(self, request: web.Request) -> web.StreamResponse:
        """Delete a room; its participants are disconnected."""
        self._gate.admit(request, Level.OPERATOR, "deleting a room")
        opened = self._room(request)
        room = opened.room
        for session in tuple(opened.sessions.values()):
            session.end("the room was deleted")
        self.leave("", _source_of_requests(room))
        del self._rooms[room.workspace_id, room.room_id]
        text = f"Room {room.room_id} deleted successfully from workspace {room.workspace_id}"
        return _json({"message": text})

    async def state(self, request: web.Request) -> web.StreamResponse:
        """Return the newest values of a room."""
        self._gate.admit(request, Level.VIEWER)
        room = self._room(request).room
        found = {
            "room_id": room.room_id, "workspace_id": room.workspace_id, "joints": room.joints,
            "participants": room.participants(), **_stamp(),
        }  # fmt: skip
        return _json({"state": found})

    async def post_command(self, request: web.Request) -> web.StreamResponse:
        """Command the joints of a room once. While it has a producer this is refused."""
        identity = self._gate.admit(request, Level.OPERATOR, "commanding a room")
        opened = self._room(request)
        joints = _checked(r.RoomJoints, await bodies.whole(request, LARGEST_BYTES)).joints
        room = opened.room
        master: RemoteMaster | None = None
        if room.producer is not None:
            raise SaintError(Code.CONFLICT, f"{room.producer} is the producer of this room")
        if opened.role is not None:
            name = _source_of_requests(room).partition(":")[2]
            caller = Caller(name, identity, address_of(request))
            master = self.masters.get(caller.source) or self.master(caller, opened.role)
        try:
            changed = self.command(opened, master, joints)
        except RemoteMessageError as err:
            raise SaintError(Code.REFUSED, str(err)) from err
        return _json(
            {
                "workspace_id": room.workspace_id, "room_id": room.room_id,
                "joints_updated": changed, "message": "Commands sent successfully",
            }
        )  # fmt: skip

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """Serve the WebSocket of a participant. A room of a target is made by its first one."""
        identity = self._sockets.identify(request)
        space = _checked_id(request.match_info["workspace_id"])
        room_id = request.match_info["room_id"]
        if self._role(room_id) is None:
            self._room(request)

        def begin(socket: RemoteSocket, caller: Caller) -> RoomSession:
            prefix, _, name = caller.client_id.partition(":")
            free = self._shared.free_name(name)
            named = Caller(f"{prefix}:{free}", caller.identity, caller.address)
            return RoomSession(self, self.opened(space, room_id), socket, named)

        return await self._sockets.serve(request, identity, begin)

    async def status(self, request: web.Request) -> web.StreamResponse:
        """Describe the service."""
        self._gate.admit(request, Level.VIEWER)
        found = {
            "service": "robotics", "status": "active", "rooms_count": len(self._rooms),
            "workspaces_count": len({space for space, _ in self._rooms}),
            "connections_count": sum(len(each.sessions) for each in self._rooms.values()),
            "supported_roles": ["producer", "consumer"],
        }  # fmt: skip
        return web.Response(body=orjson.dumps(found), content_type="application/json")

    async def health(self, request: web.Request) -> web.StreamResponse:
        """Report that the service answers."""
        self._gate.admit(request, Level.VIEWER)
        found = {"status": "healthy", "service": "robotics"}
        return web.Response(body=orjson.dumps(found), content_type="application/json")

    def opened(self, space: str, room_id: str) -> OpenRoom:
        """Return a room, made when it is new. Raises conflict when there are too many."""
        found = self._rooms.get((space, room_id))
        if found is None:
            if len(self._rooms) >= MOST_ROOMS:
                raise SaintError(
                    Code.CONFLICT, f"there are {MOST_ROOMS} rooms", fix="Delete one of them."
                )
            role = self._role(room_id)
            found = OpenRoom(r.Room(space, room_id), role, self._shared)
            self._rooms[space, room_id] = found
        return found

    def _role(self, room_id: str) -> RoleConfig | None:
        try:
            return targets.find(room_id, self._shared.robot.roles.by_target)
        except SaintError:
            return None

    def _room(self, request: web.Request) -> OpenRoom:
        space, room_id = request.match_info["workspace_id"], request.match_info["room_id"]
        found = self._rooms.get((space, room_id))
        if found is None:
            raise SaintError(Code.NOT_FOUND, f"there is no room {room_id[:64]!r}")
        return found


def _source_of_requests(room: r.Room) -> str:
    """Return the source of commands over HTTP; no participant has a colon in its name."""
    return f"websocket:{SOURCE}room:{room.workspace_id[:32]}:{room.room_id[:32]}"


def _joining(text: str) -> r.RoomJoin:
    if stopping.is_addressed(text):  # whatever else it says, it is no request to join
        raise RemoteMessageError("not_joined", "the robot is stopped; join the room first")
    return r.parse_join(text)


def _checked(model: type[Any], raw: bytes) -> Any:
    try:
        return validated(model, parsed_object(raw))
    except RemoteMessageError as err:
        raise SaintError(Code.REQUEST_INVALID, str(err)) from err


def _checked_id(given: str) -> str:
    found = _checked(r.CreateRoom, orjson.dumps({"room_id": given})).room_id
    return str(found)


def _json(data: Mapping[str, Any]) -> web.Response:
    return web.Response(
        body=orjson.dumps({"success": True, **data}), content_type="application/json"
    )


def _stamp() -> dict[str, str]:
    return {"timestamp": datetime.now(UTC).isoformat()}
