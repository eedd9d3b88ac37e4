"""UDP sockets: opened or passed in, read in batches. Not here: what a datagram means."""

import asyncio
import contextlib
import socket
from collections.abc import Callable

from ..lib.errors import Code, SaintError

LARGEST_BYTES = 2048  # what is longer arrives cut, and is refused by its length
BATCH = 64  # per turn of the loop: others must get their turn too


def open_udp(address: str, port: int) -> socket.socket:
    """A bound socket, for running without one passed in."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_DGRAM)
    try:
        opened.bind((address, port))
    except OSError as err:
        opened.close()
        message = f"UDP {address} port {port} cannot be opened: {err.strerror}"
        raise SaintError(Code.CONFIG_INVALID, message) from err
    opened.setblocking(False)
    return opened


class Datagrams:
    """Calls `take` with every datagram, its sender's IP and port, until closed."""

    def __init__(
        self,
        sock: socket.socket,
        buffer_bytes: int,
        take: Callable[[bytes, tuple[str, int]], None],
    ) -> None:
        self._socket = sock
        self._take = take
        self._loop = asyncio.get_running_loop()
        sock.setblocking(False)
        with contextlib.suppress(OSError):  # the kernel's limit holds; a smaller one works too
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        self._loop.add_reader(sock.fileno(), self._read)

    def close(self) -> None:
        self._loop.remove_reader(self._socket.fileno())
        self._socket.close()

    def _read(self) -> None:
        for _ in range(BATCH):
            try:
                data, address = self._socket.recvfrom(LARGEST_BYTES)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                continue  # an error of an earlier datagram; the next read goes on
            # A socket of both families shows IPv4 senders as ::ffff:192.168.1.50.
            self._take(data, (address[0].removeprefix("::ffff:"), address[1]))
