"""Decides whose control outlives a lost link: the operator's, for a while, and only for a session
of the same person that names the lost one. Pure. Not here: who has control (seats.py).
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from enum import StrEnum

from ..lib.errors import Code, SaintError

KEPT_S = 15.0  # after the last heartbeat; as long as a lease
_MOST_ENDED = 64  # sessions that are remembered


class End(StrEnum):
    """How a session ends."""

    LEFT = "left"
    LOST = "lost"  # its link; its person may come back
    KICKED = "kicked"


@dataclass(frozen=True, slots=True)
class KeptSeat:
    """The seat of an operator whose link is lost. It drives nothing."""

    session: str  # the lost one, then the one that replaces it
    who: str
    beat_s: float

    def is_open(self, now_s: float) -> bool:
        """Return whether the person may still have control again."""
        return now_s < self.beat_s + KEPT_S


@dataclass(frozen=True, slots=True)
class EndedSession:
    """What is remembered of a session."""

    who: str
    end: End
    wanted_control: bool  # its link was never open, and it was to have control then


@dataclass(slots=True)
class EndedSessions:
    """The newest sessions that have ended, by name."""

    _sessions: OrderedDict[str, EndedSession] = field(default_factory=OrderedDict)

    def add(self, name: str, ended: EndedSession) -> None:
        """Remember a session; the oldest is forgotten."""
        self._sessions[name] = ended
        if len(self._sessions) > _MOST_ENDED:
            self._sessions.popitem(last=False)

    def get(self, name: str) -> EndedSession | None:
        """Return what is remembered."""
        return self._sessions.get(name)


def check_return(name: str, owner: str, who: str, end: End | None) -> None:
    """Raise unless this person may replace that session."""
    if end is End.KICKED:
        text = f"session {name} was ended by an admin"
        raise SaintError(Code.REFUSED, text, fix="Open a new session by hand.")
    if owner != who:
        text = f"session {name} belongs to {owner}, not to {who}"
        raise SaintError(Code.FORBIDDEN, text, fix="Name a session of your own.")
