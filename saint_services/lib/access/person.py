"""Who asks for something: a user of the pages that webd passes on, or whoever is logged in on this
machine. Not here: who may do what (levels.py, webd/accounts/access.py).
"""

import contextlib
import json
import pwd
from dataclasses import asdict, dataclass
from functools import cache
from typing import Protocol

from .levels import Level
from .peers import is_daemon

HEADER = "Saint-Person"
_LONGEST = 128


class Asking(Protocol):
    """A request as it came in."""

    @property
    def peer_uid(self) -> int | None: ...
    @property
    def person(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Person:
    """`source` names what the person uses, as an input source of the router does."""

    name: str
    level: str
    address: str = ""
    source: str = "saintctl"

    @property
    def header(self) -> tuple[str, str]:
        """How webd passes the person on."""
        return HEADER, json.dumps(asdict(self))

    @classmethod
    def of(cls, asked: Asking) -> "Person":
        """The person that webd names; nobody else's word counts, then it is the socket's user."""
        if asked.person and is_daemon(asked.peer_uid, "webd"):
            with contextlib.suppress(ValueError, TypeError, AttributeError):
                given = json.loads(asked.person)
                return cls(**{name: str(value)[:_LONGEST] for name, value in given.items()})
        return cls(_user(asked.peer_uid), Level.ADMIN.word)


@cache
def _user(uid: int | None) -> str:
    if uid is None:
        return "unknown"
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
