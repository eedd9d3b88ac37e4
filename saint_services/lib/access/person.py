"""Identifies the user behind a request: a user of the pages, as webd names them, or the user of the
process at the other end of the unix socket. Not here: access levels (levels.py), accounts (webd).
"""

import asyncio
import contextlib
import json
import os
import pwd
import socket
import struct
from dataclasses import asdict, dataclass
from functools import cache
from typing import Protocol

from ..errors import Code, SaintError
from .levels import Level

HEADER = "Saint-Person"
_LONGEST = 128
_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid: unix(7), SO_PEERCRED


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
        """Return the user that webd names; for any other process, the user that it runs as."""
        if request.person and is_daemon(request.peer_uid, "webd"):
            with contextlib.suppress(ValueError, TypeError, AttributeError):
                given = json.loads(request.person)
                return cls(**{name: str(value)[:_LONGEST] for name, value in given.items()})
        return cls(_user_name(request.peer_uid), Level.ADMIN.word)


# DDS does not name users: any program on the robot's network may call a ROS service.
ROS_PROGRAM = Person("a ROS program", "", source="ros")


@dataclass(frozen=True, slots=True)
class SocketRequest:
    """What `Person.of` reads of a request to a unix socket."""

    peer_uid: int | None
    person: bytes


@cache
def _user_name(uid: int | None) -> str:
    if uid is None:
        return "unknown"
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def uid_of(transport: asyncio.BaseTransport) -> int | None:
    """Return the peer's user id from the kernel; None if unknown."""
    bare = transport.get_extra_info("socket")
    if bare is None or bare.family != socket.AF_UNIX or not hasattr(socket, "SO_PEERCRED"):
        return None
    try:
        raw = bare.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    except OSError:
        return None
    uid: int = _CREDENTIALS.unpack(raw)[1]
    return uid


def is_daemon(peer_uid: int | None, daemon: str) -> bool:
    """Whether the peer is this daemon: it runs as the daemon's user or, where that user does not
    exist (a simulated robot), as this process's user.
    """
    return peer_uid is not None and peer_uid == _daemon_uid(daemon)


def check_daemon(peer_uid: int | None, daemon: str) -> None:
    """Raise forbidden unless the peer is this daemon."""
    if not is_daemon(peer_uid, daemon):
        who = "an unknown user" if peer_uid is None else f"the user with the id {peer_uid}"
        message = f"{who} is not {daemon}; only {daemon} may send this request"
        raise SaintError(Code.FORBIDDEN, message, fix=f"Run {daemon} as its own user.")


@cache
def _daemon_uid(daemon: str) -> int:
    try:
        return pwd.getpwnam(f"saint-{daemon}").pw_uid
    except KeyError:
        return os.getuid()
