"""Connects sessions, control, commands, pictures and state: what arrives from a peer goes through
the decisions (seats.py, commands.py) to the router (output.py). Decides nothing itself.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from ..lib import log
from ..lib.access.audit import AuditRecord
from ..lib.access.levels import Level
from ..lib.access.person import Person
from ..lib.api.teleop import LEASE_S, OperatorReply, RemoteSessionInfo
from ..lib.clock import monotonic_s, wall_s
from ..lib.errors import Code, SaintError
from ..lib.teleop.fields import PictureReport, RobotPulse, RobotReport
from ..lib.teleop.velocity import VelocityTarget
from .commands import CommandStream, Decision
from .delay import DelayMeter, SpeedLimit
from .kept_seat import End
from .output import SOURCE, RobotOutput, Spawn
from .robot_state import RobotState
from .seats import Fact, RemoteSession, SeatChange, Seats
from .sounds import Sounds
from .times import LinkTimes

if TYPE_CHECKING:
    from .cameras import SharedCamera
    from .microphone import SharedMicrophone

OPERATOR_TURNS: Final = 2  # signs of life for each whole report
VIEWER_TURNS: Final = 5
_CLOSE_LIMIT_S = 3.0
_LONG_MS = 10_000.0  # also what a page says that shows no picture yet
MADE, LOST_CONTROL = "sessions", "control_lost"
SENT_BYTES, RECEIVED_BYTES = "bytes_sent", "bytes_received"  # of the sessions that have ended
_log = log.get("teleopd")


@dataclass(frozen=True, slots=True)
class DriveRules:
    """What the velocities of the binary form drive, and how fast anything may be driven."""

    velocity: VelocityTarget | None
    limit: SpeedLimit


class PeerConnection(Protocol):
    """The connection of a session (peers.py)."""

    @property
    def camera(self) -> "SharedCamera | None": ...
    @property
    def may_choose_sound(self) -> bool: ...
    def listen(self, microphone: "SharedMicrophone | None") -> None: ...
    async def answer(self, sdp: str) -> str: ...
    def send(self, channel: str, data: bytes | str) -> bool: ...
    def has(self, channel: str) -> bool: ...
    @property
    def round_trip_ms(self) -> float | None: ...
    @property
    def traffic(self) -> tuple[int, int]: ...
    async def close(self) -> None: ...


class _Known(NamedTuple):
    is_filmed: bool
    operator: str
    is_stopped: bool | None
    why: str


class Operation:
    """All sessions of remote operation."""

    def __init__(
        self, seats: Seats, output: RobotOutput, state: RobotState,
        drive: DriveRules, sounds: Sounds, counters: Counter[str], spawn: Spawn,
    ) -> None:  # fmt: skip
        self.seats = seats
        self.notice: Callable[[], str] = str  # what sessions are to know of the LiveKit room
        self.on_entry: Callable[[AuditRecord], None] = _discard
        self.is_idle_since_s = monotonic_s()
        self.times = LinkTimes()
        self._output = output
        self._state = state
        self._drive = drive
        self.sounds = sounds
        self._counters = counters
        self._spawn = spawn
        self._peers: dict[str, PeerConnection] = {}
        self._streams: dict[str, CommandStream] = {}
        self._meters: dict[str, DelayMeter] = {}
        self._why: dict[str, str] = {}
        self._stopping: set[str] = set()
        self._sounds_of: dict[str, str] = {}  # the place that a session has named
        self._known: dict[str, _Known] = {}  # what each session's reports have said
        self._closing: set[asyncio.Task[None]] = set()
        self._numbers: Counter[str] = Counter()
        self._turn = 0  # of the reports

    async def connect(
        self, person: Person, sdp: str, make: Callable[[str], PeerConnection], *,
        is_driving: bool, replaces: str,
    ) -> tuple[str, str]:  # fmt: skip
        """Open a session, in the place of another of this person if one is named: return its name
        and the answer to its offer. Raises SaintError.
        """
        now_s, name = monotonic_s(), secrets.token_hex(4)
        session = RemoteSession(
            name, person.name, Level.of(person.level), person.address, now_s,
            now_s + LEASE_S, wants_control=is_driving,
        )  # fmt: skip
        if replaces:
            self.apply(self.seats.vacate(replaces, person.name))
        self.seats.join(session, now_s, replaces=replaces)
        self._state.open()
        self._streams[name] = CommandStream(self._drive.velocity)
        self._meters[name] = DelayMeter()
        try:
            peer = self._peers[name] = make(name)
            self._listen(name, peer, "")
            answer = await peer.answer(sdp)
        except SaintError:
            self.leave(name, "its offer was refused", End.LOST)
            raise
        self._counters[MADE] += 1
        return name, answer

    def opened(self, session: str, channel: str) -> None:
        """Accept an opened data channel."""
        _log.debug("channel opened", session=session, channel=channel)
        now_s = monotonic_s()
        if stream := self._streams.get(session):
            stream.opened(now_s)
        self.apply(self.seats.linked(session, now_s))

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
        if decision.is_stop:
            self.press(session, known.who)
        if stream.is_flood(now_s):  # a stop in it has counted
            self._counters["commands_flood"] += 1
            return
        if decision.is_beat:
            self.seats.beat(session, now_s, is_talking=decision.is_talking)
        if answer := decision.answer:
            meter = self._meters[session]
            meter.answered(answer.number, answer.held_ms, answer.picture_ms, now_s)
        if decision.values and is_operator and self.seats.may_drive(session, now_s):
            delay_ms = self._delay_ms(session, now_s)
            self._output.send(session, self._drive.limit.clamped(decision.values, delay_ms))
            if decision.age_s is not None:
                self.times.command_age.observe(decision.age_s)
        self._note_message(session, known, decision)

    def _note_message(self, session: str, known: RemoteSession, decision: Decision) -> None:
        """Act on the rest of a message, after its command has left."""
        if decision.sound is not None:
            self._choose_sound(session, decision.sound)
        if decision.answer and decision.answer.picture_ms is not None:
            self.times.picture_age.observe(decision.answer.picture_ms / 1000)
        if decision.count:
            self._counters[f"commands_{decision.count}"] += 1
        if decision.refusal:
            known.refused += 1
            self._why[session] = decision.refusal
            return
        is_settled = decision.is_beat and not self._streams[session].is_owing
        if is_settled and session == self.seats.operator:
            self._why.pop(session, None)

    def press(self, session: str, who: str) -> None:
        """Stop the robot for a session, or for a user without one: one press at a time."""
        if session not in self._stopping:
            self._stopping.add(session)
            self._spawn(self._stop(session, who), "stop")

    def request_control(self, session: str) -> None:
        """Request control for a session. Raises SaintError."""
        self.apply(self.seats.request(session, monotonic_s()))

    def release_control(self, session: str) -> None:
        """Release control of a session. Raises not_found."""
        self.apply(self.seats.release(session))

    def said(self, session: str, sound: Callable[[], bytes]) -> None:
        """Play what a session says, if it may speak now."""
        if self.seats.may_speak(session, monotonic_s()):
            self.sounds.play(session, sound)

    def measured(self, session: str, estimate_kbps: float | None, loss: float | None) -> None:
        """Follow what the receiver of a session's video has reported."""
        peer, now_s = self._peers.get(session), monotonic_s()
        if peer is not None and peer.camera is not None:
            peer.camera.rule.measured(
                session, now_s, estimate_kbps=estimate_kbps, loss=loss,
                round_trip_ms=self._meters[session].link_ms(now_s),
            )  # fmt: skip

    def round_trip_s(self, session: str) -> float | None:
        """Return how long a session's link takes there and back; None: unknown."""
        meter = self._meters.get(session)
        trip_ms = meter.link_ms(monotonic_s()) if meter is not None else None
        return None if trip_ms is None else trip_ms / 1000.0

    def steer(self) -> None:
        """Fit each camera's stream to the link that decides."""
        now_s = monotonic_s()
        for camera in {each.camera for each in self._peers.values()}:
            if camera is not None:
                camera.aim(camera.rule.target(self.seats.operator, now_s))

    def lost(self, session: str, reason: str, *, has_left: bool) -> None:
        """End a session whose link is gone; the other end may have closed it."""
        self.leave(session, reason, End.LEFT if has_left else End.LOST)

    def leave(self, session: str, reason: str, end: End = End.LEFT) -> None:
        """End a session."""
        self.apply(self.seats.leave(session, reason, end))

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
                self._streams[change.session].control_changed(monotonic_s())
                self._why.pop(change.session, None)
            elif change.fact is Fact.LOST:
                self._output.end(change.session)
                self.sounds.end()
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

    @property
    def traffic(self) -> tuple[int, int]:
        """Bytes to and from all sessions since the start."""
        now = [each.traffic for each in self._peers.values()]
        sent, received = (sum(each[way] for each in now) for way in (0, 1))
        return self._counters[SENT_BYTES] + sent, self._counters[RECEIVED_BYTES] + received

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
        """Send the operator a report or, every second time, its sign of life only: its page counts
        the link as lost after 300 ms, and some may get lost on a bad network. To viewers every
        VIEWER_TURNS; to both at once when something has changed that they must know.
        """
        now_s, self._turn = monotonic_s(), self._turn + 1
        for name, peer in self._peers.items():
            is_operator = name == self.seats.operator
            is_new = self._has_changed(name, now_s)
            is_due = self._turn % (OPERATOR_TURNS if is_operator else VIEWER_TURNS) == 0
            if (is_new or is_due or is_operator) and peer.has("fields"):
                pulse = self._pulse(name, now_s)
                report = self._report(name, peer, pulse) if is_new or is_due else pulse
                if peer.send("fields", report.model_dump_json()):
                    self._meters[name].sent(report.seq, now_s)

    def _has_changed(self, name: str, now_s: float) -> bool:
        """Return whether a session does not know yet that the picture has come or gone, who has
        control, that the robot is stopped, or why its message was refused. Require a release from
        who drove by a picture that has gone: to drive on without one takes a new decision.
        """
        is_filmed, why = self._is_filmed(name, now_s), self._why.get(name, "")
        now = _Known(is_filmed, self.seats.operator, self._state.is_stopped, why)
        before, self._known[name] = self._known.get(name), now
        was_filmed = before is not None and before.is_filmed
        if was_filmed and not is_filmed and self._meters[name].shown_ms is not None:
            self._streams[name].picture_ended(now_s)
        return now != before

    def _is_filmed(self, name: str, now_s: float) -> bool:
        camera = self._peers[name].camera
        return camera is not None and camera.is_live(now_s)

    async def _stop(self, session: str, who: str) -> None:
        try:
            await self._output.stop(session, who)
        finally:
            self._stopping.discard(session)

    def _pulse(self, name: str, now_s: float) -> RobotPulse:
        stream = self._streams[name]
        self._numbers[name] += 1
        return RobotPulse(
            seq=self._numbers[name],
            t=round(wall_s() * 1000, 1),
            echo=stream.echo_t,
            echo_age_ms=round((now_s - stream.echo_s) * 1000, 1) if stream.echo_t else None,
        )

    def _report(self, name: str, peer: PeerConnection, pulse: RobotPulse) -> RobotReport:
        now_s = monotonic_s()
        session, holder = self.seats.sessions[name], self.control(is_granted=False)
        volts, percent = self._state.battery
        is_operator = name == self.seats.operator
        delay_ms = self._delay_ms(name, now_s)
        requests = self.seats.requesting(now_s) if is_operator else []
        return RobotReport(
            seq=pulse.seq,
            t=pulse.t,
            echo=pulse.echo,
            echo_age_ms=pulse.echo_age_ms,
            seat="operator" if is_operator else "viewer",
            operator=holder.who,
            requests=[(each.name, each.who) for each in requests],
            refused=session.refused,
            why=self._why_not(name, delay_ms) if is_operator else self._why.get(name, ""),
            stopped=self._state.is_stopped,
            battery_v=volts,
            battery_percent=percent,
            speed_mps=self._state.speed_mps,
            delay_ms=None if delay_ms is None else round(delay_ms, 1),
            speed_share=round(self._drive.limit.share(delay_ms), 3),
            picture=peer.camera.report(now_s) if peer.camera else PictureReport(),
            sound=self.sounds.report(name, now_s),
            room=self.notice(),
        )

    def _delay_ms(self, name: str, now_s: float) -> float | None:
        peer, meter = self._peers.get(name), self._meters.get(name)
        if peer is None or meter is None:
            return None
        return meter.delay_ms(now_s, peer.round_trip_ms, is_filmed=self._is_filmed(name, now_s))

    def _why_not(self, name: str, delay_ms: float | None) -> str:
        """Say why the operator's newest command does not count or does not do what it requests;
        empty: it does."""
        found = self._why.get(name, "") or self._output.problem or self._state.refusal
        if found or delay_ms is None or self._drive.limit.share(delay_ms) > 0:
            return found
        most_ms = self._drive.limit.curve.stop_ms
        found = f"{delay_ms:.0f} ms" if delay_ms < _LONG_MS else f"over {_LONG_MS / 1000:.0f} s"
        return f"The delay is {found}: from {most_ms:.0f} ms on nothing drives."

    def _choose_sound(self, session: str, place: str) -> None:
        peer = self._peers.get(session)
        if peer is not None and peer.may_choose_sound and self._sounds_of.get(session) != place:
            self._listen(session, peer, place)

    def _listen(self, session: str, peer: PeerConnection, place: str) -> None:
        """Connect a session with the microphone and the loudspeaker of a place."""
        self._sounds_of[session] = place
        if session == self.seats.operator:
            self.sounds.end()  # what was said goes on nowhere
        camera = peer.camera.name if peer.camera else ""
        peer.listen(self.sounds.choose(session, place, camera))

    def _info(self, session: RemoteSession, now_s: float) -> RemoteSessionInfo:
        has_beat = session.is_linked
        peer, meter = self._peers[session.name], self._meters[session.name]
        sent, received = peer.traffic
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
            round_trip_ms=meter.round_trip_ms or peer.round_trip_ms,
            picture_ms=meter.picture_ms,
            delay_ms=self._delay_ms(session.name, now_s),
            sent_bytes=sent,
            received_bytes=received,
        )

    def _forget(self, name: str) -> None:
        for each in (self._streams, self._why, self._numbers, self._meters):
            each.pop(name, None)
        if self._sounds_of.pop(name, None) is not None:
            self.sounds.forget(name)
        self._known.pop(name, None)
        if peer := self._peers.pop(name, None):
            if peer.camera is not None:
                peer.camera.rule.forget(name)
            sent, received = peer.traffic
            self._counters[SENT_BYTES] += sent
            self._counters[RECEIVED_BYTES] += received
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
