"""UDP to one device on the robot's own network: what is sent goes to its address, what arrives from
any other address is dropped. Never blocks.
"""

import contextlib
import errno
import socket
from typing import Final, Protocol

from ..errors import Code, SaintError

MOST_AT_ONCE: Final = 64  # datagrams of one call: a flood must not hold the loop
_MOST_BYTES: Final = 4096
# The device is switched off, or its network is: it may come back.
_AWAY: Final = (
    errno.ECONNREFUSED,
    errno.EHOSTUNREACH,
    errno.ENETUNREACH,
    errno.EHOSTDOWN,
    errno.ENETDOWN,
)


class DatagramPort(Protocol):
    """An open way to a device. Its methods never block."""

    foreign: int  # datagrams of other senders, which were dropped

    def fileno(self) -> int: ...

    def send(self, data: bytes) -> bool:
        """Send a datagram; False: the device or the network is away. Raises OSError."""
        ...

    def receive(self) -> list[bytes]:
        """Return the datagrams that have arrived, MOST_AT_ONCE at most."""
        ...

    def close(self) -> None: ...


class UdpPort:
    """Implements DatagramPort. `listen_port` 0 is any free one."""

    def __init__(self, host: str, port: int, listen_port: int) -> None:
        """Open both directions. Raises SaintError when the port is in use."""
        self.foreign = 0
        self._peer = host, port
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind(("127.0.0.1" if host.startswith("127.") else "", listen_port))
        except OSError as err:
            self._socket.close()
            raise SaintError(
                Code.HARDWARE_MISSING,
                f"UDP port {listen_port} for the device at {host} does not open: {err.strerror}",
                fix="End the other program that uses the port.",
            ) from err

    @property
    def listen_port(self) -> int:
        """Return the port at which datagrams arrive."""
        return int(self._socket.getsockname()[1])

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, data: bytes) -> bool:
        """Send a datagram as DatagramPort.send."""
        try:
            return self._socket.sendto(data, self._peer) == len(data)
        except BlockingIOError:
            return False
        except OSError as err:
            if err.errno in _AWAY:
                return False
            raise

    def receive(self) -> list[bytes]:
        """Return datagrams as DatagramPort.receive."""
        found: list[bytes] = []
        for _ in range(MOST_AT_ONCE):
            try:
                data, (host, *_rest) = self._socket.recvfrom(_MOST_BYTES)
            except BlockingIOError:
                break
            except OSError:  # the answer to what was sent: nothing listens there
                continue
            if host == self._peer[0]:
                found.append(data)
            else:
                self.foreign += 1
        return found

    def close(self) -> None:
        """Release the port."""
        with contextlib.suppress(OSError):
            self._socket.close()
