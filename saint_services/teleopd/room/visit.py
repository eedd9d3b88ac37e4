"""One stay in a room: joined, its participants, data and media connected with remote operation
until the room is lost. Not here: joining again (bridge.py), which data counts (rules.py).
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...lib.access.levels import Level
from ...lib.access.person import Person
from ...lib.api.teleop import LEASE_S
from ...lib.clock import monotonic_s
from ...lib.errors import SaintError
from ...lib.teleop.structs import wants_stop
from ..cameras import SharedCamera
from ..config import LiveKitSettings
from ..microphone import SharedMicrophone
from ..operation import Operation
from . import rules
from .media import RoomSound, RoomVideo
from .package import outcome
from .peers import RoomPeer, RoomSender

FOREIGN, IGNORED = "livekit_foreign", "livekit_ignored"
_CONNECT_LIMIT_S = 30.0  # the package tries several times
_PUBLISH_LIMIT_S = 15.0
_CLOSE_LIMIT_S = 3.0
_TICK_S = 0.25
_RENEW_S = LEASE_S / 3
_SOURCE = "livekit:"
_PRESS = "livekit"  # the name of a stop without a session


class LinkFaultError(RuntimeError):
    """The room cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class RoomSources:
    """What the robot sends to the room."""

    camera: SharedCamera | None
    microphone: SharedMicrophone | None
    counters: Counter[str]


