"""Identifies the user behind a request: a user of the pages, as webd names them, or the user who is
logged in on this machine. Not here: access levels (levels.py), accounts (webd/accounts).
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


class RequestOrigin(Protocol):
    """What a request says about its origin."""

    @property
    def peer_uid(self) -> int | None: ...
    @property
    def person(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Person:
    """The user behind a request. `source` names the program in use, like an input source."""

    name: str
    level: str
    address: str = ""
    source: str = "saintctl"

    @property
    def header(self) -> tuple[str, str]:
        """The HTTP header in which webd names the user to other daemons."""
        return HEADER, json.dumps(asdict(self))

    @classmethod
    def of(cls, request: RequestOrigin) -> "Person":
        """Return the user that webd names. From any other process: the user at the socket's other
        end.
        """
        if request.person and is_daemon(request.peer_uid, "webd"):
            with contextlib.suppress(ValueError, TypeError, AttributeError):
                given = json.loads(request.person)
                return cls(**{name: str(value)[:_LONGEST] for name, value in given.items()})
        return cls(_user(request.peer_uid), Level.ADMIN.word)


# DDS does not name users: any program on the robot's network may call a ROS service.
ROS_PROGRAM = Person("a ROS program", "", source="ros")


@dataclass(frozen=True, slots=True)
class SocketRequest:
    """What `Person.of` reads of a request to a unix socket."""

    peer_uid: int | None
    person: bytes


@cache
def _user(uid: int | None) -> str:
    if uid is None:
        return "unknown"
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
