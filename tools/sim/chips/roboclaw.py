"""Model of a RoboClaw on a simulated serial line, byte for byte. Its state is in mapped files, so
motors go on after the process that drives them, until the controller's own time-out.
"""

import contextlib
import socket
import struct
from pathlib import Path
from time import monotonic_ns
from typing import Protocol

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.motors import roboclaw
from saint_services.lib.records import Records
from tools.sim.chips.base import ChipFault, ChipFile

# Where numbers stand; counts and currents have one for each motor, which are 1 and 2.
_TIMEOUT, _COUNT, _CURRENT, _SUPPLY, _STATUS, _RECEIVED_NS, _PLACES = 0, 0, 2, 5, 6, 7, 8
_VERSION = b"USB Roboclaw 2x15a v4.1.34\n\0"
_LENGTHS = {roboclaw.SET_TIMEOUT: 5, roboclaw.DRIVE_DUTY: 8}  # all others: two bytes
_OUTPUTS = 2


def serial_file(port: str) -> str:
    """Return the file name of a line's controller below the board's directory."""
    return "serial-" + port.removeprefix("/dev/").replace("/", "-")


class RoboClawPeer(ChipFile):
    """The controller; records 0 and 1 of its outputs are the duties of M1 and M2."""

    def __init__(self, path: Path, address: int = 0x80) -> None:
        self._records = Records(path.with_suffix(".outputs"), _OUTPUTS)
        self._address = address
        self._pending = b""
        super().__init__(path, 8 * _PLACES)

    def received(self, data: bytes) -> bytes:
        """Process bytes; return the controller's reply, faults included."""
        try:
            self._answer()
        except OSError:
            return b""
        if self.on_look:
            self.on_look()
        answer = b""
        self._pending += data
        while self._pending and (reply := self._next()) is not None:
            answer += reply
        return self._sent(answer)

    def duty(self, channel: int) -> float:
        """Return the duty of M1 (1) or M2 (2); zero after the controller's time-out."""
        timeout_s = self._numbers[_TIMEOUT]
        silent_s = (monotonic_ns() - self._numbers[_RECEIVED_NS]) / 1e9
        if timeout_s and silent_s > timeout_s:
            return 0.0
        return self._records.read(channel - 1).value

    def feed(self, channel: int, count: int, current_a: float) -> None:
        """Set the count of the encoder and the current of the motor."""
        self._numbers[_COUNT + channel] = float(count)
        self._numbers[_CURRENT + channel] = current_a

    def feed_supply(self, voltage_v: float) -> None:
        """Set the voltage of the supply."""
        self._numbers[_SUPPLY] = voltage_v

    def feed_status(self, status: int) -> None:
        """Set the bits of command 90."""
        self._numbers[_STATUS] = float(status)

    def close(self) -> None:
        """Unmap all files, which keep their values."""
        super().close()
        self._records.close()

    @property
    def _numbers(self) -> "memoryview[float]":
        return self._memory.cast("d")

    def _power_up(self) -> None:
        supply_v = self._numbers[_SUPPLY] or 12.0
        self._memory[:] = bytes(len(self._memory))
        self._numbers[_SUPPLY] = supply_v
        for output in range(_OUTPUTS):
            self._records.write(output, 0.0)

    def _next(self) -> bytes | None:
        """Return the reply to a complete packet; None: more bytes are needed."""
        if self._pending[0] != self._address:
            self._pending = self._pending[1:]
            return b""
        if len(self._pending) < 2:
            return None
        command = self._pending[1]
        length = _LENGTHS.get(command, 2)
        if len(self._pending) < length:
            return None
        packet, self._pending = self._pending[:length], self._pending[length:]
        if length > 2 and roboclaw.crc16(packet[:-2]) != int.from_bytes(packet[-2:], "big"):
            return b""  # the manual: a packet with a wrong checksum is not answered
        self._numbers[_RECEIVED_NS] = float(monotonic_ns())
        return self._obey(command, packet)

    def _obey(self, command: int, packet: bytes) -> bytes:
        numbers = self._numbers
        if command == roboclaw.SET_TIMEOUT:
            numbers[_TIMEOUT] = packet[2] / 10
        elif command == roboclaw.DRIVE_DUTY:
            for output, steps in enumerate(struct.unpack(">hh", packet[2:6])):
                self._records.write(output, steps / roboclaw.FULL)
        else:
            body = self._reply(command)
            head = bytes((self._address, command))
            return body + roboclaw.crc16(head + body).to_bytes(2, "big") if body else b""
        return roboclaw.ACKNOWLEDGED

    def _reply(self, command: int) -> bytes:
        numbers = self._numbers
        if command == roboclaw.READ_VERSION:
            return _VERSION
        if command == roboclaw.READ_ENCODERS:
            return struct.pack(
                ">II", *(int(numbers[_COUNT + channel]) & 0xFFFFFFFF for channel in (1, 2))
            )
        if command == roboclaw.READ_CURRENTS:
            return struct.pack(
                ">hh", *(round(numbers[_CURRENT + channel] * 100) for channel in (1, 2))
            )
        if command == roboclaw.READ_VOLTAGE:
            return struct.pack(">H", round(numbers[_SUPPLY] * 10))
        if command == roboclaw.READ_STATUS:
            return struct.pack(">I", int(numbers[_STATUS]))
        return b""


class LinePeer(Protocol):
    """What hangs on a simulated line."""

    @property
    def fault(self) -> ChipFault: ...

    def received(self, data: bytes) -> bytes: ...

    def close(self) -> None: ...


class SimSerial:
    """Line with its controller, which replies inside the write. Implements ports.ByteStream."""

    def __init__(self, port: str, peer: LinePeer) -> None:
        if peer.fault is ChipFault.UNPLUGGED:
            message = f"serial line {port}: the device is not plugged in"
            raise SaintError(Code.HARDWARE_MISSING, message)
        self._name = port
        self._peer = peer
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._theirs.setblocking(False)

    def fileno(self) -> int:
        return self._ours.fileno()

    def wake_at(self, count: int) -> None:
        """Do nothing: what answers is there at once."""

    def read(self) -> bytes:
        """Return what has arrived."""
        self._plugged()
        try:
            return self._ours.recv(4096)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> int:
        """Write all of it."""
        self._plugged()
        answer = self._peer.received(data)
        if answer:
            with contextlib.suppress(BlockingIOError):  # the buffer is full: a line has no memory
                self._theirs.send(answer)
        return len(data)

    def close(self) -> None:
        """Close line and controller; its file keeps the state."""
        self._ours.close()
        self._theirs.close()
        self._peer.close()

    def _plugged(self) -> None:
        if self._peer.fault is ChipFault.UNPLUGGED:
            fault = Code.HARDWARE_FAULT
            raise SaintError(fault, f"serial line {self._name}: it was unplugged")


def open_peer(directory: Path, port: str) -> SimSerial:
    """Open the line of a port; simulated robots have a RoboClaw on each."""
    return SimSerial(port, RoboClawPeer(directory / serial_file(port)))
