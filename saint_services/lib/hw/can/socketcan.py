"""Serves an interface of SocketCAN with the standard library: filters, error frames, kernel time
stamps. Sources: Linux uapi can.h, can/raw.h, can/error.h; Documentation/networking/can.rst.

The kernel restarts a controller after a bus-off where its interface has restart-ms, which is set
where the interface is brought up, together with its bit rate (README).
"""

import contextlib
import errno
import socket
import struct
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from ...errors import Code, SaintError
from .frame import CanFrame
from .port import MOST_AT_ONCE, BusState, CanFilter, CanState, fault

EFF_FLAG, RTR_FLAG, ERR_FLAG = 0x8000_0000, 0x4000_0000, 0x2000_0000
FRAME: Final = struct.Struct("=IB3x8s")
_AF_CAN, _CAN_RAW = 29, 1
_SOL_CAN_RAW, _RAW_FILTER, _RAW_ERR_FILTER = 101, 1, 2
_SO_TIMESTAMPNS, _SO_RXQ_OVFL = 35, 40
_FILTER, _TIME, _LOST = struct.Struct("=II"), struct.Struct("@ll"), struct.Struct("=I")
# can/error.h: class of the error in the identifier, of a controller's in data[1].
_ERR_CONTROLLER, _ERR_BUS_OFF, _ERR_RESTARTED = 0x4, 0x40, 0x100
_ALL_ERRORS = 0x1FFFFFFF
_OVERFLOW, _WARNING, _PASSIVE, _ACTIVE = 0x03, 0x0C, 0x30, 0x40
_NO_ROOM = (errno.ENOBUFS, errno.EAGAIN, errno.EINTR)
_GONE = (errno.ENODEV, errno.ENXIO)
_LONGEST_NAME = 15

OpenSocket = Callable[[], Any]


class SocketCan:
    """One interface of the kernel. Implements CanPort."""

    def __init__(
        self,
        interface: str,
        filters: Sequence[CanFilter] = (),
        open_socket: OpenSocket = lambda: socket.socket(_AF_CAN, socket.SOCK_RAW, _CAN_RAW),
    ) -> None:
        self.interface = interface
        self._state = CanState()
        self._overflowed = 0  # as the kernel counts for this socket
        try:
            self._socket = open_socket()
        except OSError as err:
            raise _not_opened(interface, err) from err
        try:
            self._prepare(filters)
        except OSError as err:
            self._socket.close()
            raise _not_opened(interface, err) from err

    def _prepare(self, filters: Sequence[CanFilter]) -> None:
        channel = self._socket
        channel.setblocking(False)
        if filters:
            packed = b"".join(_packed(each) for each in filters)
            channel.setsockopt(_SOL_CAN_RAW, _RAW_FILTER, packed)
        channel.setsockopt(_SOL_CAN_RAW, _RAW_ERR_FILTER, struct.pack("=I", _ALL_ERRORS))
        for option in (_SO_TIMESTAMPNS, _SO_RXQ_OVFL):
            with contextlib.suppress(OSError):  # the time of reading does too
                channel.setsockopt(socket.SOL_SOCKET, option, 1)
        channel.bind((self.interface,))
        if pending := channel.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            raise OSError(pending, "the interface does not run")

    def fileno(self) -> int:
        return int(self._socket.fileno())

    def send(self, frame: CanFrame) -> bool:
        """Send a frame as CanPort.send; while the controller is off nothing is sent."""
        if self._state.bus is BusState.OFF:
            return False
        try:
            self._socket.send(packed(frame))
        except OSError as err:
            if err.errno in _NO_ROOM:
                return False
            raise _lost(self.interface, err) from err
        self._state = self._state.counted(sent=1)
        return True

    def receive(self) -> list[CanFrame]:
        """Return data frames as CanPort.receive; error frames change the state."""
        found: list[CanFrame] = []
        for _ in range(MOST_AT_ONCE):
            try:
                data, notes, _, _ = self._socket.recvmsg(FRAME.size, 128)
            except OSError as err:
                if err.errno in _NO_ROOM:
                    break
                raise _lost(self.interface, err) from err
            if len(data) != FRAME.size:
                self._state = self._state.counted(errors=1)
                continue
            if (frame := self._frame(data, self._stamp(notes))) is not None:
                found.append(frame)
        self._state = self._state.counted(received=len(found))
        return found

    def state(self) -> CanState:
        return self._state

    def close(self) -> None:
        self._socket.close()

    def _frame(self, data: bytes, t_ns: int) -> CanFrame | None:
        identifier, size, content = FRAME.unpack(data)
        if identifier & ERR_FLAG:
            self._reported(identifier, content)
            return None
        if identifier & RTR_FLAG or size > len(content):
            return None
        is_extended = bool(identifier & EFF_FLAG)
        number = identifier & (0x1FFFFFFF if is_extended else 0x7FF)
        return CanFrame(number, content[:size], is_extended, t_ns)

    def _reported(self, identifier: int, content: bytes) -> None:
        """Follow an error frame."""
        state = self._state
        if identifier & _ERR_RESTARTED:
            state = state.turned(BusState.ACTIVE)
        elif identifier & _ERR_BUS_OFF:
            state = state.counted(errors=1).turned(BusState.OFF)
        elif identifier & _ERR_CONTROLLER:
            state = _controller(state, content[1])
        else:
            state = state.counted(errors=1)
        self._state = state

    def _stamp(self, notes: list[tuple[int, int, bytes]]) -> int:
        """Return when the kernel received a frame, and count what it dropped before."""
        now_ns = time.monotonic_ns()
        stamp_ns = now_ns
        for level, kind, content in notes:
            if level != socket.SOL_SOCKET:
                continue
            if kind == _SO_TIMESTAMPNS and len(content) >= _TIME.size:
                seconds, rest = _TIME.unpack_from(content)
                age_ns = time.time_ns() - (seconds * 1_000_000_000 + rest)
                # The wall clock may have been set between: then the age is none.
                stamp_ns = now_ns - age_ns if 0 <= age_ns < 1_000_000_000 else now_ns
            elif kind == _SO_RXQ_OVFL and len(content) >= _LOST.size:
                (overflowed,) = _LOST.unpack_from(content)
                self._state = self._state.counted(lost=overflowed - self._overflowed & 0xFFFFFFFF)
                self._overflowed = overflowed
        return stamp_ns


