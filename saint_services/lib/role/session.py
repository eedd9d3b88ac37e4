"""One assignment at work: heartbeat, e-stop and command topics pass the gate and reach the role's
outputs in the same callback; the deadline stops what is not commanded any more.
Not here: what the outputs are (the role daemons), how an assignment arrives (host.py).
"""

import asyncio
import math
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from typing import ClassVar, NamedTuple

from .. import log
from ..api.node import RoleReport
from ..bus import Bus, M, Sample, Topic
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
from ..role_config.part_topics import commands_topic, states_topic
from ..stall import StallWatch
from .bus_resources import BusResources
from .gate import OTHER_ROBOT, CommandGate, Refusal
from .guard_client import OutputGuard, Unguarded
from .latch import SILENT_MS, LatchFollower
from .motion.joints import Joints
from .parts.outputs import PartOutputs
from .parts.role_parts import RoleParts
from .proof import Proofs
from .pulse_chips import PulseChips
from .stop_reports import REPEAT_S, RoleStopReports
from .timers import Clock, Handle

_REFUSED = tuple(each for each in Refusal if each is not Refusal.ESTOP)
_WRITE_FAULTS = 5  # in a row; fewer are disturbances on the wire and are repeated
_UNPROVEN_S = 3.0  # after its start a role waits this long for its router before it reports one
_UNPROVEN = (
    "a router is there that this node's server has not signed for, so nothing moves; start the "
    "server of this node, or adopt the node on the server that is there"
)
_SENSORS_S = 0.5  # between checks of the sensors
# The period of the states and of the router's heartbeat, so that one wake-up serves all three.
_BEAT_S = 0.05
_STALL_S = 0.1  # between two beats: what waited meanwhile is old; below every role's deadline
_log = log.get("role")


class Condition(NamedTuple):
    """The part of a report whose change is reported at once."""

    is_ready: bool
    is_safe: bool
    is_stopped: bool
    reason: str
    is_reset_wanted: bool


