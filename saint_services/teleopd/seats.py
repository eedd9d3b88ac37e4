"""Decides who has control: one operator at most, and a limited number of viewers. Pure: time comes
in, and what has changed comes out. Not here: what a command does (commands.py).
"""

from dataclasses import dataclass, field
from enum import StrEnum
from math import inf

from ..lib.access.levels import Level
from ..lib.api.teleop import LEASE_S
from ..lib.errors import Code, SaintError

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

    def join(self, session: RemoteSession) -> list[SeatChange]:
        """Add a session; it becomes the operator at the earliest when it is linked. Raises
        refused, when there are too many.
        """
        others = len(self.sessions) - (self.operator in self.sessions)
        is_watching = bool(self.operator) or not session.wants_control
        room = self.most_viewers if is_watching else self.most_viewers + 1
        if others >= room:
            text = f"{others} viewers are connected, and no more than {self.most_viewers} may be"
            raise SaintError(Code.REFUSED, text, fix="Close one of them: saintctl teleop sessions.")
        if session.wants_control and session.level < Level.OPERATOR:
            text = "operating the robot needs the operator role"
            raise SaintError(Code.FORBIDDEN, text, fix="Connect as a viewer, or sign in again.")
        self.sessions[session.name] = session
        return [SeatChange(Fact.JOINED, session.name, session.who)]

    def linked(self, name: str, now_s: float) -> list[SeatChange]:
        """Record that the data channels of a session are open."""
        session = self.sessions.get(name)
        if session is None or session.is_linked:
            return []
        session.is_linked, session.beat_s = True, now_s
        holder = self.sessions.get(self.operator)
        if session.wants_control and (holder is None or holder.is_silent(now_s)):
            return self._give(name, "nobody living had control")
        return []

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
            session.wants_control = False
            return self._drop(name, "the operator role was withdrawn")
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
        holder = self.sessions.get(self.operator)
        if holder is None or is_forced or holder.is_silent(now_s):
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
        return self._drop(name, "it was released")

    def leave(self, name: str, reason: str) -> list[SeatChange]:
        """Remove a session: its link is gone, or an admin ended it."""
        if name not in self.sessions:
            return []
        changes = self._drop(name, reason)
        who = self.sessions.pop(name).who
        return [*changes, SeatChange(Fact.LEFT, name, who, reason)]

    def expire(self, now_s: float) -> list[SeatChange]:
        """Remove the sessions whose lease or time to connect is over."""
        changes: list[SeatChange] = []
        for session in tuple(self.sessions.values()):
            if now_s >= session.lease_until_s:
                changes += self.leave(session.name, "its sign-in was not renewed")
            elif not session.is_linked and now_s >= session.joined_s + LINK_S:
                changes += self.leave(session.name, f"its link was not open within {LINK_S:g} s")
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

    def _give(self, name: str, reason: str) -> list[SeatChange]:
        changes = self._drop(self.operator, f"session {name} has got it") if self.operator else []
        self.operator, session = name, self.sessions[name]
        session.requested_until_s = -inf
        return [*changes, SeatChange(Fact.GAINED, name, session.who, reason)]

    def _drop(self, name: str, reason: str) -> list[SeatChange]:
        if not name or self.operator != name:
            return []
        self.operator, session = "", self.sessions[name]
        session.wants_control = False
        return [SeatChange(Fact.LOST, name, session.who, reason)]
