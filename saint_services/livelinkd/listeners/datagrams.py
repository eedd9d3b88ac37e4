"""Opens UDP and TCP sockets and reads datagrams in batches. Not here: TCP clients (lines.py)."""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Sequence

from ...lib import clock
from ...lib.errors import Code, SaintError
from ...lib.stall import StallWatch
from .socket_filter import shut_out

BATCH = 64  # per turn of the loop, so that others get theirs


def open_udp(address: str, port: int) -> socket.socket:
    """Open a bound UDP socket, where none is passed in."""
    return _open(address, port, socket.SOCK_DGRAM)


def open_tcp(address: str, port: int) -> socket.socket:
    """Open a listening TCP socket, where none is passed in."""
    opened = _open(address, port, socket.SOCK_STREAM)
    opened.listen()
    return opened


def _open(address: str, port: int, kind: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    opened = socket.socket(family, kind)
    if kind == socket.SOCK_STREAM:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((address, port))
    except OSError as err:
        opened.close()
        what = "TCP" if kind == socket.SOCK_STREAM else "UDP"
        message = f"{what} {address} port {port} cannot be opened: {err.strerror}"
        raise SaintError(Code.CONFIG_INVALID, message) from err
    opened.setblocking(False)
    return opened


def plain_address(address: tuple[str, int]) -> tuple[str, int]:
    """Strip the prefix of IPv4 senders at a socket of both families, ::ffff:192.168.1.50."""
    return address[0].removeprefix("::ffff:"), address[1]


class Datagrams:
    """Calls `take` with every datagram and its sender's address until closed, and `after` at the
    end of each batch.
    """

    def __init__(
        self,
        sock: socket.socket,
        buffer_bytes: int,
        largest_bytes: int,
        take: Callable[[bytes, tuple[str, int]], None],
        after: Callable[[], None] | None = None,
        stalls: StallWatch | None = None,
        drop: Callable[[tuple[str, int]], object] | None = None,
    ) -> None:
        self._socket = sock
        self._stalls = stalls
        self._drop = drop  # for datagrams that waited during a stall
        now_s = clock.monotonic_s()
        self._emptied = 0 if stalls is None else stalls.number(now_s)  # the stall before
        self._take = take
        self._after = after
        self._largest = largest_bytes + 1  # what is longer is refused by its length
        self._loop = asyncio.get_running_loop()
        sock.setblocking(False)
        with contextlib.suppress(OSError):  # the kernel's limit holds; a smaller one works too
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        self._loop.add_reader(sock.fileno(), self._read)

    def close(self) -> None:
        self._loop.remove_reader(self._socket.fileno())
        self._socket.close()

    def send(self, data: bytes, address: tuple[str, int]) -> None:
        """Send to a phone. It may be off, so errors are ignored."""
        if self._socket.family == socket.AF_INET6 and ":" not in address[0]:
            address = (f"::ffff:{address[0]}", address[1])
        with contextlib.suppress(OSError):
            self._socket.sendto(data, address)

    def _is_old(self) -> bool:
        """Return True from a stall until the socket is empty: datagrams may be old."""
        if self._stalls is None:
            return False
        now_s = clock.monotonic_s()
        return self._stalls.is_stalled(now_s) or self._stalls.number(now_s) != self._emptied

    def _note_empty(self) -> None:
        if self._stalls is not None:
            self._emptied = self._stalls.number(clock.monotonic_s())

    def shut_out(self, ips: Sequence[str]) -> None:
        """Drop datagrams of these addresses, and of no others, in the kernel."""
        shut_out(self._socket, ips)

    def _read(self) -> None:
        is_old = self._is_old()
        for _ in range(BATCH):
            try:
                data, address = self._socket.recvfrom(self._largest)
            except (BlockingIOError, InterruptedError):
                self._note_empty()
                break
            except OSError:
                continue  # an error of an earlier datagram; the next read goes on
            if is_old and self._drop is not None:
                self._drop(plain_address(address))
            else:
                self._take(data, plain_address(address))
        if self._after is not None:
            self._after()