class RoomVisit:
    """One stay."""

    def __init__(
        self, rtc: Any, settings: LiveKitSettings, operation: Operation, sources: RoomSources,
        on_joined: Callable[[], None],
    ) -> None:  # fmt: skip
        self._rtc = rtc
        self._on_joined = on_joined
        self._settings = settings
        self._operation = operation
        self._sources = sources
        self._sender = RoomSender(sources.counters)
        self._press = rules.PressRule()
        self._room: Any = None
        self._ended = asyncio.Event()
        self._reason = ""
        self._view = ""  # the room's session
        self._peers: dict[str, RoomPeer] = {}
        self._seating: set[asyncio.Task[None]] = set()
        self._is_barred = False  # an admin ended the session of who is here
        self.operator_session = ""
        self.is_joined = self.was_kicked = False

    @property
    def participants(self) -> int:
        """Other participants of the room."""
        return len(self._room.remote_participants) if self.is_joined else 0

    async def run(self, token: str) -> None:
        """Stay until the room is lost or a part of it fails. Raises with the reason."""
        room = self._room = self._rtc.Room()
        room.on("data_received", self._received)
        room.on("participant_connected", self._came)
        room.on("participant_disconnected", self._gone)
        room.on("reconnected", self._reconnected)
        room.on("disconnected", self._disconnected)
        work: set[asyncio.Future[Any]] = set()
        media: list[RoomVideo | RoomSound] = []
        try:
            await self._join(token)
            work.add(asyncio.ensure_future(self._sender.run(room.local_participant)))
            media = self._media()
            work.update(each.work for each in media)
            video = next((each for each in media if isinstance(each, RoomVideo)), None)
            work.add(asyncio.ensure_future(self._tick(video)))
            work.add(asyncio.ensure_future(self._ended.wait()))
            done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            raise LinkFaultError(self._reason or _fault(done))
        finally:
            self.is_joined = False
            self._leave()
            for each in (*work, *self._seating):
                each.cancel()
            for made in media:
                await made.close()
            await outcome(room.disconnect(), _CLOSE_LIMIT_S)

    async def _join(self, token: str) -> None:
        """Connect, take a viewer's session for the room, seat its operator. Raises."""
        options = self._rtc.RoomOptions(auto_subscribe=False)
        calling = self._room.connect(self._settings.url, token, options)
        if fault := await outcome(calling, _CONNECT_LIMIT_S):
            raise LinkFaultError(fault)
        try:
            self._view = await self._seat("the LiveKit room", "", (rules.STATE,), Level.VIEWER)
        except SaintError as err:
            raise LinkFaultError(err.message) from err
        self.is_joined = True
        self._on_joined()
        participant = self._room.local_participant
        participant.register_rpc_method("request_control", self._request)
        participant.register_rpc_method("release_control", self._release)
        self._reconnected()

    def _media(self) -> list[RoomVideo | RoomSound]:
        found: list[RoomVideo | RoomSound] = []
        sources = self._sources
        if sources.camera is not None:
            found.append(RoomVideo(self._rtc, sources.camera, self._publish, sources.counters))
        if sources.microphone is not None:
            found.append(RoomSound(self._rtc, sources.microphone, self._publish))
        return found

    async def _publish(self, track: Any, options: Any) -> None:
        call = self._room.local_participant.publish_track(track, options)
        if fault := await outcome(call, _PUBLISH_LIMIT_S):
            raise LinkFaultError(fault)

    async def _seat(self, who: str, to: str, channels: tuple[str, ...], level: Level) -> str:
        """Open a session of remote operation. Raises SaintError."""
        sources = self._sources
        peer = RoomPeer(self._sender, to, channels, sources.camera)
        person = Person(who, level.word, self._settings.url, _SOURCE + (to or "room"))
        is_driving = level >= Level.OPERATOR
        name, _ = await self._operation.connect(
            person, "", lambda _: peer, is_driving=is_driving, replaces=""
        )
        self._peers[name] = peer
        self._operation.opened(name, channels[0])
        return name

    def _came(self, participant: Any) -> None:
        is_operator = self._kind(participant) is rules.Sender.OPERATOR
        is_free = self.is_joined and not self.operator_session and not self._is_barred
        if is_operator and is_free:
            task = asyncio.ensure_future(self._seat_operator(participant.identity))
            self._seating.add(task)
            task.add_done_callback(self._seating.discard)

    async def _seat_operator(self, identity: str) -> None:
        who = f"{rules.shown(identity)} (LiveKit)"
        try:
            name = await self._seat(who, identity, (rules.FIELDS,), Level.OPERATOR)
        except SaintError:  # too many sessions: the participant watches
            self._sources.counters["livekit_refused"] += 1
            return
        self.operator_session = name
        if identity not in self._room.remote_participants:  # has left meanwhile
            self._end_operator("the participant left the room")

    def _gone(self, participant: Any) -> None:
        if self._kind(participant) is rules.Sender.OPERATOR:
            self._is_barred = False
            self._end_operator("the participant left the room")
            again = self._room.remote_participants.get(participant.identity)
            if again is not None and again is not participant:  # has come before this one went
                self._came(again)

    def _reconnected(self) -> None:
        """Seat the operator again whose session has ended meanwhile."""
        for each in tuple(self._room.remote_participants.values()):
            self._came(each)

    def _end_operator(self, reason: str) -> None:
        name, self.operator_session = self.operator_session, ""
        if name:
            self._operation.lost(name, reason, has_left=True)

    def _disconnected(self, reason: object = None) -> None:
        self._reason = f"the server ended the connection ({reason})"
        self._end_operator("the LiveKit room was lost")
        self._ended.set()

    def _leave(self) -> None:
        self._end_operator("the LiveKit room was lost")
        if self._view:
            self._operation.lost(self._view, "the LiveKit room was lost", has_left=True)

    def _kind(self, participant: Any) -> rules.Sender:
        identity = None if participant is None else participant.identity
        return rules.sender(identity, self._settings.operator)

    def _received(self, packet: Any) -> None:
        """Act on data: the operator's goes the way of every session, of others a stop counts."""
        data = bytes(packet.data)
        channel = rules.channel(packet.topic, data)
        if not channel:
            self._sources.counters[IGNORED] += 1
        elif self._kind(packet.participant) is rules.Sender.OPERATOR and self.operator_session:
            self._peers[self.operator_session].received_bytes += len(data)
            self._operation.received(self.operator_session, channel, data)
        else:
            self._sources.counters[FOREIGN] += 1
            if channel == rules.COMMANDS:
                self._check_press(packet.participant, data)

    def _check_press(self, participant: Any, data: bytes) -> None:
        if wants_stop(data) and self._press.is_due(monotonic_s()):
            identity = None if participant is None else participant.identity
            self._operation.press(_PRESS, f"{rules.shown(identity)} (LiveKit)")

    def _request(self, invocation: Any) -> str:
        return self._controlled(invocation, self._operation.request_control)

    def _release(self, invocation: Any) -> str:
        return self._controlled(invocation, self._operation.release_control)

    def _controlled(self, invocation: Any, act: Any) -> str:
        """Carry out the operator's request about control; say what came of it."""
        is_operator = rules.sender(invocation.caller_identity, self._settings.operator)
        if is_operator is not rules.Sender.OPERATOR or not self.operator_session:
            return "refused: only the configured participant may operate the robot"
        try:
            act(self.operator_session)
        except SaintError as err:
            return f"refused: {err.message}"
        is_held = self._operation.seats.operator == self.operator_session
        return "in control" if is_held else "not in control"

    async def _tick(self, video: RoomVideo | None) -> None:
        """Renew the sessions while the room is connected, follow the link's bit rate."""
        renewed_s = monotonic_s()
        connected = self._rtc.ConnectionState.CONN_CONNECTED
        while True:
            await asyncio.sleep(_TICK_S)
            sessions = self._operation.seats.sessions
            if self._view not in sessions:
                self.was_kicked = True
                raise LinkFaultError("the room's session was ended")
            is_connected = self._room.connection_state == connected
            if self.operator_session and self.operator_session not in sessions:
                self.operator_session, self._is_barred = "", is_connected
            if monotonic_s() - renewed_s >= _RENEW_S:
                renewed_s = monotonic_s()
                self._renew(is_connected=is_connected)
            if not is_connected:
                continue
            if video is not None and (kbps := video.feedback()) is not None:
                for name in filter(None, (self._view, self.operator_session)):
                    self._operation.measured(name, kbps, None)

    def _renew(self, *, is_connected: bool) -> None:
        """Renew the leases; the operator's only while the room shows who is in it."""
        seats, now_s = self._operation.seats, monotonic_s()
        self._operation.apply(seats.renew(self._view, Level.VIEWER, now_s))
        if self.operator_session and is_connected:
            self._operation.apply(seats.renew(self.operator_session, Level.OPERATOR, now_s))


def _fault(done: set[asyncio.Future[Any]]) -> str:
    """Return why the first part of a visit has ended."""
    fault = next(iter(done)).exception()
    return "it ended" if fault is None else str(fault) or type(fault).__name__
