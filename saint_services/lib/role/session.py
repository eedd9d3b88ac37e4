"""One assignment at work: heartbeat, e-stop and command topics come in, pass the gate and reach the
role's outputs in the same callback; the deadline stops what nobody commands any more.
Not here: what the outputs are (the role daemons), how an assignment arrives (host).
"""

import asyncio
import math
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

from .. import log
from ..api.node import RoleReport
from ..bus import Bus, M, Publisher, Sample, Subscription, Topic
from ..bus.open import is_unproven_bus_accepted
from ..clock import stamp
from ..errors import Code, SaintError
from ..generated.saint_msgs import EStop, RoleFault, RouterHeartbeat
from ..generated.topics import (
    ESTOP,
    ESTOP_REPORTS,
    ROLE_FAULTS,
    ROUTER_CREDENTIAL,
    ROUTER_HEARTBEAT,
)
from ..hw.ports import Board, PowerSample
from ..hw.sensors.polling import Sensors
from ..role_config.model import RoleConfig, RoleName
from ..stall import StallWatch
from .gate import Gate, Refusal
from .guard_client import Guard, NoGuard
from .proof import Proofs
from .stop_reports import REPEAT_S, StopReports
from .timers import Clock, Handle, Ticker

_REFUSED = (Refusal.FOREIGN, Refusal.MALFORMED, Refusal.SILENT, Refusal.STALE)
_WRITE_FAULTS = 5  # in a row; fewer are disturbances on the wire and are repeated
_UNPROVEN_S = 3.0  # after its start a role waits so long for its router before it says so
_UNPROVEN = (
    "a router is there that this node's server has not signed for, so nothing moves; start the "
    "server of this node, or adopt the node on the server that is there"
)
_SENSORS_S = 0.5  # how often it is looked what is wrong with them
_BEAT_S = 0.04
_STALL_S = 0.1  # between two beats: what waited meanwhile is old; below every role's deadline
_log = log.get("role")


