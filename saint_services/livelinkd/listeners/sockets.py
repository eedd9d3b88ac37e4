"""Holds the sockets of one format, which can be switched off and on. Those passed in by systemd
stay open: while off, the kernel drops what arrives, so that nothing old is received later. Own ones
are open only while on.
"""

import socket
from collections.abc import Callable, Sequence

from .socket_filter import drop_all, remove_filter

_MOST_OLD = 100_000  # datagrams; no buffer holds more


class FormatSockets:
    """`make` opens an own socket; without it only those passed in are used."""

    def __init__(
        self, passed: Sequence[socket.socket], make: Callable[[], socket.socket] | None = None
    ) -> None:
        self._passed = list(passed)
        for each in self._passed:  # duplicates share this with each other
            each.setblocking(False)
        self._make = make
        self._is_paused = False

    @property
    def is_passed(self) -> bool:
        return bool(self._passed)

    def open(self) -> list[socket.socket]:
        """Return sockets to read, which the caller closes. Raises SaintError when an own one cannot
        be opened.
        """
        for each in self._passed:
            if each.type == socket.SOCK_DGRAM:
                if self._is_paused:  # else these datagrams are why systemd started us
                    _empty(each)
                remove_filter(each)
        self._is_paused = False
        opened = [each.dup() for each in self._passed]
        return [*opened, self._make()] if self._make else opened

    def pause(self) -> None:
        """Drop everything that arrives until opened again."""
        self._is_paused = True
        for each in self._passed:
            if each.type == socket.SOCK_DGRAM:
                drop_all(each)

    def close(self) -> None:
        """Close all sockets."""
        for each in self._passed:
            each.close()


def _empty(sock: socket.socket) -> None:
    """Discard waiting datagrams, where the kernel cannot drop them."""
    for _ in range(_MOST_OLD):
        try:
            sock.recv(1)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            continue  # an error of an earlier datagram
