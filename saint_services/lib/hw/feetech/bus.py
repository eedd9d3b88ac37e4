"""Decides what is sent to the servos of one line, and what their answers say: one sync write and
one sync read a turn, repetitions, torque. Pure: bytes and time come in as arguments. Not here: the
line (line.py), the servos' EEPROM (setup.py).

Torque goes on at the present position only: position, then goal, then torque, each confirmed. A
servo that was silent or lost its power is surveyed before anything else is written to it.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from struct import Struct
from typing import NamedTuple

from . import packets
from .dialogue import Dialogue
from .packets import ErrorBit, Packet, PacketFinder
from .registers import REGISTERS, Series

FAST_S, SLOW_S = 0.02, 0.1  # between turns while something moves, and at rest
LOST_S = 0.5  # older measurements are none
_BUSY_S = 0.5  # after the last goal it counts as moving
ANSWER_BYTES = 14  # of each servo to a sync read
_REPLY_S = 0.02  # a USB adapter keeps bytes back for 16 ms at worst
_RETURN_S = 0.0006  # the maker's return delay of each servo
_BITS = 10
_MOST_MISSED = 3  # turns in a row: then a servo counts as lost
_PROBE_S = 0.25  # between looks for one that is lost
_MOST_DOUBLED = 5  # statuses that nobody requested
_HOTTEST_C = 70
# Of every code: making a flag, and combining flags, costs more than the rest of an answer.
_ERRORS = tuple(ErrorBit(code) for code in range(256))
_NO_ERROR = _ERRORS[0]
_OVERLOAD = int(ErrorBit.OVERLOAD)
# Position, velocity, load, voltage and temperature stand one after the other.
_MEASURED = {Series.STS: Struct("<HHHBB"), Series.SCS: Struct(">HHHBB")}
_TEXTS = {
    ErrorBit.VOLTAGE: "its supply is outside of its limits",
    ErrorBit.ANGLE: "its angle sensor is at fault",
    ErrorBit.TEMPERATURE: "it is too hot",
    ErrorBit.CURRENT: "it takes too much current",
    ErrorBit.OVERLOAD: "it is overloaded and has switched its torque off",
}


class Torque(Enum):
    """What is known of a servo's torque."""

    UNKNOWN = 0
    OFF = 1
    PLACED = 2  # off, and its goal is to be its position
    RISING = 3  # its goal is its position: torque is to go on
    ON = 4


class ServoReading(NamedTuple):
    """What a servo measures. `load` is the share of its full torque."""

    position: int
    velocity: int
    load: float
    voltage_v: float
    temperature_c: int
    stamp_s: float


@dataclass(slots=True)
class BusServo:
    """One servo of the line. `torque_limit` is a share, None where the series has no register."""

    id: int
    name: str
    torque_limit: float | None = None
    hottest_c: int = _HOTTEST_C
    torque: Torque = Torque.UNKNOWN
    goal: int | None = None
    sent: int | None = None  # the goal that the servo has
    reading: ServoReading | None = None
    errors: ErrorBit = _NO_ERROR
    missed: int = _MOST_MISSED
    is_news: bool = False  # its goal is to be written
    is_wanted: bool = False  # with torque
    is_released: bool = False  # torque is to go off
    doubled: int = 0
    damaged: int = 0  # answers with a wrong checksum, in a row
    probed_s: float = -math.inf
    placed_s: float = math.inf  # from when on its position counts as where torque goes on

    @property
    def is_lost(self) -> bool:
        """Whether it does not answer."""
        return self.missed >= _MOST_MISSED

    @property
    def problem(self) -> str:
        """The fault in words that follow its name, or ""."""
        reading = self.reading
        if (
            self.errors is _NO_ERROR
            and reading is not None
            and reading.temperature_c < self.hottest_c
            and self.missed < _MOST_MISSED
            and self.doubled < _MOST_DOUBLED
        ):
            return ""  # the usual case, at each turn of a leader
        if self.is_lost:
            damaged = "; its answers are damaged: another servo may have its id"
            return f"servo {self.id} does not answer{damaged if self.damaged else ''}"
        found = [text for bit, text in _TEXTS.items() if self.errors & bit]
        is_hot = reading is not None and reading.temperature_c >= self.hottest_c
        if reading and is_hot and not self.errors & ErrorBit.TEMPERATURE:
            found.append(f"it has {reading.temperature_c} °C")
        if self.doubled >= _MOST_DOUBLED:
            found.append("two servos have its id")
        return f"servo {self.id}: {'; '.join(found)}" if found else ""