class Session(ABC):
    """Base of every role. Its methods run in the loop; only `open_drivers` runs in a thread."""

    role: ClassVar[RoleName]
    # Whether a fault of its drivers stops the whole robot: where a dead output leaves motion that
    # nobody controls (tracks, arms). A head or a display that fails is told, and the rest goes on.
    does_fault_stop_robot: ClassVar[bool] = False

    def __init__(
        self, config: RoleConfig, node_id: str, clock: Clock, counters: Counter[str] | None = None
    ) -> None:
        self.config = config
        self.node_id = node_id
        self.clock = clock
        self.counters: Counter[str] = Counter() if counters is None else counters
        self.gate = Gate(config.deadline_ms, self.counters)
        self.guard: Guard = NoGuard()  # the host brings the real one
        self.server_key = ""  # the router of the server with this key is obeyed; set before open()
        self.changed = asyncio.Event()
        self.fault = ""
        self.commands = 0
        self._is_open = False
        self._is_closed = False
        self._stalls = StallWatch(_STALL_S)
        self._faults: Counter[str] = Counter()
        self._bus: Bus | None = None
        self._deadline: Handle | None = None
        self._closing: list[Subscription | Publisher[Any] | Ticker] = []
        self._command_topics: set[str] = set()
        self.sensors: Sensors | None = None
        self._sick: set[str] = set()  # sensors
        self._unproven_heard_s = -math.inf  # the newest heartbeat of a router that is not proven
        self._notices: dict[str, str] = {}
        self._tell_fault: Callable[[RoleFault], None] | None = None
        self._stop_reports: StopReports | None = None

    @abstractmethod
    def open_drivers(self, board: Board) -> None:
        """Open and check the hardware; velocity outputs are at zero afterwards."""

    @abstractmethod
    def start(self) -> None:
        """Subscribe to commands, publish states (see `command`, `publisher`, `every`)."""

    @abstractmethod
    def stop(self) -> None:
        """Velocity outputs to zero, positions stay where they are. Never raises."""

    @abstractmethod
    def close_drivers(self) -> None:
        """Give the hardware back. Never raises."""

    @property
    @abstractmethod
    def is_safe(self) -> bool:
        """True when velocity outputs are at zero and no position is changing."""

    def open(self, bus: Bus) -> None:
        """Begin to obey."""
        self._bus = bus
        self._is_open = True
        if is_unproven_bus_accepted(bus.origin):
            self.gate.prove("", 0)
        proofs = Proofs(self.server_key, self.gate.prove)
        self.every(_UNPROVEN_S, self._check_router)
        self._closing.append(bus.subscribe(ROUTER_CREDENTIAL, proofs.receive))
        self._closing.append(bus.subscribe(ROUTER_HEARTBEAT, self._on_heartbeat))
        self._closing.append(bus.subscribe(ESTOP, self._on_estop))
        self._tell_fault = self.publisher(ROLE_FAULTS)
        publish = self.publisher(ESTOP_REPORTS)
        self._stop_reports = StopReports(
            self.gate, self.clock, self._moving, publish, self.node_id, self.config.target
        )
        self.every(REPEAT_S, self._stop_reports.repeat)
        if self.sensors:
            self.sensors.start()
            self.every(_SENSORS_S, self._check_sensors)
        self.every(_BEAT_S, self._beat)
        self.start()
        for key, command in self.config.commands.items():
            if command.topic not in self._command_topics:
                known = ", ".join(sorted(self._command_topics)) or "none"
                message = f"commands.{key}.topic is {command.topic}, the role obeys {known}"
                raise SaintError(Code.CONFIG_INVALID, message)

    def close(self) -> None:
        """Safe state, then no more of anything. May be called twice."""
        if self._is_closed:
            return
        self._is_closed = True
        self._is_open = False
        self.stop()
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None
        if self._stop_reports:
            self._stop_reports.close()
        for part in self._closing:
            part.close()
        self._closing.clear()
        self.close_sensors()
        self.close_drivers()

    def report(self) -> RoleReport:
        """What noded hears."""
        return RoleReport(
            ready=self._is_open and not self.fault,
            safe=self.is_safe,
            estop=self.gate.latched,
            reason="; ".join(text for text in (self.fault, *self._notices.values()) if text),
            commands=self.commands,
            refused=sum(self.counters[reason] for reason in _REFUSED),
            origin=self._bus.origin if self._bus and self._is_open else "",
        )

    def command(self, topic: Topic[M], apply: Callable[[M, float], bool]) -> None:
        """Obey a topic: `apply` gets what the gate lets through, and the time. It writes the
        outputs at once and answers False, without having touched them, when the message is not
        to be used.
        """
        gate, clock = self.gate, self.clock

        def receive(sample: Sample[M]) -> None:
            now_s = clock.time()
            if self._stalls.is_stalled(now_s):
                self.counters["refused_after_stall"] += 1
                return
            refusal = gate.refusal(sample.origin, sample.received_s, now_s)
            if refusal is None and apply(sample.message, now_s):
                gate.accepted(sample.received_s)
                self.commands += 1
                if self._deadline is None:
                    self._watch_deadline()
            else:
                self.counters[refusal or Refusal.MALFORMED] += 1

        self._command_topics.add(topic.name)
        self.subscribe(topic, receive)

    def subscribe(self, topic: Topic[M], callback: Callable[[Sample[M]], None]) -> None:
        """Hear a topic that does not command."""
        assert self._bus
        self._closing.append(self._bus.subscribe(topic, callback))

    def publisher(self, topic: Topic[M]) -> Callable[[M], None]:
        """Tell something; what cannot be sent is counted, it must not stop a role."""
        assert self._bus
        publisher = self._bus.publisher(topic)
        self._closing.append(publisher)

        def publish(message: M) -> None:
            try:
                publisher.publish(message)
            except SaintError:
                self.counters["publish_failed"] += 1

        return publish

    def every(self, period_s: float, callback: Callable[[], None]) -> None:
        """Do something regularly."""
        self._closing.append(Ticker(self.clock, period_s, callback))

    @property
    def may_move(self) -> bool:
        """A command is in force: fresh, and not stopped."""
        return not self.gate.latched and self.clock.time() < self.gate.expiry_s()

    def open_sensors(self, board: Board, clock: Callable[[], float] = time.monotonic) -> None:
        """Open those of the manifest; for `open_drivers`. Raises for one that is required."""
        self.sensors = Sensors(board, self.config, clock)

    def close_sensors(self) -> None:
        """Read no more."""
        if self.sensors:
            self.sensors.close()
            self.sensors = None

    def current_a(self, device: str) -> float | None:
        """What a meter of `i2c_devices` measures; None without it, and while it is not well."""
        reading = self.sensors.newest(device) if self.sensors and device else None
        if reading is None or not isinstance(reading.value, PowerSample):
            return None
        return reading.value.current_a

    def _beat(self) -> None:
        self._stalls.beat(self.clock.time())

    def _check_router(self) -> None:
        """Say that every router that is heard is an unproven one."""
        now_s = self.clock.time()
        is_unproven = now_s - self._unproven_heard_s < _UNPROVEN_S
        is_alone = is_unproven and not self.gate.is_alive(now_s)
        self.notice("router", _UNPROVEN if is_alone else "")

    def _check_sensors(self) -> None:
        assert self.sensors
        problems = self.sensors.problems
        for name in {*problems, *self._sick}:
            self.notice(name, problems.get(name, ""))
        self._sick = set(problems)

    def trip(self, text: str) -> None:
        """E-stop for a reason of this role; only the router releases it, so it must hear of it: a
        latch that it does not know of could not be seen, and would stay.
        """
        self.gate.trip()
        self._stopped("e-stop")
        self.tell_fault(text, stops_robot=True)
        if self._stop_reports:
            self._stop_reports.look()

    def notice(self, part: str, text: str) -> None:
        """Something does less than it should, and the role goes on; no text: it is well again."""
        if text == self._notices.get(part, ""):
            return
        if text:
            self._notices[part] = text
            _log.warning("degraded", part=part, text=text)
        else:
            del self._notices[part]
            _log.info("well again", part=part)
        self.changed.set()

    def fail(self, text: str) -> None:
        """A fault: everyone hears it, the assignment ends and is tried again by the node."""
        if self.fault:
            return
        self.fault = text
        _log.error("role fault", text=text)
        self.tell_fault(text, stops_robot=self.does_fault_stop_robot)
        self.changed.set()

    def lose_guard(self, text: str) -> None:
        """The outputs are not guarded any more: stop, and let the node open everything again. The
        will was or is being carried out, so the rest of the robot goes on.
        """
        if self._is_closed or self.fault:
            return
        self.stop()
        self.fault = text
        self.counters["guard_lost"] += 1
        _log.error("outputs are not guarded", text=text)
        self.changed.set()

    def tell_fault(self, text: str, *, stops_robot: bool) -> None:
        """Everyone hears it; with `stops_robot` the router raises the e-stop."""
        if self._tell_fault:
            fault = RoleFault(stamp(), self.node_id, self.config.target, stops_robot, text)
            self._tell_fault(fault)

    def drive(self, device: str, write: Callable[[], object]) -> bool:
        """Write an output that may move something. False when it failed, and when the outputs are
        not guarded: then nothing is written.
        """
        return self.guard.may_drive() and self.attempt(device, write)

    def attempt(self, device: str, write: Callable[[], object]) -> bool:
        """Write to a device. A failure is counted, several in a row are a fault of the role."""
        try:
            write()
        except OSError as err:
            self._write_failed(device, err)
            return False
        if self._faults:
            self._faults.pop(device, None)
        return True

    def _write_failed(self, device: str, error: OSError) -> None:
        self.counters["write_failed"] += 1
        self._faults[device] += 1
        if self._faults[device] == _WRITE_FAULTS:
            self.fail(f"{device} does not take what is written ({error.strerror or error})")

    def _on_heartbeat(self, sample: Sample[RouterHeartbeat]) -> None:
        beat = sample.message
        was_latched = self.gate.latched
        if not self.gate.is_proven(sample.origin):
            self._unproven_heard_s = sample.received_s
        self.gate.heartbeat(
            sample.origin, beat.sequence, beat.estop, beat.estop_generation, sample.received_s
        )
        self._latch_changed(was_latched)

    def _on_estop(self, sample: Sample[EStop]) -> None:
        was_latched = self.gate.latched
        self.gate.estop(sample.message.active, sample.message.generation, sample.origin)
        self._latch_changed(was_latched)

    def _moving(self) -> str:
        """Why the outputs are not at rest; empty when they are."""
        if self.fault:
            return self.fault
        if self._faults:
            return f"writing to {', '.join(sorted(self._faults))} failed"
        return "" if self.is_safe else "an output still moves"

    def _latch_changed(self, was_latched: bool) -> None:
        if self.gate.latched and not was_latched:
            self._stopped("e-stop")
        elif was_latched and not self.gate.latched:
            _log.info("e-stop released")
            self.changed.set()
        if self._stop_reports:
            self._stop_reports.look()

    def _watch_deadline(self) -> None:
        self._deadline = self.clock.call_at(self.gate.expiry_s(), self._check_deadline)
        self.changed.set()

    def _check_deadline(self) -> None:
        """One timer that looks again, instead of a new timer for every command."""
        expiry_s = self.gate.expiry_s()
        if self.clock.time() < expiry_s:
            self._deadline = self.clock.call_at(expiry_s, self._check_deadline)
            return
        self._deadline = None
        self.counters["deadlines_missed"] += 1
        self._stopped("commands or heartbeats stopped")

    def _stopped(self, why: str) -> None:
        self.stop()
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None
        _log.info("stopped", reason=why)
        self.changed.set()
