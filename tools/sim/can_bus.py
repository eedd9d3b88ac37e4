"""A simulated CAN bus between processes: a folder with one datagram socket for each participant.
What one sends arrives at all others; a full queue loses frames, as a full controller does.
"""

import contextlib
import errno
import mmap
import os
import socket
import struct
from enum import IntEnum
from pathlib import Path
from time import monotonic_ns

from saint_services.lib.errors import Code
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.port import MOST_AT_ONCE, BusState, CanState, fault
from saint_services.lib.hw.can.socketcan import EFF_FLAG, FRAME, packed

PARTICIPANTS = 16  # each has a number, so that sending needs no look into the folder
_FAULT_FILE = "fault"
_TIME = struct.Struct("=Q")
_UNUSED = (errno.ENOENT, errno.ECONNREFUSED)


class BusFault(IntEnum):
    """What is wrong with the adapters of a bus."""

    NONE = 0
    UNPLUGGED = 1
    BUS_OFF = 2


def bus_folder(directory: Path, interface: str) -> Path:
    """Return the folder of a bus below the board's directory."""
    return directory / f"can-{interface.strip('/').replace('/', '-')}"


def break_bus(directory: Path, interface: str, kind: BusFault) -> None:
    """Set the fault of a bus, or end it."""
    folder = bus_folder(directory, interface)
    folder.mkdir(parents=True, exist_ok=True)
    with _FaultByte(folder) as byte:
        byte.write(kind)


class _FaultByte:
    """The mapped file with the fault of a bus."""

    def __init__(self, folder: Path) -> None:
        descriptor = os.open(folder / _FAULT_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            os.ftruncate(descriptor, 1)
            self._map = mmap.mmap(descriptor, 1)
        finally:
            os.close(descriptor)

    def __enter__(self) -> "_FaultByte":
        return self

    def __exit__(self, *_: object) -> None:
        self._map.close()

    def read(self) -> int:
        return self._map[0]

    def write(self, kind: BusFault) -> None:
        self._map[0] = kind


class SimCan:
    """One participant. Implements CanPort."""

    def __init__(self, directory: Path, interface: str) -> None:
        self._interface = interface
        self._folder = bus_folder(directory, interface)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._fault = _FaultByte(self._folder)
        if self._fault.read() == BusFault.UNPLUGGED:
            self._fault.__exit__()
            raise fault(Code.HARDWARE_MISSING, interface, "the adapter is not plugged in")
        # A path below /proc is short whatever the folder is: addresses end after 108 bytes.
        self._descriptor = os.open(self._folder, os.O_DIRECTORY | os.O_CLOEXEC)
        self._state = CanState()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        short = Path(f"/proc/self/fd/{self._descriptor}")
        base = short if short.exists() else self._folder
        self._addresses = [str(base / str(number)) for number in range(PARTICIPANTS)]
        self._number = -1
        self._number = self._bind()

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, frame: CanFrame) -> bool:
        """Send a frame to all others."""
        self._check()
        if self._state.bus is BusState.OFF:
            return False
        data = packed(frame) + _TIME.pack(monotonic_ns())
        if sum([self._deliver(number, data) for number in range(PARTICIPANTS)]):
            self._state = self._state.counted(sent=1).turned(BusState.ACTIVE)
        else:  # nothing acknowledges: a controller tries again, and becomes passive
            self._state = self._state.counted(errors=1).turned(BusState.PASSIVE)
        return True

    def receive(self) -> list[CanFrame]:
        """Return frames as CanPort.receive."""
        self._check()
        found: list[CanFrame] = []
        for _ in range(MOST_AT_ONCE):
            try:
                data = self._socket.recv(FRAME.size + _TIME.size)
            except BlockingIOError:
                break
            if len(data) == FRAME.size + _TIME.size:
                found.append(_frame(data))
            elif data:
                self._state = self._state.counted(errors=1)
        self._state = self._state.counted(received=len(found))
        return found

    def state(self) -> CanState:
        return self._state

    def close(self) -> None:
        """Leave the bus."""
        if self._descriptor < 0:
            return
        if self._number >= 0:
            with contextlib.suppress(OSError):
                os.unlink(str(self._number), dir_fd=self._descriptor)
        self._socket.close()
        os.close(self._descriptor)
        self._fault.__exit__()
        self._descriptor = -1

    def _bind(self) -> int:
        """Take the first number that no living process has."""
        for number, address in enumerate(self._addresses):
            try:
                self._socket.sendto(b"", address)
                continue
            except OSError as err:
                if err.errno not in _UNUSED:
                    continue  # in use, and full
            with contextlib.suppress(OSError):
                os.unlink(str(number), dir_fd=self._descriptor)
            with contextlib.suppress(OSError):  # another process was faster
                self._socket.bind(address)
                return number
        self.close()
        reason = f"the simulated bus has {PARTICIPANTS} participants already"
        raise fault(Code.HARDWARE_FAULT, self._interface, reason)

    def _check(self) -> None:
        kind = self._fault.read()
        if kind == BusFault.UNPLUGGED:
            raise fault(Code.HARDWARE_FAULT, self._interface, "the adapter was unplugged")
        if kind == BusFault.BUS_OFF:
            self._state = self._state.turned(BusState.OFF)
        elif self._state.bus is BusState.OFF:
            self._state = self._state.turned(BusState.ACTIVE)

    def _deliver(self, number: int, data: bytes) -> bool:
        """Send to one participant; return whether there is one."""
        if number == self._number:
            return False
        try:
            self._socket.sendto(data, self._addresses[number])
        except OSError as err:
            if err.errno in _UNUSED:
                return False
            self._state = self._state.counted(lost=1)  # it does not read
        return True


def _frame(data: bytes) -> CanFrame:
    identifier, size, content = FRAME.unpack_from(data)
    (t_ns,) = _TIME.unpack_from(data, FRAME.size)
    is_extended = bool(identifier & EFF_FLAG)
    return CanFrame(identifier & ~EFF_FLAG, content[:size], is_extended, t_ns)
