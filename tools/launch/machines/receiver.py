"""The serial line of the simulated RC receiver: a pseudo-terminal. rcd opens one end by its path;
the other end, where the transmitter would be, is handed to each client of a unix socket, so
that every byte takes one hop and no process copies it.
"""

import asyncio
import contextlib
import os
import socket
import tty
from pathlib import Path

TTY = "rc_tty"  # rcd's end, in the server machine's folder
WIRE = "rc_wire.sock"  # ask here for the transmitter's end
_TIMEOUT_S = 2.0


class Receiver:
    """Lives as long as the robot: rcd may come and go."""

    def __init__(self, home: Path, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.path, self._wire_path = home / TTY, home / WIRE
        self._transmitter, self._line = os.openpty()
        tty.setraw(self._line)
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(os.ttyname(self._line))
        self._wire_path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(self._wire_path))
        self._listener.listen()
        self._listener.setblocking(False)
        loop.add_reader(self._listener, self._hand_out)

    def close(self) -> None:
        """Unplug."""
        self._loop.remove_reader(self._listener)
        self._listener.close()
        self._wire_path.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)
        os.close(self._transmitter)
        os.close(self._line)

    def _hand_out(self) -> None:
        with contextlib.suppress(OSError):  # it has gone away again
            client, _ = self._listener.accept()
            with client:
                socket.send_fds(client, [b"1"], [self._transmitter])


def open_wire(root: Path) -> int:
    """The transmitter's end of a running robot's serial line: a descriptor that does not block."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(_TIMEOUT_S)
        client.connect(str(root / "server" / WIRE))
        _, descriptors, _, _ = socket.recv_fds(client, 1, 1)
    os.set_blocking(descriptors[0], False)
    return descriptors[0]
