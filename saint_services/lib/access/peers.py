"""Identifies the process at the other end of a unix socket by its user."""

import asyncio
import os
import pwd
import socket
import struct
from functools import cache

from ..errors import Code, SaintError

_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid: unix(7), SO_PEERCRED


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
    return peer_uid is not None and peer_uid == _user_of(daemon)


def check_daemon(peer_uid: int | None, daemon: str) -> None:
    """Raise forbidden unless the peer is this daemon."""
    if not is_daemon(peer_uid, daemon):
        who = "an unknown user" if peer_uid is None else f"the user with the id {peer_uid}"
        message = f"{who} is not {daemon}; only {daemon} may send this request"
        raise SaintError(Code.FORBIDDEN, message, fix=f"Run {daemon} as its own user.")


@cache
def _user_of(daemon: str) -> int:
    try:
        return pwd.getpwnam(f"saint-{daemon}").pw_uid
    except KeyError:
        return os.getuid()
