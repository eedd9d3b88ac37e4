"""Serves a RoboClaw on its serial line: opened and identified in a thread, then served by the loop
without blocking. Its motors and encoders. Not here: the protocol (roboclaw).
"""

import asyncio
import errno
import select
import time
from collections.abc import Callable

from ...errors import Code, SaintError
from ...limits import limited_duty
from ...role_config.devices import SerialDevice
from ..held_line import HeldLine
from ..ports import ByteStream
from .roboclaw import READ_VERSION, RoboClaw, crc16, duties

_PERIOD_S = 0.005
_OPENING_S = 0.2
_VERSION_ENDS = b"\n\0"  # before its checksum


class RoboClawLine:
    """One controller. Opening stops its motors, and raises SaintError when it does not answer."""

    def __init__(
        self,
        port: ByteStream,
        device: SerialDevice,
        name: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._port = port
        self._held = HeldLine(port, self._read)
        self._clock = clock
        self._name = name
        self._timer: asyncio.TimerHandle | None = None
        self._lost = ""
        self.core = RoboClaw(device.address, self._send)
        try:
            self.version = self._greet(device)
        except SaintError:
            self._held.release()
            raise

    @property
    def problem(self) -> str:
        """Return the fault in a sentence, or ""."""
        if self._lost:
            return self._lost
        return f"{self._name}: {self.core.problem}" if self.core.problem else ""

    def start(self) -> None:
        """Start serving in the running loop, once."""
        if self._held.loop is not None:
            return
        if self._held.attach():  # opened before the loop runs, the first command in it begins
            self._tick()

    def drive(self, channel: int, duty: float) -> None:
        """Set the duty. Raises OSError while the controller is lost or faulty."""
        self.start()
        self.core.drive(channel, duty, self._clock())
        if self.problem:
            raise OSError(errno.EIO, self.problem)

    def rest(self, channel: int) -> None:
        """Remove torque; never raises: a lost controller stops by its own time-out."""
        self.core.halt(channel, self._clock())

    def use(self) -> "RoboClawLine":
        """Register one more motor or encoder."""
        self._held.use()
        return self

    def close(self) -> None:
        """Remove a user; the last one stops both motors and releases the line."""
        if not self._held.is_unused():
            return
        self._send(duties(self.core._address, 0.0, 0.0))
        self._end()
        self._held.release()

    def _greet(self, device: SerialDevice) -> str:
        """Stop motors of an earlier process, then identify the controller. Blocks."""
        self._send(duties(device.address, 0.0, 0.0))
        question = bytes((device.address, READ_VERSION))
        answer, end_s = b"", self._clock() + _OPENING_S
        self._send(question)
        while (left_s := end_s - self._clock()) > 0:
            if not select.select([self._port.fileno()], [], [], left_s)[0]:
                break
            answer += self._port.read()
            body, mark, rest = answer.lstrip(b"\xff").partition(_VERSION_ENDS)
            if mark and len(rest) >= 2:
                if crc16(question + body + mark) == int.from_bytes(rest[:2], "big"):
                    return body.decode(errors="replace")
                break
        said = f"it said {answer[:16].hex(' ')}" if answer else "nothing came back"
        raise SaintError(
            Code.HARDWARE_MISSING,
            f"{self._name}: no RoboClaw answers on {device.port} at address "
            f"0x{device.address:02x} and {device.baud} baud ({said})",
            fix="Check power and wiring; set packet serial, address and baud rate on the device.",
        )

    def _send(self, data: bytes) -> None:
        try:
            self._port.write(data)
        except SaintError as err:
            self._gone(err)

    def _read(self) -> None:
        try:
            data = self._port.read()
        except SaintError as err:
            self._gone(err)
            return
        self.core.received(data, self._clock())

    def _tick(self) -> None:
        assert self._held.loop
        self._timer = self._held.loop.call_later(_PERIOD_S, self._tick)
        self.core.step(self._clock())

    def _gone(self, error: SaintError) -> None:
        self._lost = f"{self._name}: {error.message}"
        self._end()

    def _end(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._held.detach()


class RoboClawMotor:
    """M1 or M2. Implements ports.Motor."""

    def __init__(self, line: RoboClawLine, channel: int, is_reversed: bool) -> None:
        self._line = line.use()
        self._index = channel - 1
        self._sign = -1.0 if is_reversed else 1.0
        self.duty = 0.0

    def set(self, duty: float) -> None:
        """Set the duty as ports.Motor.set; NaN stops the motor."""
        self.duty = limited_duty(duty)
        self._line.drive(self._index, self.duty * self._sign)

    def stop(self) -> None:
        """Remove torque at once. Never raises."""
        self.duty = 0.0
        self._line.rest(self._index)

    @property
    def current_a(self) -> float | None:
        """Return the measured current; positive when the motor consumes it."""
        return abs(self._line.core.readings.currents_a[self._index])

    @property
    def problem(self) -> str:
        """Return the controller's fault, or that it does not answer."""
        return self._line.problem

    def close(self) -> None:
        """Stop, then release the line."""
        self.stop()
        self._line.close()


class RoboClawEncoder:
    """The encoder of M1 or M2. Implements ports.Encoder."""

    def __init__(self, line: RoboClawLine, channel: int, is_reversed: bool) -> None:
        self._line = line.use()
        self._index = channel - 1
        self._sign = -1 if is_reversed else 1

    @property
    def count(self) -> int:
        """Return the count since the start."""
        return self._sign * self._line.core.readings.counts[self._index]

    @property
    def illegal(self) -> int:
        """Return the number of outages in which counts may have been lost."""
        return self._line.core.readings.outages

    def listen(self) -> None:
        """Count from now on, in the running loop."""
        self._line.start()

    def close(self) -> None:
        """Release the line."""
        self._line.close()
