"""Serves the VESCs of one role on their CAN bus: opened and identified in a thread, then served by
the loop without blocking. Their motors and encoders. Not here: what is sent (controller.py).
"""

import asyncio
import errno
import select
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import nan
from typing import Final

from ...binary_layout import LayoutError
from ...errors import Code, SaintError
from ...limits import limited_duty
from ..can.frame import CanFrame
from ..can.port import BusState, CanPort
from . import messages as vesc
from .buffers import BufferAssembler, request_configuration, timeout_s
from .controller import REPEAT_S, VescController, VescSettings
from .messages import VescMessage

OWN_ID: Final = 253  # of the sender of a Ping; no VESC may have it
LONGEST_TIMEOUT_S: Final = 1.0  # of a VESC without commands; the firmware's own default
_OPENING_S = 0.5
_LOOK_S = 0.01
_MOST_OLD = 50  # reads


class VescBus:
    """The VESCs on one bus; each is added before the loop serves them."""

    def __init__(
        self, port: CanPort, name: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = name
        self.controllers: dict[int, VescController] = {}
        self._port = port
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._users = 0
        self._is_closed = False
        self._lost = ""
        self._names: dict[int, str] = {}

    @property
    def is_closed(self) -> bool:
        """Return whether the bus was released."""
        return self._is_closed

    def add(self, settings: VescSettings, name: str) -> VescController:
        """Stop the motor of an earlier process, and wait for a report of its VESC. Blocks. Raises
        hardware_missing when nothing comes, hardware_fault when it answers and does not report, or
        when its time-out is longer than 1 s.
        """
        if settings.id in self.controllers:
            return self.controllers[settings.id]
        controller = VescController(settings, self._send)
        self._send(settings.rest)
        self._send(VescMessage(settings.id, vesc.Ping(OWN_ID)))
        self._put(request_configuration(settings.id, OWN_ID))
        greeting = self._greeted(controller)
        if not controller.is_reporting:
            raise self._absent(settings.id, name, is_there=greeting.is_there)
        if greeting.timeout_s is not None and not 0 < greeting.timeout_s <= LONGEST_TIMEOUT_S:
            raise self._unsafe(name, greeting.timeout_s)
        controller.readings.timeout_s = greeting.timeout_s
        self.controllers[settings.id] = controller
        self._names[settings.id] = name
        return controller

    def _greeted(self, controller: VescController) -> "_Greeting":
        """Wait until a VESC reports, and for its configuration. Blocks."""
        number, end_s = controller.settings.id, self._clock() + _OPENING_S
        assembler, found = BufferAssembler(OWN_ID), _Greeting()
        while self._clock() < end_s and not (controller.is_reporting and found.timeout_s):
            select.select([self._port.fileno()], [], [], _LOOK_S)
            for frame in self._frames():
                if message := assembler.received(frame):
                    found.timeout_s = timeout_s(message, number)
                for report in _messages([frame]):
                    if _sender(report) == number:
                        found.is_there = True
                        controller.received(report.content, self._clock())
        return found

    def _unsafe(self, name: str, limit_s: float) -> SaintError:
        shown = f"{limit_s:g} s" if limit_s else "switched off"
        return SaintError(
            Code.HARDWARE_FAULT,
            f"{name}: the time-out of the VESC is {shown}; it would drive on without commands",
            fix=f"Set it to {LONGEST_TIMEOUT_S:g} s or less (VESC Tool, App Settings, General).",
        )

    def _absent(self, number: int, name: str, *, is_there: bool) -> SaintError:
        if is_there:
            return SaintError(
                Code.HARDWARE_FAULT,
                f"{name}: the VESC with the id {number} on {self.name} does not report",
                fix="Switch its CAN status messages 1, 4 and 5 on, at 50 Hz (VESC Tool, App).",
            )
        return SaintError(
            Code.HARDWARE_MISSING,
            f"{name}: no VESC answers with the id {number} on {self.name}",
            fix="Check its power, the wires of the bus, both 120 ohm ends, bit rate and id.",
        )

    def start(self) -> None:
        """Start serving in the running loop, once."""
        if self._loop is not None or self._lost:
            return
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # opened before the loop runs: the first command in it begins
        try:
            self._discard()
        except SaintError as err:
            self._gone(err)
            return
        self._loop.add_reader(self._port.fileno(), self._read)
        self._tick()

    def _discard(self) -> None:
        """Discard what arrived before the loop served the bus: it is old. Raises SaintError."""
        for _ in range(_MOST_OLD):
            if not self._frames():
                break
        for controller in self.controllers.values():
            controller.begin(self._clock())

    def drive(self, controller: VescController, duty: float) -> None:
        """Set the duty. Raises OSError while the bus is lost or the VESC has a fault."""
        self.start()
        if duty and (fault := self.fault(controller)):
            controller.rest(self._clock())
            raise OSError(errno.EIO, fault)
        controller.drive(duty, self._clock())

    def rest(self, controller: VescController) -> None:
        """Bring a motor to rest; never raises: a VESC that is lost stops by its own time-out."""
        controller.rest(self._clock())

    def is_silent(self, controller: VescController) -> bool:
        """Return whether a VESC does not report, or its bus is lost."""
        return bool(self._lost) or controller.is_silent(self._clock())

    def fault(self, controller: VescController) -> str:
        """Return why a motor cannot be driven in a sentence, or ""."""
        if self._lost:
            return self._lost
        if self._port.state().bus is BusState.OFF:
            return f"{self.name}: the controller of the bus is off (bus-off); look at its wires"
        fault = controller.fault(self._clock())
        return f"{self._names[controller.settings.id]}: {fault}" if fault else ""

    def problem(self, controller: VescController) -> str:
        """Return the fault, or what limits the motor, in a sentence, or ""."""
        if fault := self.fault(controller):
            return fault
        limit = controller.problem(self._clock())
        return f"{self._names[controller.settings.id]}: {limit}" if limit else ""

    def use(self) -> "VescBus":
        """Register one more motor or encoder."""
        self._users += 1
        return self

    def close(self) -> None:
        """Remove a user; the last one brings all motors to rest and releases the bus."""
        self._users -= 1
        self.close_unused()

    def close_unused(self) -> None:
        """Bring all motors to rest and release the bus, unless a motor or encoder uses it."""
        if self._users > 0 or self._is_closed:
            return
        self._is_closed = True
        for controller in self.controllers.values():
            self._send(controller.settings.rest)
        self._end()
        self._lost = self._lost or f"{self.name}: the bus is closed"
        try:
            self._port.close()
        except SaintError:
            return  # the adapter is gone

    def _send(self, message: VescMessage) -> None:
        self._put(vesc.encode(message))

    def _put(self, frame: CanFrame) -> None:
        if self._lost:
            return
        try:
            # Without room the frame is left out: the next repetition is newer.
            self._port.send(frame)
        except SaintError as err:
            self._gone(err)

    def _frames(self) -> list[CanFrame]:
        return [] if self._lost else self._port.receive()

    def _read(self) -> None:
        try:
            frames = self._frames()
        except SaintError as err:
            self._gone(err)
            return
        now_s = self._clock()
        for message in _messages(frames):
            if controller := self.controllers.get(_sender(message)):
                controller.received(message.content, now_s)
            elif _is_command(message):
                for number in self.controllers if message.id == vesc.ALL else (message.id,):
                    if controller := self.controllers.get(number):
                        controller.overruled(message.content, now_s)

    def _tick(self) -> None:
        assert self._loop
        self._timer = self._loop.call_later(REPEAT_S, self._tick)
        self._read()  # may end the timer
        now_s = self._clock()
        for controller in self.controllers.values():
            controller.step(now_s)

    def _gone(self, error: SaintError) -> None:
        self._lost = error.message
        self._end()

    def _end(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._loop:
            self._loop.remove_reader(self._port.fileno())
            self._loop = None


@dataclass(slots=True)
class _Greeting:
    """What came of a VESC while it was opened; `timeout_s` is None where it is not known."""

    is_there: bool = False
    timeout_s: float | None = None


def _messages(frames: list[CanFrame]) -> Iterator[VescMessage]:
    """Yield the messages of VESCs."""
    for frame in frames:
        try:
            yield vesc.decode(frame)
        except LayoutError:
            continue  # of others on the bus


def _is_command(message: VescMessage) -> bool:
    """Return whether a message moves or stops a motor. A bus does not return its own frames."""
    return vesc.row_of(message.content).name.startswith("SET_")


def _sender(message: VescMessage) -> int:
    """Return which VESC reports; -1 for a command to one, or a Pong to another."""
    content = message.content
    if isinstance(content, vesc.Pong):
        return content.vesc_id if message.id == OWN_ID else -1
    return message.id if vesc.row_of(content).name.startswith("STATUS_") else -1


class VescMotor:
    """The motor of one VESC. Implements ports.Motor."""

    def __init__(self, bus: VescBus, controller: VescController, is_reversed: bool) -> None:
        self._bus = bus.use()
        self.controller = controller
        self._sign = -1.0 if is_reversed else 1.0
        self.duty = 0.0

    def set(self, duty: float) -> None:
        """Set the duty as ports.Motor.set; NaN stops the motor."""
        self.duty = limited_duty(duty)
        self._bus.drive(self.controller, self.duty * self._sign)

    def stop(self) -> None:
        """Bring the motor to rest at once. Never raises."""
        self.duty = 0.0
        self._bus.rest(self.controller)

    @property
    def current_a(self) -> float | None:
        """Return the measured current of the motor."""
        current_a = self.controller.readings.current_a
        return None if current_a is None else abs(current_a)

    @property
    def problem(self) -> str:
        """Return the VESC's fault, or what limits it."""
        return self._bus.problem(self.controller)

    def close(self) -> None:
        """Stop, then release the bus."""
        self.stop()
        self._bus.close()


class VescEncoder:
    """The tachometer of one VESC. Implements ports.Encoder."""

    def __init__(self, bus: VescBus, controller: VescController, is_reversed: bool) -> None:
        self._bus = bus.use()
        self._controller = controller
        self._sign = -1 if is_reversed else 1

    @property
    def count(self) -> int:
        """Return the count since the start."""
        return self._sign * self._controller.readings.count

    @property
    def illegal(self) -> int:
        """Return the number of outages in which counts may have been lost."""
        return self._controller.readings.outages

    def listen(self) -> None:
        """Count from now on, in the running loop."""
        self._bus.start()

    def close(self) -> None:
        """Release the bus."""
        self._bus.close()


class VescMeter:
    """What one VESC measures. The values stand in the order of MEASURES; NaN: not known, or old."""

    MEASURES: Final = (
        ("speed", "rad/s"),  # of the wheel
        ("current", "A"),
        ("supply_current", "A"),
        ("voltage", "V"),
        ("temperature", "degC"),
        ("motor_temperature", "degC"),
    )

    def __init__(self, bus: VescBus, controller: VescController) -> None:
        self._bus = bus.use()
        self._controller = controller

    def values(self) -> tuple[float, ...]:
        """Return the last reported values."""
        controller, readings = self._controller, self._controller.readings
        if self._bus.is_silent(controller):
            return (nan,) * len(self.MEASURES)
        known = (
            readings.current_a,
            readings.current_in_a,
            readings.voltage_v,
            readings.temp_fet_c,
            controller.motor_c,
        )
        return (controller.wheel_radps, *(nan if each is None else each for each in known))

    def listen(self) -> None:
        """Receive reports from now on, in the running loop."""
        self._bus.start()

    def close(self) -> None:
        """Release the bus."""
        self._bus.close()
