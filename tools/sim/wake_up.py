"""Announces writes of a simulated input to the process that listens to it, so that none has to
poll: a datagram on loopback, whose port stands in the pin's record. Not here: levels (pin_bank.py).
"""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress

_HOST = "127.0.0.1"


class WakeUp:
    """Calls back in the loop after each `wake` of `port`, until closed. Several may be one
    call.
    """

    def __init__(self, on_wake: Callable[[], None]) -> None:
        self._on_wake = on_wake
        self._loop = asyncio.get_running_loop()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.bind((_HOST, 0))
        self.port: int = self._socket.getsockname()[1]
        self._loop.add_reader(self._socket, self._receive)

    def close(self) -> None:
        """Call back no more."""
        if not self._loop.is_closed():
            self._loop.remove_reader(self._socket)
        self._socket.close()

    def _receive(self) -> None:
        with suppress(BlockingIOError):
            while True:
                self._socket.recv(1)
        self._on_wake()


def wake(port: int) -> None:
    """Announce a write. Nobody may listen there any more."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)
        with suppress(BlockingIOError):
            sender.sendto(b"\0", (_HOST, port))
