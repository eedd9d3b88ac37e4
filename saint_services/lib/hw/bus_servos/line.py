"""Serves the servos of one serial line: opened and surveyed in a thread, then by the loop without
blocking and without polling; a plug that was pulled is opened again. Not here: what is sent
(bus.py), EEPROM (setup.py).
"""

import errno
import select
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ...errors import Code, SaintError
from ..held_line import HeldLine
from ..ports import ByteStream
from .bus import LOST_S, ServoBus
from .port import BusServo, ServoDialect, ServoReading, Torque, answer_bytes

_SURVEY_S = 1.0
_WAIT_S = 0.01


class LineTimer(Protocol):
    """A timer that can be cancelled."""

    def cancel(self) -> None: ...


class LineClock(Protocol):
    """The part of asyncio's loop that a line needs."""

    def time(self) -> float: ...

    def call_at(self, when: float, callback: Callable[..., Any], /, *args: Any) -> LineTimer: ...


class ServoLine:
    """One line. Opening raises SaintError when a servo does not answer; no torque changes."""

    def __init__(
        self,
        open_port: Callable[[], ByteStream],
        servos: Mapping[int, BusServo],
        dialect: ServoDialect,
        baud: int,
        name: str,
        clock: LineClock,
        prepare: Callable[[ByteStream], None] = lambda _: None,
    ) -> None:
        self._open_port = open_port
        self._clock = clock
        self._name = name
        self._timer: LineTimer | None = None
        self._timed_s = 0.0
        self._lost = ""
        self._is_started = False
        self.core = ServoBus(servos, dialect, baud, self._send)
        port = open_port()
        self._held: HeldLine[ByteStream] = HeldLine(port, self._on_readable)
        try:
            prepare(port)
            self._survey()
        except SaintError:
            self._held.release()
            raise

    @property
    def _port(self) -> ByteStream | None:
        return self._held.port

    def servo(self, servo: int) -> BusServo:
        """Return one servo, and register its user."""
        self._held.use()
        return self.core.servos[servo]

    def reading(self, servo: BusServo) -> ServoReading | None:
        """Return what a servo measures; None without a recent measurement."""
        found = servo.reading
        if found is None or self._clock.time() - found.stamp_s > LOST_S:
            return None
        return found

    def start(self) -> None:
        """Serve in the running loop from now on, once."""
        if self._is_started:
            return
        self._is_started = True
        self._held.attach()  # a test's clock has no loop: timers read
        self._serve()

    def rouse(self, servo: BusServo) -> None:
        """Have torque go on at the servo's position. Raises OSError while it is lost, or
        has shut itself down."""
        self._check(servo)
        if servo.is_shut:
            raise OSError(errno.EIO, self.problem(servo))
        self.core.rouse(servo)
        self._serve_soon()

    def aim(self, servo: BusServo, ticks: int) -> None:
        """Set the goal of a servo with torque; goals of one moment are one packet. Raises OSError
        while it is lost."""
        self._check(servo)
        self.core.aim(servo, ticks, self._clock.time())
        self._serve_soon()

    def drop(self, servo: BusServo) -> None:
        """Forget a goal that is not written yet."""
        self.core.drop(servo)

    def release(self, *servos: BusServo) -> None:
        """Switch torque off at once; never raises."""
        self.core.release(list(servos))
        self._serve_soon()

    def problem(self, servo: BusServo) -> str:
        """Return the fault of a servo or of its line in a sentence, or ""."""
        if self._lost:
            return f"{self._name}: {self._lost}"
        found = servo.problem
        return f"{self._name}, {found}" if found else ""

    def close(self) -> None:
        """Remove a user; the last one closes the line. Servos keep torque and goal; a release that
        is not confirmed yet is sent again, behind answers that may be on the wire."""
        if not self._held.is_unused():
            return
        servos = self.core.servos.values()
        if released := [servo.id for servo in servos if servo.is_released]:
            dialect = self.core.dialect
            pause = bytes(answer_bytes(dialect) * len(servos))
            self._send(pause + dialect.release(released).encoded())
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._held.release()
        self._is_started = False

    # The line

    def _survey(self) -> None:
        """Get to know every servo. Blocks. Raises hardware_missing for those that stay silent."""
        assert self._port
        end_s = time.monotonic() + _SURVEY_S
        unknown = self._unknown()
        while unknown and (left_s := end_s - time.monotonic()) > 0:
            self.core.step(self._clock.time())
            if select.select([self._port.fileno()], [], [], min(left_s, _WAIT_S))[0]:
                self.core.received(self._port.read(), self._clock.time())
            unknown = self._unknown()
        if unknown:
            found = ", ".join(f"{servo.name} ({servo.id})" for servo in unknown)
            if refusing := next((servo for servo in unknown if servo.refused), None):
                raise SaintError(
                    Code.HARDWARE_FAULT,
                    f"{self._name}: {refusing.name} ({refusing.id}) refuses its settings",
                    fix="Bring its firmware up to date with the maker's program.",
                )
            raise SaintError(
                Code.HARDWARE_MISSING,
                f"{self._name}: no answer from {found}",
                fix="Check power, cable, ids and the baud rate: saintctl arm status PORT.",
            )

    def _unknown(self) -> list[BusServo]:
        return [each for each in self.core.servos.values() if each.torque is Torque.UNKNOWN]

    def _check(self, servo: BusServo) -> None:
        if self._port is None or servo.is_lost:
            raise OSError(errno.EIO, self.problem(servo) or f"{self._name} is closed")

    def _send(self, data: bytes) -> None:
        if self._port is None:
            return
        try:
            self._port.write(data)
        except SaintError as err:
            self._gone(err)

    def _read(self) -> None:
        """Pass on what has arrived."""
        if self._port is None:
            return
        try:
            data = self._port.read()
        except SaintError as err:
            self._gone(err)
            return
        if data:
            self.core.received(data, self._clock.time())

    def _on_readable(self) -> None:
        self._read()
        self._schedule()

    def _serve(self) -> None:
        """Do what is due, then wait until something is due again."""
        self._timer = None
        if self._port is None:
            self._reopen()
        else:
            self._read()
            self.core.step(self._clock.time())
        self._schedule()

    def _serve_soon(self) -> None:
        """Serve after what is handled now, so that goals of one moment go together."""
        if self._is_started and self._port is not None and self.core.is_idle:
            self._schedule(self._clock.time())

    def _schedule(self, due_s: float | None = None) -> None:
        if not self._is_started:
            return
        port = self._port
        if port is not None and (awaited := self.core.awaited_bytes):
            port.wake_at(awaited)  # once for all answers; what is fewer is read at due_s
        if due_s is None:
            now_s = self._clock.time()
            due_s = self.core.due_s(now_s) if port is not None else now_s + self._held.pause_s
        if self._timer:
            if self._timed_s == due_s:
                return
            self._timer.cancel()
        self._timed_s = due_s
        self._timer = self._clock.call_at(due_s, self._serve)

    def _gone(self, error: SaintError) -> None:
        self._lost = error.message
        self._held.release()
        self.core.lost()

    def _reopen(self) -> None:
        try:
            self._held.hold(self._open_port())
        except SaintError as err:
            self._held.failed()
            self._lost = err.message
            return
        self._held.works()
        self._lost = ""
        self._held.attach()