@dataclass(slots=True)
class _Exchange:
    """An instruction whose answers are awaited."""

    packet: Packet
    servos: tuple[int, ...]
    length: int
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
        series: Series,
        baud: int,
        send: Callable[[bytes], object],
    ) -> None:
        self.servos = dict(servos)
        self.series = series
        self.turns = 0
        self.period_s: float | None = None  # between turns; None: as fast as motion needs
        self.on_turn: Callable[[float], None] | None = None  # called at the end of each turn
        self._byte_s = _BITS / baud
        self._table = REGISTERS[series]
        self._measured_form = _MEASURED[series]
        place = self._table["present_position"]
        self._most_unsigned = place.limits[1]
        self._reads: dict[tuple[int, ...], Packet] = {}
        self._send = send
        self._finder = PacketFinder()
        self._dialogue = Dialogue()
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
            self._write(release_of(self.series, [servo.id for servo in servos]))
            self._due_s = 0.0

    def lost(self) -> None:
        """Have the line be gone: nothing is known of any servo."""
        self._pending = None
        self._queue.clear()
        self._finder, self._dialogue = PacketFinder(), Dialogue()
        for servo in self.servos.values():
            self._lose(servo)

    # What happens

    @property
    def due_s(self) -> float:
        """When `step` has something to do."""
        return self._pending.deadline_s if self._pending else self._due_s

    @property
    def is_idle(self) -> bool:
        """Whether no answer is awaited."""
        return self._pending is None

    def step(self, now_s: float) -> None:
        """Send what is due, unless an answer is awaited."""
        if self._pending and now_s >= self._pending.deadline_s:
            self._expired(self._pending, now_s)
            self._end_turn(now_s)
        if self._pending:
            return
        self._write_goals()
        if not self._queue and now_s >= self._due_s:
            self._begin_turn(now_s)
        if self._queue:
            self._request(self._queue.pop(0), now_s)

    def received(self, data: bytes, now_s: float) -> None:
        """Accept what has arrived."""
        for packet in self._finder.feed(data):
            self._accept(packet, now_s)
        if self._pending and not self._pending.missing:
            self._pending = None
            self._end_turn(now_s)
            self.step(now_s)

    # Turns

    def _begin_turn(self, now_s: float) -> None:
        self.turns += 1
        is_busy = now_s - self._busy_s < _BUSY_S
        usual_s = FAST_S if is_busy or self._are_changing else SLOW_S
        period_s = self.period_s or usual_s
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
            elif servo.is_wanted and servo.torque is not Torque.ON:
                yield from self._rise(servo, now_s)
        if known and self.series is Series.STS:
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
        first = self._table["present_position"].address
        length = self._table["present_temperature"].address + 1 - first
        ids = tuple(servo.id for servo in servos)
        if self.series is Series.SCS:
            packet = packets.read(ids[0], first, length)
        else:
            packet = self._reads.get(ids) or packets.sync_read(first, length, ids)
            self._reads[ids] = packet
        return self._exchange(packet, ids, length, self._measured)

    def _survey(self, servo: BusServo) -> _Exchange:
        first = self._table["torque_enable"].address
        length = self._table["present_temperature"].address + 1 - first
        packet = packets.read(servo.id, first, length)
        return self._exchange(packet, (servo.id,), length, self._surveyed)

    def _set(
        self,
        servo: BusServo,
        register: str,
        value: int,
        then: Callable[[BusServo, bytes, float], None],
    ) -> _Exchange:
        place = self._table[register]
        packet = packets.write(servo.id, place.address, place.encode(value, self.series))
        return self._exchange(packet, (servo.id,), 0, then)

    def _exchange(
        self,
        packet: Packet,
        servos: tuple[int, ...],
        length: int,
        then: Callable[[BusServo, bytes, float], None],
    ) -> _Exchange:
        return _Exchange(packet, servos, length, math.inf, then, set(servos))

    def _write_goals(self) -> None:
        """Send all new goals in one packet."""
        place = self._table["goal_position"]
        news = [s for s in self.servos.values() if s.is_news and s.torque is Torque.ON]
        if not news:
            return
        values = {s.id: place.encode(s.goal or 0, self.series) for s in news}
        for servo in news:
            servo.sent, servo.is_news = servo.goal, False
        self._write(packets.sync_write(place.address, values))

    def _request(self, exchange: _Exchange, now_s: float) -> None:
        wire_s = (
            exchange.packet.size + len(exchange.servos) * (6 + exchange.length)
        ) * self._byte_s
        wait_s = _REPLY_S + wire_s + len(exchange.servos) * _RETURN_S
        exchange.deadline_s = now_s + wait_s
        exchange.rejected = self._finder.rejected
        self._pending = exchange
        self._dialogue = Dialogue()
        self._dialogue.follow(exchange.packet)
        self._finder.flush()
        self._write(exchange.packet)

    def _write(self, packet: Packet) -> None:
        self._send(packet.encoded())

    # Answers

    def _accept(self, packet: Packet, now_s: float) -> None:
        answer = self._dialogue.follow(packet)
        servo = self.servos.get(packet.id)
        pending = self._pending
        if servo is None or (pending and packet == pending.packet):
            return  # the second is the echo of an adapter with one wire
        if answer is None or pending is None or packet.id not in pending.missing:
            servo.doubled = min(servo.doubled + 2, 2 * _MOST_DOUBLED)
            return
        pending.missing.discard(packet.id)
        servo.missed = servo.damaged = 0
        servo.doubled = max(0, servo.doubled - 1)
        servo.errors = _ERRORS[packet.code]
        pending.then(servo, packet.parameters, now_s)
        if packet.code & _OVERLOAD and servo.torque is Torque.ON:
            # It pushes with little or nothing, and would jump to its goal when that ends.
            servo.torque, servo.is_wanted, servo.placed_s = Torque.PLACED, True, now_s

    def _expired(self, exchange: _Exchange, now_s: float) -> None:
        """Request what is missing once more, each alone; then it counts as missed."""
        self._pending = None
        self._finder.flush()
        is_damaged = self._finder.rejected > exchange.rejected
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
        if packet.id == packets.BROADCAST:
            packet = packets.read(servo.id, packet.parameters[0], packet.parameters[1])
        again = self._exchange(packet, (servo.id,), exchange.length, exchange.then)
        again.is_repeated = True
        return again

    def _lose(self, servo: BusServo) -> None:
        servo.missed = max(servo.missed, _MOST_MISSED)
        servo.torque, servo.reading, servo.goal = Torque.UNKNOWN, None, None
        servo.errors, servo.is_news, servo.is_wanted = _NO_ERROR, False, False

    # What answers say

    def _number(self, name: str, first: str, data: bytes) -> int:
        """Return a register's number of a block that begins with the register `first`."""
        place = self._table[name]
        at = place.address - self._table[first].address
        return place.decode(data[at : at + place.size], self.series)

    def _measured(self, servo: BusServo, data: bytes, now_s: float) -> None:
        self._measure(servo, "present_position", data, now_s)

    def _measure(self, servo: BusServo, first: str, data: bytes, now_s: float) -> None:
        at = self._table["present_position"].address - self._table[first].address
        position, velocity, load, voltage, celsius = self._measured_form.unpack_from(data, at)
        if velocity or load or position > self._most_unsigned:  # which may have a sign
            position = self._number("present_position", first, data)
            velocity = self._number("present_velocity", first, data)
            load = self._number("present_load", first, data)
        servo.reading = ServoReading(position, velocity, load / 1000, voltage / 10, celsius, now_s)

    def _surveyed(self, servo: BusServo, data: bytes, now_s: float) -> None:
        """Go on from what a servo that was silent says."""
        first = "torque_enable"
        self._measure(servo, first, data, now_s)
        has_torque = bool(self._number(first, first, data))
        servo.torque = Torque.ON if has_torque else Torque.OFF
        servo.goal = self._number("goal_position", first, data) if has_torque else None
        servo.sent = servo.goal
        if "torque_limit" not in self._table or servo.torque_limit is None:
            return
        wanted = round(1000 * servo.torque_limit)
        if self._number("torque_limit", first, data) != wanted:  # its power was away
            self._queue.append(self._set(servo, "torque_limit", wanted, _nothing))

    def _torque_off(self, servo: BusServo, _: bytes, now_s: float) -> None:
        servo.is_released, servo.torque, servo.goal = False, Torque.OFF, None

    def _goal_is_place(self, servo: BusServo, _: bytes, now_s: float) -> None:
        if servo.is_wanted:
            servo.torque = Torque.RISING

    def _torque_on(self, servo: BusServo, _: bytes, now_s: float) -> None:
        if servo.is_wanted:
            servo.torque = Torque.ON


def release_of(series: Series, servos: list[int]) -> Packet:
    """Return the packet that switches the torque of servos off."""
    place = REGISTERS[series]["torque_enable"]
    return packets.sync_write(place.address, dict.fromkeys(servos, b"\0"))


def _nothing(servo: BusServo, data: bytes, now_s: float) -> None:
    """Do nothing with an acknowledgement."""
