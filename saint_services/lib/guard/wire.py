"""Messages between the guard, the role processes and the node: JSON objects, one a line, on a unix
stream; a role's first one carries descriptors. Bounded: a peer whose line is too long is
disconnected.
"""

import array
import json
import os
import socket
from collections.abc import Sequence

SOCKET = "guardd.sock"  # below the runtime directory
LONGEST_BYTES = 65_536
MOST_DESCRIPTORS = 32


class MessageSplitter:
    """Splits a stream into messages."""

    def __init__(self) -> None:
        self._rest = b""

    def fed(self, data: bytes) -> list[dict[str, object]]:
        """Return the messages that are complete. Raises ValueError for a malformed one."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_BYTES:
            raise ValueError("a message is too long")
        return [_message(line) for line in lines]


def _message(line: bytes) -> dict[str, object]:
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError("a message is an object")
    return found


def encoded(message: dict[str, object]) -> bytes:
    """Encode one message."""
    return json.dumps(message).encode() + b"\n"


def send(
    connection: socket.socket, message: dict[str, object], descriptors: Sequence[int] = ()
) -> None:
    """Send a whole message on a blocking or empty socket. Raises OSError."""
    data = encoded(message)
    ancillary = []
    if descriptors:
        passed = array.array("i", descriptors)
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)]
    sent = connection.sendmsg([data], ancillary)
    if sent < len(data):
        connection.sendall(data[sent:])


def receive(connection: socket.socket) -> tuple[bytes, list[int]]:
    """Receive bytes and the descriptors sent with them; no bytes at the end. Raises OSError."""
    room = socket.CMSG_SPACE(MOST_DESCRIPTORS * array.array("i").itemsize)
    data, ancillary, _, _ = connection.recvmsg(LONGEST_BYTES, room)
    found = array.array("i")
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            found.frombytes(payload[: len(payload) - len(payload) % found.itemsize])
    for descriptor in found:
        os.set_inheritable(descriptor, False)
    return data, list(found)
