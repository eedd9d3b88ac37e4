"""Port of a will's frame on a simulated CAN bus. Imports next to nothing: the guard opens it while
a watchdog of 150 ms waits, and loading the product's models takes longer.
"""

import contextlib
import errno
import os
import socket
import struct
from pathlib import Path
from time import monotonic_ns

from saint_services.lib.guard.will import Write

PARTICIPANTS = 16
UNPLUGGED = 1  # value of the fault byte, as BusFault
_FRAME, _TIME = (
    struct.Struct("=IB3x8s"),
    struct.Struct("=Q"),
)  # as can_bus.py, which a test compares
_EXTENDED = 1 << 31  # bit of `place`


class BusPort:
    """Sends one frame to every participant of a bus, and to its simulated VESCs."""

    def __init__(self, write: Write) -> None:
        self._folder = Path(write.path)
        self._write = write
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def write(self) -> None:
        """Send the frame. Raises OSError while the adapter is unplugged."""
        if self._is_unplugged():
            raise OSError(errno.ENODEV, "the adapter is not plugged in")
        data = self._write.data
        packed = _FRAME.pack(self._write.place, len(data), data) + _TIME.pack(monotonic_ns())
        # A path below /proc is short whatever the folder is: addresses end after 108 bytes.
        with contextlib.suppress(FileNotFoundError):
            descriptor = os.open(self._folder, os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                for number in range(PARTICIPANTS):
                    with contextlib.suppress(OSError):
                        self._socket.sendto(packed, f"/proc/self/fd/{descriptor}/{number}")
            finally:
                os.close(descriptor)
        self._stop_vescs()

    def close(self) -> None:
        self._socket.close()

    def _is_unplugged(self) -> bool:
        try:
            return (self._folder / "fault").read_bytes()[:1] == bytes((UNPLUGGED,))
        except OSError:
            return False

    def _stop_vescs(self) -> None:
        paths = sorted(self._folder.glob("vesc-*[0-9]"))
        if not paths:
            return
        from saint_services.lib.hw.can.frame import CanFrame
        from tools.sim.chips.vesc import VescPeer

        place = self._write.place
        frame = CanFrame(place & ~_EXTENDED, self._write.data, bool(place & _EXTENDED))
        for path in paths:
            peer = VescPeer(path)
            try:
                peer.received(frame)
            finally:
                peer.close()
