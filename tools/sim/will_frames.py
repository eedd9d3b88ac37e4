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
from saint_services.lib.records import Records

PARTICIPANTS = 16
UNPLUGGED = 1  # value of the fault byte, as BusFault
_FRAME, _TIME = (
    struct.Struct("=IB3x8s"),
    struct.Struct("=Q"),
)  # as can_bus.py, which a test compares
_EXTENDED = 1 << 31  # bit of `place`
# Of a simulated VESC, as chips/vesc.py: numbers of the commands that set its motor; its file.
_SET_DUTY, _DUTY_SCALE = 0, 100_000
_COMMANDS = frozenset((_SET_DUTY, 1, 2, 3, 4, 10, 11, 12, 13))
_EVERY_VESC = 255
_NOT_RECEIVED = (b"\1", b"\2")  # faults: unplugged, deaf
_VESC_RECEIVED_AT = 8


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
        self._reach_vescs()

    def close(self) -> None:
        self._socket.close()

    def _is_unplugged(self) -> bool:
        try:
            return (self._folder / "fault").read_bytes()[:1] == bytes((UNPLUGGED,))
        except OSError:
            return False

    def _reach_vescs(self) -> None:
        """Have the addressed VESCs obey. Not by their model, which takes longer to load than the
        guard's watchdog waits; a test compares the two.
        """
        place = self._write.place
        number, command = place & 0xFF, (place & ~_EXTENDED) >> 8
        if not place & _EXTENDED or command not in _COMMANDS:
            return
        for path in self._folder.glob("vesc-*[0-9]"):
            if number in (_EVERY_VESC, int(path.name.rpartition("-")[2])):
                self._command(path, command)

    def _command(self, path: Path, command: int) -> None:
        with path.open("r+b") as vesc:
            if vesc.read(2)[1:] in _NOT_RECEIVED:
                return
            vesc.seek(_VESC_RECEIVED_AT)
            vesc.write(struct.pack("=d", monotonic_ns()))
        duty = 0.0
        if command == _SET_DUTY:
            duty = int.from_bytes(self._write.data[:4], "big", signed=True) / _DUTY_SCALE
        outputs = Records(path.with_suffix(".outputs"), 1)
        outputs.write(0, duty)
        outputs.close()
