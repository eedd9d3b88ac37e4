"""The sockets of one format, that can be switched off and on again. Those that systemd passed in
stay ours: what arrives while they are off is thrown away by the kernel, so that nothing old is
heard later. Own ones exist only while they are on.
"""

import socket
from collections.abc import Callable, Sequence

from .socket_filter import hear, hear_nobody

_MOST_OLD = 100_000  # datagrams; more than any buffer holds


class FormatSockets:
    """`make` opens an own socket; without it there are only those passed in."""

    def __init__(
        self, passed: Sequence[socket.socket], make: Callable[[], socket.socket] | None = None
    ) -> None:
        self._passed = list(passed)
        for each in self._passed:  # duplicates share this with each other
            each.setblocking(False)
        self._make = make
        self._is_shut = False

    @property
    def is_passed(self) -> bool:
        return bool(self._passed)

    def open(self) -> list[socket.socket]:
        """To read from, and to be closed by whoever does. Raises SaintError when an own one cannot
        be opened.
        """
        for each in self._passed:
            if each.type == socket.SOCK_DGRAM:
                if self._is_shut:  # else the first ones are what systemd started us for
                    _empty(each)
                hear(each)
        self._is_shut = False
        opened = [each.dup() for each in self._passed]
        return [*opened, self._make()] if self._make else opened

    def shut(self) -> None:
        """From now on nobody is heard here."""
        self._is_shut = True
        for each in self._passed:
            if each.type == socket.SOCK_DGRAM:
                hear_nobody(each)

    def close(self) -> None:
        """For good."""
        for each in self._passed:
            each.close()


def _empty(sock: socket.socket) -> None:
    """What came where the kernel throws nothing away."""
    for _ in range(_MOST_OLD):
        try:
            sock.recv(1)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            continue  # an error of an earlier datagram
