"""The shared memory, output ports and process of a role; the enable line; the restart request.
Not here: when a will is carried out (logic.py).
"""

import contextlib
import ctypes
import os
import socket
import struct
import sys

from ..lib.guard import ports
from ..lib.guard.beat import Beat, has_fixed_size
from ..lib.guard.ports import WillPorts
from ..lib.guard.will import Will, Write, WriteKind
from ..lib.records import Records
from .logic import Reading

_CURRENT_AND_FUTURE = 1 | 2  # MCL_CURRENT, MCL_FUTURE (mlockall(2))
_PEER = struct.Struct("3i")  # pid, uid, gid


class RoleOutputs:
    """The will, shared memory, output ports and process of a role."""

    def __init__(self, will: Will, descriptors: list[int], connection: socket.socket) -> None:
        """Own the descriptors: the memory, then one for each line. Raises ValueError."""
        self.will = will
        lines = sum(write.kind is WriteKind.LINE for write in will.writes)
        if len(descriptors) != 1 + lines or not has_fixed_size(descriptors[0]):
            for descriptor in descriptors:
                os.close(descriptor)
            raise ValueError(f"{will.name} sent {len(descriptors)} descriptors, not {1 + lines}")
        self.beat = Beat(descriptors[0])
        os.close(descriptors[0])
        self.ports = WillPorts(will, descriptors[1:])
        self.process = _process(connection)

    def reading(self) -> Reading:
        """Read the shared memory."""
        return Reading(self.beat.role_ns, self.beat.is_moving)

    def close(self) -> None:
        """Close everything, as WillPorts.close."""
        self.ports.close()
        self.beat.close()
        if self.process is not None:
            os.close(self.process)
            self.process = None


def _process(connection: socket.socket) -> int | None:
    """Return a descriptor that becomes readable when the peer's process ends; None where there is
    none: then the end of the connection has to do."""
    if not hasattr(socket, "SO_PEERCRED") or not hasattr(os, "pidfd_open"):
        return None
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    try:
        return os.pidfd_open(_PEER.unpack(credentials)[0])
    except OSError:
        return None


class EnableLine:
    """A line that toggles while every role is well. Raises OSError when it does not open."""

    def __init__(self, write: Write) -> None:
        self._is_high = False
        self._index = write.place
        self._records: Records | None = None
        self._line = -1
        if write.kind is WriteKind.RECORD:
            self._records = Records(write.path, write.place + 1)
        else:
            self._line = ports.request_line(write.path, write.place, False)

    def step(self, *, may_enable: bool) -> None:
        """Toggle the line, or let it rest low."""
        if not may_enable and not self._is_high:
            return
        self._is_high = may_enable and not self._is_high
        if self._records:
            self._records.write(self._index, float(self._is_high))
        else:
            ports.set_line(self._line, self._is_high)


def request_reboot(reason: str) -> None:
    """Have this machine restarted, which makes every pin an input with the pull of power-on
    (saint-reboot.path watches)."""
    folder = os.environ.get("SAINT_REBOOT_DIR", "/run/saint-reboot")
    with contextlib.suppress(OSError):
        aside = os.path.join(folder, ".request.guard")
        with open(aside, "w", encoding="utf-8") as file:
            file.write(reason + "\n")
        os.replace(aside, os.path.join(folder, "request"))


def lock_memory() -> bool:
    """Lock all memory of this process in RAM, so that the guard never waits for a disk."""
    if not sys.platform.startswith("linux"):
        return False
    return bool(ctypes.CDLL(None, use_errno=True).mlockall(_CURRENT_AND_FUTURE) == 0)
