"""Decides who has control: one operator at most, and a limited number of viewers. Pure: time comes
in, and what has changed comes out. Not here: what a command does (commands.py).
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf

from ..lib.access.levels import Level
from ..lib.api.teleop import LEASE_S
from ..lib.errors import Code, SaintError
from .kept_seat import End, EndedSession, EndedSessions, KeptSeat, check_return

# After this time without a heartbeat no command of the operator moves the robot.
ALIVE_S = 0.25
SILENT_S = 3.0  # an operator without a heartbeat for so long does not keep control from others
REQUEST_S = 20.0  # a request for control expires
LINK_S = 15.0  # the link of a new session is up by then, or the session ends


class Fact(StrEnum):
    """What has happened to a session."""

    JOINED = "joined"
    GAINED = "gained control"
    LOST = "lost control"
    REQUESTED = "requested control"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class SeatChange:
    """Something that has happened to a session, and why."""

    fact: Fact
    session: str
    who: str
    reason: str = ""


@dataclass(slots=True)
class RemoteSession:
    """One connection of a person. All times are monotonic seconds."""

    name: str
    who: str
    level: Level
    address: str
    joined_s: float
    lease_until_s: float
    wants_control: bool = False
    is_linked: bool = False
    beat_s: float = -inf
    talk_s: float = -inf  # its newest heartbeat that said: the talk button is held
    requested_until_s: float = -inf
    refused: int = 0

    def is_alive(self, now_s: float) -> bool:
        """Return whether its link, its lease and its input loop are."""
        return (
            self.is_linked and now_s < self.lease_until_s and now_s - self.beat_s <= ALIVE_S
        )  # fmt: skip

    def is_silent(self, now_s: float) -> bool:
        """Return whether others need not wait for this operator."""
        return not self.is_linked or now_s - max(self.beat_s, self.joined_s) > SILENT_S


@dataclass(slots=True)
class Seats:
    """All sessions by name. The methods return what has changed, in order."""

    most_viewers: int
    sessions: dict[str, RemoteSession] = field(default_factory=dict)
    operator: str = ""  # empty: nobody
    kept: KeptSeat | None = None  # only while nobody has control
    _ended: EndedSessions = field(default_factory=EndedSessions)

    def may_drive(self, name: str, now_s: float) -> bool:
        """Return whether commands of this session move the robot now."""
        session = self.sessions.get(name)
        return (
            session is not None
            and name == self.operator
            and session.level >= Level.OPERATOR
            and session.is_alive(now_s)
        )

    def may_speak(self, name: str, now_s: float) -> bool:
        """Return whether what this session says is played: only the living operator's, while the
        talk button is held.
        """
        session = self.sessions.get(name)
        return (
            session is not None
            and self.may_drive(name, now_s)
            and now_s - session.talk_s <= ALIVE_S
        )  # fmt: skip

    def join(
        self, session: RemoteSession, now_s: float, *, replaces: str = ""
    ) -> list[SeatChange]:  # fmt: skip
        """Add a session; it becomes the operator at the earliest when it is linked. One that
        `replaces` another, which was vacated, wants control only if that one had it or was to get
        it. Raises refused, when there are too many.
        """
        if replaces:
            session.wants_control &= self._may_want(replaces, session, now_s)
        others = len(self.sessions) - (self.operator in self.sessions)
        is_taken = bool(self.operator) or self._is_kept(now_s, for_session=replaces)
        is_watching = is_taken or not session.wants_control
        room = self.most_viewers if is_watching else self.most_viewers + 1
        if others >= room:
            text = f"{others} viewers are connected, and no more than {self.most_viewers} may be"
            raise SaintError(Code.REFUSED, text, fix="Close one of them: saintctl teleop sessions.")
        if session.wants_control and session.level < Level.OPERATOR:
            text = "operating the robot needs the operator role"
            raise SaintError(Code.FORBIDDEN, text, fix="Connect as a viewer, or sign in again.")
        self.sessions[session.name] = session
        if self.kept and self.kept.session == replaces:
            passed_on = replace(self.kept, session=session.name)
            self.kept = passed_on if session.wants_control else None
        return [SeatChange(Fact.JOINED, session.name, session.who)]

    def vacate(self, name: str, who: str) -> list[SeatChange]:
        """End a session that its person is about to replace. Raises refused for one that an admin
        has ended, forbidden for another person's.
        """
        session, ended = self.sessions.get(name), self._ended.get(name)
        if session is not None:
            check_return(name, session.who, who, None)
        elif ended is not None:
            check_return(name, ended.who, who, ended.end)
        return self.leave(name, "its person connected again", End.LOST)

    def linked(self, name: str, now_s: float) -> list[SeatChange]:
        """Record that the data channels of a session are open."""
        session = self.sessions.get(name)
        if session is None or session.is_linked:
            return []
        session.is_linked, session.beat_s = True, now_s
        is_back = self.kept is not None and self.kept.session == name
        if is_back and not self._is_kept(now_s):  # too late
            self.kept, session.wants_control = None, False
        if not session.wants_control or not self._is_free(name, now_s):
            return []
        return self._give(name, "its link is back" if is_back else "nobody living had control")

    def beat(self, name: str, now_s: float, *, is_talking: bool | None = None) -> None:
        """Record a heartbeat of the input loop; `is_talking` is None where the message cannot say
        it.
        """
        if session := self.sessions.get(name):
            session.beat_s = now_s
            if is_talking is not None:
                session.talk_s = now_s if is_talking else -inf

    def renew(self, name: str, level: Level, now_s: float) -> list[SeatChange]:
        """Renew the lease of a session whose person still is signed in, with this level."""
        session = self.known(name)
        session.level, session.lease_until_s = level, now_s + LEASE_S
        if level < Level.OPERATOR:
            session.requested_until_s = -inf
            return self._renounce(name, "the operator role was withdrawn")
        return []

    def request(self, name: str, now_s: float, *, is_forced: bool = False) -> list[SeatChange]:
        """Give control to a session if nobody living has it, or by force; else record the request.
        The caller has checked the right to force.
        """
        session = self.known(name)
        if session.level < Level.OPERATOR or not session.is_linked:
            text = "control needs the operator role and an open link"
            raise SaintError(Code.REFUSED, text, fix="Sign in as an operator and connect again.")
        if name == self.operator:
            return []
        if is_forced or self._is_free(name, now_s):
            return self._give(name, "an admin took it" if is_forced else "nobody living had it")
        session.requested_until_s = now_s + REQUEST_S
        return [SeatChange(Fact.REQUESTED, name, session.who)]

    def grant(self, name: str, now_s: float) -> list[SeatChange]:
        """Give control to a session that requests it. Raises not_found without a request."""
        session = self.known(name)
        if now_s >= session.requested_until_s or not session.is_linked:
            text = f"session {name} does not request control, or its request has expired"
            raise SaintError(Code.NOT_FOUND, text, fix="Request control again.")
        return self._give(name, "it was granted")

    def release(self, name: str) -> list[SeatChange]:
        """End the control of a session, at its own request."""
        self.known(name)
        return self._renounce(name, "it was released")

    def leave(self, name: str, reason: str, end: End = End.LEFT) -> list[SeatChange]:
        """Remove a session: its person has left, its link is lost, or an admin ended it."""
        session = self.sessions.get(name)
        if session is None:
            return []
        wanted = session.wants_control and not session.is_linked
        self._ended.add(name, EndedSession(session.who, end, wanted))
        if end is not End.LOST:
            changes = self._renounce(name, reason)
        else:
            changes = self._drop(name, reason)
            if changes:
                self.kept = KeptSeat(name, session.who, max(session.beat_s, session.joined_s))
        del self.sessions[name]
        return [*changes, SeatChange(Fact.LEFT, name, session.who, reason)]

    def expire(self, now_s: float) -> list[SeatChange]:
        """Remove the sessions whose lease or time to connect is over."""
        changes: list[SeatChange] = []
        for session in tuple(self.sessions.values()):
            if now_s >= session.lease_until_s:
                changes += self.leave(session.name, "its sign-in was not renewed")
            elif not session.is_linked and now_s >= session.joined_s + LINK_S:
                text = f"its link was not open within {LINK_S:g} s"
                changes += self.leave(session.name, text, End.LOST)
        if not self._is_kept(now_s):
            self.kept = None
        return changes

    def requesting(self, now_s: float) -> list[RemoteSession]:
        """Return the sessions whose requests for control are open."""
        return [each for each in self.sessions.values() if now_s < each.requested_until_s]

    def known(self, name: str) -> RemoteSession:
        """Return a session; raises not_found."""
        session = self.sessions.get(name)
        if session is None:
            text = f"there is no remote session {name}"
            raise SaintError(Code.NOT_FOUND, text, fix="List them: saintctl teleop sessions.")
        return session

    def _may_want(self, replaced: str, session: RemoteSession, now_s: float) -> bool:
        """Return whether the person had control, or was to get it, when the link was lost. A daemon
        that was restarted does not know the session: nobody has control then.
        """
        if session.level < Level.OPERATOR:
            return False
        if self.kept and self.kept.session == replaced:
            return self._is_kept(now_s)
        ended = self._ended.get(replaced)
        return ended is None or ended.wanted_control

    def _is_kept(self, now_s: float, *, for_session: str = "") -> bool:
        """Return whether the seat is kept for another session than this one."""
        kept = self.kept
        return kept is not None and kept.session != for_session and kept.is_open(now_s)

    def _is_free(self, name: str, now_s: float) -> bool:
        """Return whether this session need not wait for who has control, or may come back."""
        if holder := self.sessions.get(self.operator):
            return holder.is_silent(now_s)
        kept = self.kept
        return kept is None or kept.session == name or now_s - kept.beat_s > SILENT_S

    def _renounce(self, name: str, reason: str) -> list[SeatChange]:
        """End control, and the request for it."""
        self.sessions[name].wants_control = False
        if self.kept and self.kept.session == name:
            self.kept = None
        return self._drop(name, reason)

    def _give(self, name: str, reason: str) -> list[SeatChange]:
        changes = self._drop(self.operator, f"session {name} has got it") if self.operator else []
        self.operator, self.kept, session = name, None, self.sessions[name]
        session.requested_until_s = -inf
        return [*changes, SeatChange(Fact.GAINED, name, session.who, reason)]

    def _drop(self, name: str, reason: str) -> list[SeatChange]:
        if not name or self.operator != name:
            return []
        self.operator, session = "", self.sessions[name]
        session.wants_control = False
        return [SeatChange(Fact.LOST, name, session.who, reason)]
