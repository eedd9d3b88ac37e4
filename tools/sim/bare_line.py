"""Simulates the header's serial line with nothing on it but, perhaps, a wire from its output to its
input.
"""

import contextlib
import socket

WIRE = (14, 15)  # GPIO14 sends, GPIO15 receives


class BareLine:
    """Implements ports.ByteStream."""

    def __init__(self, *, is_wired: bool) -> None:
        self._is_wired = is_wired
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._theirs.setblocking(False)

    def fileno(self) -> int:
        return self._ours.fileno()

    def wake_at(self, count: int) -> None:
        """Do nothing: what answers is there at once."""

    def read(self) -> bytes:
        """Return what has arrived."""
        with contextlib.suppress(BlockingIOError):
            return self._ours.recv(4096)
        return b""

    def write(self, data: bytes) -> int:
        """Send all of it; it comes back over the wire."""
        if self._is_wired:
            self._theirs.send(data)
        return len(data)

    def close(self) -> None:
        """Close both ends."""
        self._ours.close()
        self._theirs.close()