class RoleSession(BusResources, ABC):
    """Base of every role. Its methods run in the loop; only `open_drivers` runs in a thread."""

    role: ClassVar[RoleName]
    # Whether a fault of its drivers stops the whole robot: where a dead output leaves motion that
    # nothing controls (tracks, arms). After a fault of a head or a display the robot goes on.
    does_fault_stop_robot: ClassVar[bool] = False
    # False for a role without commands: the router's heartbeat would only wake it.
    is_commanded: ClassVar[bool] = True

    def __init__(
        self, config: RoleConfig, node_id: str, clock: Clock, counters: Counter[str] | None = None
    ) -> None:
        super().__init__(clock, Counter() if counters is None else counters)
        self.config = config
        self.node_id = node_id
        deadline_ms = config.deadline_ms if self.is_commanded else SILENT_MS
        self.gate = CommandGate(deadline_ms, self.counters, config.outputs_mark)
        self.guard: OutputGuard = Unguarded()  # the host sets the real one
        self.robot_name = ""  # as the server has it; set before open()
        self.hardware = "real"  # SAINT_HW; set before open()
        self.server_key = ""  # the router of the server with this key is obeyed; set before open()
        self.changed = asyncio.Event()  # the condition may have changed
        self.fault = ""
        self.commands = 0
        self.is_reset_wanted = False  # a person requests the reset of this node
        self.sensors: Sensors | None = None
        self._is_open = False
        self._is_closed = False
        self._left_safe: bool | None = None
        self._stalls = StallWatch(_STALL_S)
        self._failed_writes: Counter[str] = Counter()  # in a row, by device
        self._deadline: Handle | None = None
        self._command_topics: set[str] = set()
        self._failed_sensors: set[str] = set()
        self._follower: LatchFollower | None = None
        self._unproven_s = -math.inf  # the newest heartbeat of a router that is not proven
        self._notices: dict[str, str] = {}
        self._publish_fault: Callable[[RoleFault], None] | None = None
        self._stop_reports: RoleStopReports | None = None
        self._chips = PulseChips(config)
        self.joints = Joints(config, clock, self.drive, self.changed.set, self.fail, self._chips)
        self._outputs = PartOutputs(
            config, clock, self._chips, self.drive, self.attempt, self.notice, self.changed.set
        )
        self.parts = RoleParts(config, self.joints, self._outputs, self.counters)

    @abstractmethod
    def start(self) -> None:
        """Subscribe to commands, publish states (see `command`, `publisher`, `every`)."""

    # What a role has beside joints and parts, which every role may have. A role may lack it.

    def open_devices(self, board: Board) -> None:
        """Open and check the role's own hardware; velocity outputs are at zero afterwards."""

    def stop_devices(self) -> None:
        """Set the role's own velocity outputs to zero. Never raises."""

    def close_devices(self) -> None:
        """Release the role's own hardware. Never raises."""

    @property
    def are_devices_safe(self) -> bool:
        """True when the role's own velocity outputs are at zero."""
        return True

    def open_drivers(self, board: Board) -> None:
        """Open and check the hardware; velocity outputs are at zero, switches off afterwards.
        Joints keep the pulse that they have, or none."""
        self.open_devices(board)
        self.joints.open(board)
        if self.parts.is_wanted:
            self.parts.open(board, self.clock)

    def stop(self) -> None:
        """Set velocity outputs to zero and switches off; positions stay where they are, lights as
        they are. Never raises."""
        self.stop_devices()
        self._outputs.stop()
        self.joints.hold()

    def close_drivers(self) -> None:
        """Release the hardware. Pulses of joints stay, so that nothing falls. Never raises."""
        self.close_devices()
        self._outputs.close()
        self.parts.readings.close()
        self.joints.close()
        self._chips.close()

    @property
    def is_safe(self) -> bool:
        """True when velocity outputs are at zero, switches off, and no position is changing. After
        the end, whether they were left so: a session without devices knows nothing of its pins.
        """
        if self._left_safe is not None:
            return self._left_safe
        return self.are_devices_safe and self._outputs.are_safe and self.joints.are_still

    def open(self, bus: Bus) -> None:
        """Begin to obey commands. Raises SaintError for a configuration that names other topics."""
        self._bus = bus
        self._is_open = True
        self.every(_UNPROVEN_S, self._check_router)
        if self.is_commanded:
            self._follow_heartbeat(bus.origin)
        else:
            self._follower = LatchFollower(bus, self.server_key, self.gate, self.latch_changed)
            self.keep(self._follower)
        self._publish_fault = self.publisher(ROLE_FAULTS)
        publish = self.publisher(ESTOP_REPORTS)
        self._stop_reports = RoleStopReports(
            self.gate, self.clock, self._moving, publish, self.node_id, self.config.target
        )
        self.every(REPEAT_S, self._stop_reports.repeat)
        if self.sensors:
            self.sensors.start()
            self.every(_SENSORS_S, self._check_sensors)
        self.joints.listen(self.every, self.notice)
        self.start()
        if self.parts.is_wanted:
            self._start_parts()
        if self.config.sound.is_there:
            self._start_sound()
        for key, command in self.config.commands.items():
            if command.topic not in self._command_topics:
                known = ", ".join(sorted(self._command_topics)) or "none"
                message = f"commands.{key}.topic is {command.topic}, the role obeys {known}"
                raise SaintError(Code.CONFIG_INVALID, message)

    def close(self) -> None:
        """Stop the outputs, then release everything. May be called twice."""
        if self._is_closed:
            return
        self._is_closed = True
        self._is_open = False
        self.stop()
        self._left_safe = self.is_safe and not self._failed_writes
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None
        if self._stop_reports:
            self._stop_reports.close()
        self.close_resources()
        self.close_sensors()
        self.close_drivers()

    @property
    def condition(self) -> Condition:
        """The role's condition now."""
        return Condition(
            is_ready=self._is_open and not self.fault,
            is_safe=self.is_safe,
            is_stopped=self.gate.latched,
            reason="; ".join(text for text in (self.fault, *self._notices.values()) if text),
            is_reset_wanted=self.is_reset_wanted,
        )

    def report(self) -> RoleReport:
        """Return the report for noded."""
        now = self.condition
        return RoleReport(
            ready=now.is_ready,
            safe=now.is_safe,
            estop=now.is_stopped,
            reason=now.reason,
            commands=self.commands,
            refused=sum(self.counters[reason] for reason in _REFUSED),
            origin=self._bus.origin if self._bus and self._is_open else "",
            reset_wanted=now.is_reset_wanted,
        )

    def command(self, topic: Topic[M], apply: Callable[[M, float], bool]) -> None:
        """Obey a topic: `apply` gets each message that passes the gate, and the time. It writes the
        outputs at once and returns False, without having touched them, for a message that is
        malformed.
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
                    self._schedule_deadline()
            else:
                self.counters[refusal or Refusal.MALFORMED] += 1

        if not self._command_topics:
            self.every(_BEAT_S, self._beat)
        self._command_topics.add(topic.name)
        self.subscribe(topic, receive)

    def _start_parts(self) -> None:
        """Obey and publish what travels by name."""
        self.parts.readings.listen()
        if self.is_commanded:
            self.command(commands_topic(self.config), self.parts.obey)
        send = self.parts.sender(self.publisher(states_topic(self.config)), lambda: self.sensors)
        self.every(_BEAT_S, send)
        self.every(_SENSORS_S, lambda: self._outputs.look(self.clock.time()))

    def _start_sound(self) -> None:
        """Have the sound of this node published and played, while there is anybody for it."""
        from .sound.role_sound import RoleSound  # most roles have none
        from .sound.wire import SoundOrder

        target = self.config.target
        name = "".join(c if c.isascii() and c.isalnum() else "_" for c in self.node_id)
        order = SoundOrder(
            hardware=self.hardware,
            node_name=f"sound_{target.replace('.', '_')}_{name}",
            target=target,
            settings=self.config.sound,
        )
        try:
            self.keep(RoleSound(self, order))
        except SaintError as err:  # a ROS 2 installation without audio_common_msgs
            self.notice("sound", err.message)

    @property
    def may_move(self) -> bool:
        """True while a fresh command is in force and the role is not stopped."""
        return not self.gate.latched and self.clock.time() < self.gate.expiry_s()

    def open_sensors(self, board: Board, clock: Callable[[], float] = time.monotonic) -> None:
        """Open the sensors of the manifest, in a thread. Raises for one that is required."""
        self.sensors = Sensors(board, self.config, clock)

    def close_sensors(self) -> None:
        """End the reading of sensors."""
        if self.sensors:
            self.sensors.close()
            self.sensors = None

    def current_a(self, device: str) -> float | None:
        """Return what a meter of `i2c_devices` measures; None without it, or while it fails."""
        reading = self.sensors.newest(device) if self.sensors and device else None
        if reading is None or not isinstance(reading.value, PowerSample):
            return None
        return reading.value.current_a

    def _follow_heartbeat(self, origin: str) -> None:
        if is_unproven_bus_accepted(origin):
            self.gate.prove("", 0)
        proofs = Proofs(self.server_key, self.gate.prove)
        self.subscribe(ROUTER_CREDENTIAL, proofs.receive)
        self.subscribe(ROUTER_HEARTBEAT, self._on_heartbeat)
        self.subscribe(ESTOP, self._on_estop)

    def _beat(self) -> None:
        self._stalls.beat(self.clock.time())

    def _check_router(self) -> None:
        """Report that the only routers on the bus are unproven ones."""
        now_s = self.clock.time()
        unproven_s = self._follower.unproven_s if self._follower else self._unproven_s
        is_alone = now_s - unproven_s < _UNPROVEN_S and not self.gate.is_alive(now_s)
        self.notice("router", _UNPROVEN if is_alone else "")

    def _check_sensors(self) -> None:
        assert self.sensors
        problems = self.sensors.problems
        for name in {*problems, *self._failed_sensors}:
            self.notice(name, problems.get(name, ""))
        self._failed_sensors = set(problems)

    def trip(self, text: str) -> None:
        """Stop for a reason of this role. Only the router releases the latch, so the fault notifies
        it: a latch that the router does not know could not be seen, and would stay.
        """
        self.gate.trip()
        self._stopped("e-stop")
        self.publish_fault(text, stops_robot=True)
        if self._stop_reports:
            self._stop_reports.look()

    def notice(self, part: str, text: str) -> None:
        """Report a part that does less than it should, while the role goes on; without text the
        part works again."""
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
        """End the assignment with a fault; the node tries it again."""
        if self.fault:
            return
        self.fault = text
        _log.error("role fault", text=text)
        is_stop = self.does_fault_stop_robot or self._outputs.may_go_on
        self.publish_fault(text, stops_robot=is_stop)
        self.changed.set()

    def lose_guard(self, text: str) -> None:
        """Stop, and end the assignment: the outputs are not guarded any more. The will was or is
        being carried out, so the rest of the robot goes on.
        """
        if self._is_closed or self.fault:
            return
        self.stop()
        self.fault = text
        self.counters["guard_lost"] += 1
        _log.error("outputs are not guarded", text=text)
        self.changed.set()

    def publish_fault(self, text: str, *, stops_robot: bool) -> None:
        """Publish a fault; with `stops_robot` the router raises the e-stop."""
        if self._publish_fault:
            fault = RoleFault(stamp(), self.node_id, self.config.target, stops_robot, text)
            self._publish_fault(fault)

    def drive(self, device: str, write: Callable[[], object]) -> bool:
        """Write an output that may move something. Returns False when that failed, and when the
        outputs are not guarded: then nothing is written.
        """
        return self.guard.may_drive() and self.attempt(device, write)

    def attempt(self, device: str, write: Callable[[], object]) -> bool:
        """Write to a device. A failure is counted, several in a row are a fault of the role."""
        try:
            write()
        except OSError as err:
            self._write_failed(device, err)
            return False
        if self._failed_writes:
            self._failed_writes.pop(device, None)
        return True

    def _write_failed(self, device: str, error: OSError) -> None:
        self.counters["write_failed"] += 1
        self._failed_writes[device] += 1
        if self._failed_writes[device] == _WRITE_FAULTS:
            self.fail(f"writing to {device} failed ({error.strerror or error})")

    def _on_heartbeat(self, sample: Sample[RouterHeartbeat]) -> None:
        beat = sample.message
        was_latched = self.gate.latched
        if not self.gate.is_proven(sample.origin):
            self._unproven_s = sample.received_s
        latch = beat.estop, beat.estop_generation
        self.gate.heartbeat(sample.origin, beat.sequence, *latch, sample.received_s, beat.outputs)
        self.notice("robot", OTHER_ROBOT if self.gate.has_other_robot else "")
        self.latch_changed(was_latched)
        if sample.origin == self.gate.controller:
            self.coincide(_BEAT_S)

    def _on_estop(self, sample: Sample[EStop]) -> None:
        was_latched = self.gate.latched
        self.gate.estop(sample.message.active, sample.message.generation, sample.origin)
        self.latch_changed(was_latched)

    def _moving(self) -> str:
        """Return why the outputs are not at rest; empty when they are."""
        if self.fault:
            return self.fault
        if self._failed_writes:
            return f"writing to {', '.join(sorted(self._failed_writes))} failed"
        return "" if self.is_safe else "an output still moves"

    def latch_changed(self, was_latched: bool) -> None:
        """Act on a sample that may have changed the latch."""
        if self.gate.latched and not was_latched:
            self._stopped("e-stop")
        elif was_latched and not self.gate.latched:
            _log.info("e-stop cleared")
            self.changed.set()
        if self._stop_reports:
            self._stop_reports.look()

    def _schedule_deadline(self) -> None:
        self._deadline = self.clock.call_at(self.gate.expiry_s(), self._check_deadline)
        self.changed.set()

    def _check_deadline(self) -> None:
        """Stop when the deadline has passed. One timer checks again, instead of a new timer for
        every command."""
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
