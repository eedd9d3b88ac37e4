"""Receives audit entries of the other daemons of this machine: one datagram for each entry,
accepted only when the kernel confirms that the daemon's own user has sent it.
"""

import asyncio
import socket
import struct
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from ...lib.access import audit
from ...lib.access.person import is_daemon

_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid: unix(7), SCM_CREDENTIALS
_MOST_AT_ONCE = 64


def listening(runtime: Path) -> socket.socket:
    """Bind the socket, where none was passed in."""
    path = runtime / audit.SOCKET
    path.unlink(missing_ok=True)
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    bound.bind(str(path))
    bound.setblocking(False)
    path.chmod(0o660)
    return bound


class AuditSocket:
    """Calls `on_entry` for each entry."""

    def __init__(
        self,
        bound: socket.socket,
        counters: Counter[str],
        on_entry: Callable[[audit.AuditRecord], None],
    ) -> None:
        self._socket = bound
        self._counters = counters
        self._on_entry = on_entry

    def open(self) -> None:
        """Begin to read, with the entries that are waiting already."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        asyncio.get_running_loop().add_reader(self._socket, self._read)

    def close(self) -> None:
        """Stop reading."""
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()

    def _read(self) -> None:
        for _ in range(_MOST_AT_ONCE):
            try:
                raw, details, _, _ = self._socket.recvmsg(
                    audit.LARGEST_BYTES, socket.CMSG_SPACE(_CREDENTIALS.size)
                )
            except (BlockingIOError, InterruptedError):
                return
            self._accept(raw, _uid(details))

    def _accept(self, raw: bytes, uid: int | None) -> None:
        entry = audit.AuditRecord.read(raw)
        if entry is None or not is_daemon(uid, entry.daemon):
            self._counters["audit_refused"] += 1
            return
        self._on_entry(entry)


def _uid(details: list[tuple[int, int, bytes]]) -> int | None:
    """Return the sender's user as the kernel reports it."""
    for level, kind, raw in details:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
            uid: int = _CREDENTIALS.unpack(raw[: _CREDENTIALS.size])[1]
            return uid
    return None
