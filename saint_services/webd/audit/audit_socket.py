"""What the other daemons of this machine send for the audit log: one datagram an entry, believed
only when the kernel says that the daemon's own user sent it.
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
    """The socket itself, where none was passed in."""
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
        """Read from now on, what came meanwhile first."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        asyncio.get_running_loop().add_reader(self._socket, self._read)

    def close(self) -> None:
        """Read no more."""
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
            self._take(raw, _uid(details))

    def _take(self, raw: bytes, uid: int | None) -> None:
        entry = audit.AuditRecord.read(raw)
        if entry is None or not is_daemon(uid, entry.daemon):
            self._counters["audit_refused"] += 1
            return
        self._on_entry(entry)


def _uid(details: list[tuple[int, int, bytes]]) -> int | None:
    """The sender's user, as the kernel names it."""
    for level, kind, raw in details:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
            uid: int = _CREDENTIALS.unpack(raw[: _CREDENTIALS.size])[1]
            return uid
    return None
