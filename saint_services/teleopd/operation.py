"""Connects sessions, control, commands, pictures and state: what arrives from a peer goes through
the decisions (seats.py, commands.py) to the router (output.py). Decides nothing itself.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from ..lib import log
from ..lib.access.audit import AuditRecord
from ..lib.access.levels import Level
from ..lib.access.person import Person
from ..lib.api.teleop import LEASE_S, OperatorReply, RemoteSessionInfo
from ..lib.clock import monotonic_s, wall_s
from ..lib.errors import Code, SaintError
from ..lib.teleop.fields import PictureReport, RobotReport
from ..lib.teleop.velocity import VelocityTarget
from .commands import CommandStream
from .output import SOURCE, RobotOutput, Spawn
from .robot_state import RobotState
from .seats import Fact, RemoteSession, SeatChange, Seats

if TYPE_CHECKING:
    from .cameras import SharedCamera

_CLOSE_LIMIT_S = 3.0
MADE, LOST_CONTROL = "sessions", "control_lost"
_log = log.get("teleopd")


class PeerConnection(Protocol):
    """The connection of a session (peers.py)."""

    @property
    def camera(self) -> "SharedCamera | None": ...
    async def answer(self, sdp: str) -> str: ...
    def send(self, channel: str, data: bytes | str) -> bool: ...
    def has(self, channel: str) -> bool: ...
    async def close(self) -> None: ...


class Operation:
    """All sessions of remote operation."""

    def __init__(
        self, seats: Seats, output: RobotOutput, state: RobotState,
        velocity: VelocityTarget | None, counters: Counter[str], spawn: Spawn,
    ) -> None:  # fmt: skip
        self.seats = seats
        self.on_entry: Callable[[AuditRecord], None] = _discard
        self.is_idle_since_s = monotonic_s()
        self._output = output
        self._state = state
        self._velocity = velocity
        self._counters = counters
        self._spawn = spawn
        self._peers: dict[str, PeerConnection] = {}
        self._streams: dict[str, CommandStream] = {}
        self._why: dict[str, str] = {}
        self._stopping: set[str] = set()
        self._closing: set[asyncio.Task[None]] = set()
        self._numbers: Counter[str] = Counter()

    async def connect(
        self, person: Person, sdp: str, make: Callable[[str], PeerConnection], *, is_driving: bool
    ) -> tuple[str, str]:
        """Open a session: return its name and the answer to its offer. Raises SaintError."""
        now_s, name = monotonic_s(), secrets.token_hex(4)
        session = RemoteSession(
            name, person.name, Level.of(person.level), person.address, now_s,
            now_s + LEASE_S, wants_control=is_driving,
        )  # fmt: skip
        self.seats.join(session)
        self._state.open()
        self._streams[name] = CommandStream(self._velocity)
        try:
            peer = self._peers[name] = make(name)
            answer = await peer.answer(sdp)
        except SaintError:
            self.leave(name, "its offer was refused")
            raise
        self._counters[MADE] += 1
        return name, answer

    def opened(self, session: str, channel: str) -> None:
        """Accept an opened data channel."""
        _log.debug("channel opened", session=session, channel=channel)
        self.apply(self.seats.linked(session, monotonic_s()))

    def received(self, session: str, channel: str, data: bytes | str) -> None:
        """Act on a message of a peer."""
        stream, known = self._streams.get(session), self.seats.sessions.get(session)
        if stream is None or known is None:
            return
        now_s, is_operator = monotonic_s(), session == self.seats.operator
        if channel == "fields":
            decision = stream.named(data, now_s, is_operator=is_operator)
        elif channel == "commands" and isinstance(data, bytes):
            decision = stream.binary(data, now_s, is_operator=is_operator)
        else:
            known.refused += 1
            return
        if decision.is_stop and session not in self._stopping:  # one at a time is enough
            self._stopping.add(session)
            self._spawn(self._stop(session, known.who), "stop")
        if stream.is_flood(now_s):  # a stop in it has counted
            self._counters["commands_flood"] += 1
            return
        if decision.is_beat:
            self.seats.beat(session, now_s)
        if decision.count:
            self._counters[f"commands_{decision.count}"] += 1
        if decision.refusal:
            known.refused += 1
            self._why[session] = decision.refusal
        elif decision.is_beat and is_operator:
            self._why.pop(session, None)
            if decision.values and self.seats.may_drive(session, now_s):
                self._output.send(session, decision.values)

    def lost(self, session: str, reason: str) -> None:
        """End a session whose link is gone."""
        self.leave(session, reason)

    def leave(self, session: str, reason: str) -> None:
        """End a session."""
        self.apply(self.seats.leave(session, reason))

    async def close(self) -> None:
        """End all sessions."""
        for name in tuple(self.seats.sessions):
            self.leave(name, "remote operation ends")
        if self._closing:
            await asyncio.wait(self._closing, timeout=_CLOSE_LIMIT_S)

    def expire(self) -> None:
        """End the sessions whose time is over."""
        self.apply(self.seats.expire(monotonic_s()))

    def apply(self, changes: list[SeatChange]) -> None:
        """Carry out and log what has changed about the sessions."""
        for change in changes:
            if change.fact is Fact.GAINED:
                self._streams[change.session].forget()
                self._why.pop(change.session, None)
            elif change.fact is Fact.LOST:
                self._output.end(change.session)
                self._counters[LOST_CONTROL] += 1
            elif change.fact is Fact.LEFT:
                self._forget(change.session)
            if change.fact in (Fact.GAINED, Fact.LOST, Fact.LEFT):
                self._note(change)

    def control(self, *, is_granted: bool, message: str = "") -> OperatorReply:
        """Return who has control."""
        holder = self.seats.sessions.get(self.seats.operator)
        return OperatorReply(
            operator=self.seats.operator,
            who=holder.who if holder else "",
            is_granted=is_granted,
            message=message,
        )

    def infos(self) -> list[RemoteSessionInfo]:
        """Describe all sessions."""
        now_s = monotonic_s()
        return [self._info(each, now_s) for each in self.seats.sessions.values()]

    def owned(self, name: str, person: Person, *, is_strict: bool = False) -> RemoteSession:
        """Return a session of this person; raises forbidden for another's. An admin may act for
        others, unless `is_strict`: nobody proves that another person is still signed in.
        """
        session = self.seats.known(name)
        is_admin = Level.of(person.level) is Level.ADMIN and not is_strict
        if session.who != person.name and not is_admin:
            text = f"session {name} belongs to {session.who}, not to {person.name}"
            raise SaintError(Code.FORBIDDEN, text, fix="Name a session of your own.")
        return session

    def publish_state(self) -> None:
        """Send TeleopState_S to every session that has opened its channel."""
        peers = [each for each in self._peers.values() if each.has("state")]
        if peers:
            is_driven = self.seats.may_drive(self.seats.operator, monotonic_s())
            data = self._state.packed(is_driven=is_driven)
            for peer in peers:
                peer.send("state", data)

    def publish_reports(self) -> None:
        """Send the named report to every session that has opened its channel."""
        for name, peer in self._peers.items():
            if peer.has("fields"):
                peer.send("fields", self._report(name, peer).model_dump_json())

    async def _stop(self, session: str, who: str) -> None:
        try:
            await self._output.stop(session, who)
        finally:
            self._stopping.discard(session)

    def _report(self, name: str, peer: PeerConnection) -> RobotReport:
        now_s, stream = monotonic_s(), self._streams[name]
        session, holder = self.seats.sessions[name], self.control(is_granted=False)
        volts, percent = self._state.battery
        is_operator = name == self.seats.operator
        self._numbers[name] += 1
        requests = self.seats.requesting(now_s) if is_operator else []
        return RobotReport(
            seq=self._numbers[name],
            t=round(wall_s() * 1000, 1),
            echo=stream.echo_t,
            echo_age_ms=round((now_s - stream.echo_s) * 1000, 1) if stream.echo_t else None,
            seat="operator" if is_operator else "viewer",
            operator=holder.who,
            requests=[(each.name, each.who) for each in requests],
            refused=session.refused,
            why=self._why.get(name, "") or (self._output.problem if is_operator else ""),
            stopped=self._state.is_stopped,
            battery_v=volts,
            battery_percent=percent,
            speed_mps=self._state.speed_mps,
            picture=peer.camera.report(now_s) if peer.camera else PictureReport(),
        )

    def _info(self, session: RemoteSession, now_s: float) -> RemoteSessionInfo:
        has_beat = session.is_linked
        return RemoteSessionInfo(
            session=session.name,
            who=session.who,
            level=session.level.word,
            address=session.address,
            seat="operator" if session.name == self.seats.operator else "viewer",
            is_linked=session.is_linked,
            is_requesting=now_s < session.requested_until_s,
            beat_age_ms=round((now_s - session.beat_s) * 1000) if has_beat else None,
            refused=session.refused,
            connected_s=round(now_s - session.joined_s, 1),
        )

    def _forget(self, name: str) -> None:
        for each in (self._streams, self._why, self._numbers):
            each.pop(name, None)
        if peer := self._peers.pop(name, None):
            closing = self._spawn(peer.close(), "close")
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
        if not self.seats.sessions:
            self._state.close()
            self.is_idle_since_s = monotonic_s()

    def _note(self, change: SeatChange) -> None:
        """Add to the audit log what no request has caused alone."""
        who = change.who
        name = f"{who} (session {change.session})"
        text = f"Remote operation: {name} {change.fact}: {change.reason}"
        _log.info("session", session=change.session, fact=change.fact.value, reason=change.reason)
        source = SOURCE + change.session
        self.on_entry(AuditRecord(wall_s(), who=who, source=source, text=text, daemon="teleopd"))


def _discard(_: AuditRecord) -> None:
    """Drop audit entries before the log is connected."""


def camera_of(cameras: Mapping[str, "SharedCamera"], name: str) -> "SharedCamera | None":
    """Return the named camera, or the first; raises not_found for an unknown name."""
    if not name:
        return next(iter(cameras.values()), None)
    if name not in cameras:
        known = ", ".join(cameras) or "none"
        raise SaintError(Code.NOT_FOUND, f"there is no camera {name!r}; known: {known}")
    return cameras[name]
