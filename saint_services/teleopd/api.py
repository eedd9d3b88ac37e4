"""Requests about sessions and control. Checks whose session it is; decides nothing else."""

import asyncio
from collections import Counter
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..lib.access.levels import Level
from ..lib.access.person import Person
from ..lib.api import Done, teleop
from ..lib.api.endpoint import Nothing
from ..lib.api.teleop import (
    Connect,
    Connected,
    IceServers,
    JoinRoom,
    LinkTest,
    LiveKitRoom,
    OperatorReply,
    RemoteSessionList,
    RequestControl,
    SessionRef,
    TurnPassword,
)
from ..lib.bus import Bus
from ..lib.clock import monotonic_s
from ..lib.errors import Code, SaintError
from ..lib.ipc import Api, Call
from ..lib.role_config.model import RoleConfig
from . import times
from .config import Config
from .ice import IceServerList
from .kept_seat import End
from .operation import Operation, PeerConnection, camera_of
from .seats import Fact

if TYPE_CHECKING:
    from .cameras import SharedCamera
    from .room.bridge import RoomBridge
    from .room.visit import RoomSources

_PROGRAM = "autonomous:"
ENCODED, DROPPED = "pictures_encoded", "pictures_dropped"


class SessionRequests:
    """Answers the requests of lib/api/teleop."""

    def __init__(
        self, config: Config, operation: Operation, roles: dict[str, RoleConfig], bus: Bus,
        counters: Counter[str], room: "RoomBridge", ice: IceServerList,
    ) -> None:  # fmt: skip
        self._room = room
        self._ice = ice
        self._config = config
        self._operation = operation
        self._roles = roles
        self._bus = bus
        self._counters = counters
        self._cameras: dict[str, SharedCamera] | None = None  # None: before the first session

    def add_to(self, api: Api) -> Api:
        """Bind every row."""
        api.bind(teleop.LIST_SESSIONS, self.list_sessions)
        api.bind(teleop.ICE_SERVERS, self.ice_servers)
        api.bind(teleop.SET_TURN_PASSWORD, self.set_turn_password)
        api.bind(teleop.CONNECT, self.connect)
        api.bind(teleop.RENEW, self.renew)
        api.bind(teleop.REQUEST_CONTROL, self.request_control)
        api.bind(teleop.GRANT_CONTROL, self.grant_control)
        api.bind(teleop.RELEASE_CONTROL, self.release_control)
        api.bind(teleop.KICK, self.kick)
        api.bind(teleop.JOIN_ROOM, self.join_room)
        api.bind(teleop.LEAVE_ROOM, self.leave_room)
        api.bind(teleop.TEST, self.test)
        return api

    async def list_sessions(self, _: Call[Nothing]) -> RemoteSessionList:
        operation = self._operation
        return RemoteSessionList(
            sessions=operation.infos(),
            operator=operation.seats.operator,
            cameras=self._camera_names(),
            viewers_at_most=self._config.viewers,
            encoded=self._counters[ENCODED],
            dropped=self._counters[DROPPED],
            sent=self._counters["pictures_sent"],
            sent_bytes=operation.traffic[0],
            received_bytes=operation.traffic[1],
            command_age=times.reply(operation.times.command_age),
            picture_age=times.reply(operation.times.picture_age),
            loop_time=times.reply(operation.times.loop_time),
            loop_jitter=times.reply(operation.times.loop_jitter),
            room=self._room.report(),
        )

    async def ice_servers(self, _: Call[Nothing]) -> IceServers:
        return await self._ice.for_session()

    async def set_turn_password(self, call: Call[TurnPassword]) -> Done:
        await self._ice.store(call.body.password)
        return Done(message="The password is stored. `saintctl teleop test` tries it.")

    async def connect(self, call: Call[Connect]) -> Connected:
        person, params = _person(call), call.body
        cameras = await self._loaded()
        ice = await self._ice.for_robot()
        camera = camera_of(cameras, params.camera)

        def make(session: str) -> PeerConnection:
            from .peers import RemotePeer

            return RemotePeer(session, self._operation, camera, ice)

        session, sdp = await self._operation.connect(
            person, params.sdp, make,
            is_driving=params.wants_control, replaces=params.replaces,
        )  # fmt: skip
        return Connected(session=session, sdp=sdp, cameras=list(cameras))

    async def renew(self, call: Call[SessionRef]) -> Done:
        person = _person(call)
        self._operation.owned(call.body.session, person, is_strict=True)
        seats = self._operation.seats
        level = Level.of(person.level)
        self._operation.apply(seats.renew(call.body.session, level, monotonic_s()))
        return Done()

    async def request_control(self, call: Call[RequestControl]) -> OperatorReply:
        person, params = _person(call), call.body
        if params.force and Level.of(person.level) < Level.ADMIN:
            text = "taking control by force needs the admin role"
            raise SaintError(Code.FORBIDDEN, text, fix="Request it without force.")
        self._operation.owned(params.session, person)
        changes = self._operation.seats.request(
            params.session, monotonic_s(), is_forced=params.force
        )
        self._operation.apply(changes)
        is_granted = self._operation.seats.operator == params.session
        waits = any(each.fact is Fact.REQUESTED for each in changes)
        message = "The request was sent to the operator." if waits else ""
        return self._operation.control(is_granted=is_granted, message=message)

    async def grant_control(self, call: Call[SessionRef]) -> OperatorReply:
        person, seats = _person(call), self._operation.seats
        holder = seats.sessions.get(seats.operator)
        is_holder = holder is not None and holder.who == person.name
        if not is_holder and Level.of(person.level) < Level.ADMIN:
            text = "only the operator or an admin grants control"
            raise SaintError(Code.FORBIDDEN, text, fix="Wait for the operator.")
        self._operation.apply(seats.grant(call.body.session, monotonic_s()))
        return self._operation.control(is_granted=True)

    async def release_control(self, call: Call[SessionRef]) -> OperatorReply:
        self._operation.owned(call.body.session, _person(call))
        self._operation.apply(self._operation.seats.release(call.body.session))
        return self._operation.control(is_granted=False)

    async def kick(self, call: Call[SessionRef]) -> Done:
        self._operation.seats.known(call.body.session)
        reason = f"{_person(call).name} ended it"
        self._operation.leave(call.body.session, reason, End.KICKED)  # its page does not come back
        return Done(message=f"session {call.body.session} was ended")

    async def join_room(self, call: Call[JoinRoom]) -> LiveKitRoom:
        async def sources() -> "RoomSources":
            from .room.visit import RoomSources

            camera = camera_of(await self._loaded(), "")
            microphone = self._operation.sounds.default(camera.name if camera else "")
            return RoomSources(camera, microphone, self._counters)

        return await self._room.join(call.body.token, sources)

    async def leave_room(self, _: Call[Nothing]) -> LiveKitRoom:
        return await self._room.leave()

    async def test(self, _: Call[Nothing]) -> LinkTest:
        module = await _imported("link_test")
        result: LinkTest = await module.measured(await self._ice.for_robot())
        return result

    def _camera_names(self) -> list[str]:
        found = self._roles.items()
        return [target for target, role in found if role.camera.enabled]

    async def _loaded(self) -> "dict[str, SharedCamera]":
        if self._cameras is None:
            await _imported("peers")
            from .cameras import cameras_of

            if self._cameras is None:  # else another session was the first meanwhile
                kbps = self._config.bitrate_kbps
                self._cameras = cameras_of(self._roles, self._bus, kbps, self._counters)
                self._operation.sounds.load()
        return self._cameras


async def _imported(name: str) -> Any:
    """Import a module that needs WebRTC, in a thread: it takes half a second."""
    try:
        return await asyncio.to_thread(import_module, f"{__package__}.{name}")
    except ImportError as err:
        text = f"remote operation needs the Python packages aiortc and av: {err}"
        raise SaintError(
            Code.REFUSED, text, fix="Install them, or use the image for every Pi."
        ) from err


def _person(call: Call[object]) -> Person:
    """Return the sender. A program of the owner's watches: its commands count after those of
    people, RC and face capture, and the operator's do not.
    """
    person = call.person
    if person is None:
        raise SaintError(Code.FORBIDDEN, "the sender of the request is not known")
    if person.source.startswith(_PROGRAM):
        return replace(person, level=Level.VIEWER.word)
    return person
