"""Decides what is sent to the servos of one line, and what their answers say: one sync write and
one sync read a turn, repetitions, torque. Pure: bytes and time come in as arguments. Not here: the
line (line.py), the servos' EEPROM (setup.py).

Torque goes on at the present position only: position, then goal, then torque, each confirmed. A
servo that was silent or lost its power is surveyed before anything else is written to it.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from .port import (
    MOST_DOUBLED,
    MOST_MISSED,
    MOST_REFUSED,
    NO_FAULT,
    BusPacket,
    BusServo,
    RegisterRange,
    ServoDialect,
    ServoFault,
    ServoStatus,
    Torque,
)

FAST_S, SLOW_S = 0.02, 0.1  # between turns while something moves, and at rest
LOST_S = 0.5  # older measurements are none
_BUSY_S = 0.5  # after the last goal it counts as moving
_REPLY_S = 0.02  # a USB adapter keeps bytes back for 16 ms at worst
_RETURN_S = 0.0006  # the makers' return delay of each servo
_BITS = 10
_EARLY_S = 1e-4  # a loop's clock counts milliseconds: sums of periods are not quite on them
_PROBE_S = 0.25  # between looks for one that is lost
_OVERLOAD = ServoFault.OVERLOAD


@dataclass(slots=True)
class _Exchange:
    """An instruction whose answers are awaited."""

    packet: BusPacket
    servos: tuple[int, ...]
    registers: RegisterRange | None  # that are read
    deadline_s: float
    then: Callable[[BusServo, bytes, float], None]
    missing: set[int]
    is_repeated: bool = False
    rejected: int = 0  # packets, before it


class ServoBus:
    """The servos of one line by their ids. `send` writes to the line."""

    def __init__(
        self,
        servos: Mapping[int, BusServo],
        dialect: ServoDialect,
        baud: int,
        send: Callable[[bytes], object],
    ) -> None:
        self.servos = dict(servos)
        self.dialect = dialect
        self.turns = 0
        self.period_s: float | None = None  # between turns; None: as fast as motion needs
        self.on_turn: Callable[[float], None] | None = None  # called at the end of each turn
        self._byte_s = _BITS / baud
        self._reads: dict[tuple[int, ...], BusPacket] = {}
        self._send = send
        self._talk = dialect.talk()
        self._pending: _Exchange | None = None
        self._queue: list[_Exchange] = []
        self._due_s = 0.0
        self._busy_s = -math.inf

    # What a role requests

    def rouse(self, servo: BusServo) -> None:
        """Have torque go on at the servo's position; it is `ON` afterwards."""
        if not servo.is_wanted:
            servo.is_wanted, servo.is_released = True, False
            self._due_s = 0.0

    def aim(self, servo: BusServo, ticks: int, now_s: float) -> None:
        """Set a goal of a servo with torque; it goes with the next sync write."""
        if servo.goal != ticks:
            servo.goal, servo.is_news = ticks, True
        self._busy_s = now_s
        self._due_s = min(self._due_s, now_s + FAST_S)

    def drop(self, servo: BusServo) -> None:
        """Forget a goal that is not written yet, and torque that has not gone on yet."""
        servo.goal, servo.is_news = servo.sent, False
        if servo.torque in (Torque.PLACED, Torque.RISING):
            servo.torque, servo.is_wanted = Torque.OFF, False

    def release(self, servos: list[BusServo]) -> None:
        """Switch torque off at once, without waiting for a pending answer, which may be lost. It is
        repeated until each has confirmed."""
        for servo in servos:
            servo.is_wanted = servo.is_news = False
            servo.is_released = True
            servo.torque = Torque.UNKNOWN if servo.is_lost else Torque.OFF
        if servos:
            self._write(self.dialect.release([servo.id for servo in servos]))
            self._due_s = 0.0

    def lost(self) -> None:
        """Have the line be gone: nothing is known of any servo."""
        self._pending = None
        self._queue.clear()
        self._talk = self.dialect.talk()
        for servo in self.servos.values():
            self._lose(servo)

    # What happens

    def due_s(self, now_s: float) -> float:
        """Return when to call `step`. While answers are awaited that is, if it comes first, when
        the next turn is due: they will be there, and one timer serves each turn."""
        if self._pending is None:
            return self._due_s
        deadline_s = self._pending.deadline_s
        return min(self._due_s, deadline_s) if self._due_s > now_s + _EARLY_S else deadline_s

    @property
    def is_idle(self) -> bool:
        """Whether no answer is awaited."""
        return self._pending is None

    @property
    def awaited_bytes(self) -> int:
        """How many bytes the answers that are awaited still take; 0 while none is."""
        pending = self._pending
        if pending is None:
            return 0
        length = pending.registers.length if pending.registers else 0
        answers = len(pending.missing) * (self.dialect.status_bytes + length)
        return max(1, self._talk.awaited(answers))

    def step(self, now_s: float) -> None:
        """Send what is due, unless an answer is awaited."""
        if self._pending and now_s >= self._pending.deadline_s:
            self._expired(self._pending, now_s)
            self._end_turn(now_s)
        if self._pending:
            return
        self._write_goals()
        if not self._queue and now_s >= self._due_s - _EARLY_S:
            self._begin_turn(now_s)
        if self._queue:
            self._request(self._queue.pop(0), now_s)

    def received(self, data: bytes, now_s: float) -> None:
        """Accept what has arrived."""
        for status in self._talk.received(data):
            self._accept(status, now_s)
        if self._pending and not self._pending.missing:
            self._pending = None
            self._end_turn(now_s)
            self.step(now_s)

    # Turns

    def _begin_turn(self, now_s: float) -> None:
        self.turns += 1
        is_busy = now_s - self._busy_s < _BUSY_S
        period_s = self.period_s or (FAST_S if is_busy or self._are_changing else SLOW_S)
        self._due_s = max(self._due_s + period_s, now_s + period_s / 2)
        self._queue = list(self._exchanges(now_s))

    def _end_turn(self, now_s: float) -> None:
        if self.on_turn and not self._queue:
            self.on_turn(now_s)

    @property
    def _are_changing(self) -> bool:
        return any(
            servo.is_released or (servo.is_wanted and servo.torque is not Torque.ON)
            for servo in self.servos.values()
            if not servo.is_lost
        )

    def _exchanges(self, now_s: float) -> Iterator[_Exchange]:
        """Yield the exchanges of one turn."""
        known = [each for each in self.servos.values() if each.torque is not Torque.UNKNOWN]
        for servo in self.servos.values():
            if servo.is_released and not servo.is_lost:
                yield self._set(servo, "torque_enable", 0, self._torque_off)
            elif servo.torque is Torque.UNKNOWN:
                if not servo.is_lost or now_s - servo.probed_s >= _PROBE_S:
                    servo.probed_s = now_s
                    yield self._survey(servo)
            elif servo.is_wanted and servo.torque is not Torque.ON and not servo.is_shut:
                yield from self._rise(servo, now_s)
            if servo.errors and not servo.is_lost and self.dialect.watched:
                yield self._request_of(servo, self.dialect.watched, self._watched)
        if known and self.dialect.has_sync_read:
            yield self._read(known)
        else:
            for servo in known:
                yield self._read([servo])

    def _rise(self, servo: BusServo, now_s: float) -> Iterator[_Exchange]:
        """Yield the next step of a servo that is to get torque."""
        if servo.torque is Torque.OFF:
            servo.torque, servo.placed_s = Torque.PLACED, now_s
        elif servo.torque is Torque.PLACED and servo.reading:
            if servo.reading.stamp_s < servo.placed_s:
                return  # the reading of this turn was missed
            place = servo.reading.position
            servo.goal = servo.sent = place
            yield self._set(servo, "goal_position", place, self._goal_is_place)
        elif servo.torque is Torque.RISING:
            yield self._set(servo, "torque_enable", 1, self._torque_on)

    def _read(self, servos: list[BusServo]) -> _Exchange:
        ids, registers = tuple(servo.id for servo in servos), self.dialect.measured
        packet = self._reads.get(ids)
        if packet is None and self.dialect.has_sync_read:
            packet = self.dialect.sync_read(ids, registers)
        elif packet is None:
            packet = self.dialect.read(ids[0], registers)
        self._reads[ids] = packet
        return self._exchange(packet, ids, registers, self._measured)

    def _survey(self, servo: BusServo) -> _Exchange:
        return self._request_of(servo, self.dialect.surveyed, self._surveyed)

    def _request_of(
        self,
        servo: BusServo,
        registers: RegisterRange,
        then: Callable[[BusServo, bytes, float], None],
    ) -> _Exchange:
        packet = self.dialect.read(servo.id, registers)
        return self._exchange(packet, (servo.id,), registers, then)

    def _set(
        self,
        servo: BusServo,
        register: str,
        value: int,
        then: Callable[[BusServo, bytes, float], None],
    ) -> _Exchange:
        packet = self.dialect.put(servo.id, register, value)
        return self._exchange(packet, (servo.id,), None, then)

    def _exchange(
        self,
        packet: BusPacket,
        servos: tuple[int, ...],
        registers: RegisterRange | None,
        then: Callable[[BusServo, bytes, float], None],
    ) -> _Exchange:
        return _Exchange(packet, servos, registers, math.inf, then, set(servos))

    def _write_goals(self) -> None:
        """Send all new goals in one packet."""
        news = [s for s in self.servos.values() if s.is_news and s.torque is Torque.ON]
        if not news:
            return
        for servo in news:
            servo.sent, servo.is_news = servo.goal, False
        self._write(self.dialect.goals({servo.id: servo.goal or 0 for servo in news}))

    def _request(self, exchange: _Exchange, now_s: float) -> None:
        length = exchange.registers.length if exchange.registers else 0
        answers = len(exchange.servos) * (self.dialect.status_bytes + length)
        wire_s = (exchange.packet.size + answers) * self._byte_s
        exchange.deadline_s = now_s + _REPLY_S + wire_s + len(exchange.servos) * _RETURN_S
        exchange.rejected = self._talk.rejected
        self._pending = exchange
        self._talk.request(exchange.packet)
        self._write(exchange.packet)

    def _write(self, packet: BusPacket) -> None:
        self._send(packet.encoded())

    # Answers

    def _accept(self, status: ServoStatus, now_s: float) -> None:
        servo = self.servos.get(status.id)
        pending = self._pending
        if servo is None:
            return
        if not status.is_answer or pending is None or status.id not in pending.missing:
            servo.doubled = min(servo.doubled + 2, 2 * MOST_DOUBLED)
            return
        pending.missing.discard(status.id)
        servo.missed = servo.damaged = 0
        servo.doubled = max(0, servo.doubled - 1)
        servo.errors = self.dialect.errors(servo, status.code)
        if self.dialect.is_refusal(status.code):
            servo.refused = min(servo.refused + 1, MOST_REFUSED)
            return
        if pending.registers is None:
            servo.refused = 0
        pending.then(servo, status.data, now_s)
        if servo.errors & _OVERLOAD and servo.torque is Torque.ON and self.dialect.gives_up:
            # It pushes with little or nothing, and would jump to its goal when that ends.
            servo.torque, servo.is_wanted, servo.placed_s = Torque.PLACED, True, now_s

    def _expired(self, exchange: _Exchange, now_s: float) -> None:
        """Request what is missing once more, each alone; then it counts as missed."""
        self._pending = None
        self._talk.expire()
        is_damaged = self._talk.rejected > exchange.rejected
        missing = [self.servos[each] for each in sorted(exchange.missing)]
        for servo in missing:
            servo.damaged += is_damaged
        if not exchange.is_repeated and not all(servo.is_lost for servo in missing):
            again = [self._alone(exchange, servo) for servo in missing]
            self._queue = again + self._queue
            return
        for servo in missing:
            servo.missed += 1
            if servo.is_lost:
                self._lose(servo)

    def _alone(self, exchange: _Exchange, servo: BusServo) -> _Exchange:
        packet = exchange.packet
        if exchange.registers:
            packet = self.dialect.read(servo.id, exchange.registers)
        again = self._exchange(packet, (servo.id,), exchange.registers, exchange.then)
        again.is_repeated = True
        return again

    def _lose(self, servo: BusServo) -> None:
        servo.missed = max(servo.missed, MOST_MISSED)
        servo.torque, servo.reading, servo.goal = Torque.UNKNOWN, None, None
        servo.errors, servo.is_news, servo.is_wanted = NO_FAULT, False, False
        servo.refused = 0

    # What answers say

    def _measured(self, servo: BusServo, data: bytes, now_s: float) -> None:
        servo.reading = self.dialect.reading(servo, data, now_s)
        if self.dialect.is_changed(servo, data) and not servo.is_released:
            servo.torque, servo.goal = Torque.UNKNOWN, None
            servo.is_news = servo.is_wanted = False

    def _surveyed(self, servo: BusServo, data: bytes, now_s: float) -> None:
        """Go on from what a servo that was silent says."""
        found = self.dialect.survey(servo, data)
        servo.reading = self.dialect.survey_reading(servo, data, now_s)
        known = partial(self._known, has_torque=found.has_torque, goal=found.goal)
        if found.is_stopped:
            known = partial(known, goal=servo.reading.position)
        self._restore(servo, b"", now_s, writes=found.writes, known=known)

    def _restore(
        self,
        servo: BusServo,
        _: bytes,
        now_s: float,
        *,
        writes: tuple[tuple[str, int], ...],
        known: Callable[[BusServo, bytes, float], None],
    ) -> None:
        """Write what a servo has lost, one after the other; it is surveyed again when one is not
        confirmed."""
        if not writes:
            known(servo, b"", now_s)
            return
        then = partial(self._restore, writes=writes[1:], known=known)
        self._queue.insert(0, self._set(servo, *writes[0], then))

    def _known(
        self, servo: BusServo, _: bytes, now_s: float, *, has_torque: bool, goal: int
    ) -> None:
        servo.torque = Torque.ON if has_torque else Torque.OFF
        servo.goal = servo.sent = goal if has_torque else None

    def _watched(self, servo: BusServo, data: bytes, now_s: float) -> None:
        """Look at a servo that reports a fault: it may have switched its torque off."""
        if not self.dialect.watch(servo, data) and servo.torque is Torque.ON:
            servo.torque, servo.goal = Torque.OFF, None
            servo.is_news = servo.is_wanted = False

    def _torque_off(self, servo: BusServo, _: bytes, now_s: float) -> None:
        servo.is_released, servo.torque, servo.goal = False, Torque.OFF, None

    def _goal_is_place(self, servo: BusServo, _: bytes, now_s: float) -> None:
        if servo.is_wanted:
            servo.torque = Torque.RISING

    def _torque_on(self, servo: BusServo, _: bytes, now_s: float) -> None:
        if servo.is_wanted:
            servo.torque = Torque.ON