def packed(frame: CanFrame) -> bytes:
    """Return the kernel's struct can_frame."""
    identifier = frame.id | (EFF_FLAG if frame.is_extended else 0)
    return FRAME.pack(identifier, len(frame.data), frame.data)


def _packed(wanted: CanFilter) -> bytes:
    """Return a struct can_filter; the flags are a part of what must agree."""
    identifier = wanted.id | (EFF_FLAG if wanted.is_extended else 0)
    return _FILTER.pack(identifier, wanted.mask | EFF_FLAG | RTR_FLAG)


def _controller(state: CanState, report: int) -> CanState:
    if report & _OVERFLOW:
        state = state.counted(lost=1)
    if report & _PASSIVE:
        return state.counted(errors=1).turned(BusState.PASSIVE)
    if report & _WARNING:
        return state.counted(errors=1).turned(BusState.WARNING)
    return state.turned(BusState.ACTIVE) if report & _ACTIVE else state


def _not_opened(interface: str, err: OSError) -> SaintError:
    if err.errno in _GONE or len(interface) > _LONGEST_NAME:
        return fault(
            Code.HARDWARE_MISSING,
            interface,
            "there is no CAN interface of that name",
            "Plug the adapter in; `ip -brief link` lists the names of interfaces.",
        )
    if err.errno == errno.EAFNOSUPPORT:
        return fault(
            Code.HARDWARE_MISSING,
            interface,
            "this kernel has no CAN",
            "Load the module can_raw, or name the serial port of the adapter instead.",
        )
    return _lost(interface, err)


def _lost(interface: str, err: OSError) -> SaintError:
    if err.errno in _GONE:
        return fault(Code.HARDWARE_FAULT, interface, "the adapter was unplugged")
    if err.errno == errno.ENETDOWN:
        return fault(
            Code.HARDWARE_FAULT,
            interface,
            "the interface is not up",
            f"Say `ip link set {interface} up type can bitrate 500000 restart-ms 100`.",
        )
    return fault(Code.HARDWARE_FAULT, interface, (err.strerror or str(err)).rstrip("."))
