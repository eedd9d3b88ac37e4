"""The port between an arm and its servos' protocol: what is known of a servo, and what a maker's
dialect says about packets and registers. Pure. Not here: the dialects (feetech, dynamixel), turns
(bus.py).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, IntFlag
from typing import NamedTuple, Protocol

_HOTTEST_C = 70
MOST_MISSED = 3  # turns in a row: then a servo counts as lost
MOST_DOUBLED = 5  # statuses that nobody requested
MOST_REFUSED = 5  # writes in a row


class ServoFault(IntFlag):
    """What a servo reports of itself. The lower bits are those of Feetech's statuses."""

    VOLTAGE = 1
    SENSOR = 2
    TEMPERATURE = 4
    CURRENT = 8
    OVERLOAD = 32
    SHOCK = 64
    ALERT = 128  # some fault, not yet read
    SHUT = 256  # without torque until it is restarted


NO_FAULT = ServoFault(0)
_TEXTS = {
    ServoFault.VOLTAGE: "its supply is outside of its limits",
    ServoFault.SENSOR: "its angle sensor is at fault",
    ServoFault.TEMPERATURE: "it is too hot",
    ServoFault.CURRENT: "it takes too much current",
    ServoFault.OVERLOAD: "it is overloaded and has switched its torque off",
    ServoFault.SHOCK: "its circuit had an electrical shock, or too little power",
    ServoFault.ALERT: "it reports a fault",
    ServoFault.SHUT: "it has no torque until it is restarted",
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
    errors: ServoFault = NO_FAULT
    missed: int = MOST_MISSED
    is_news: bool = False  # its goal is to be written
    is_wanted: bool = False  # with torque
    is_released: bool = False  # torque is to go off
    doubled: int = 0
    damaged: int = 0  # answers with a wrong checksum, in a row
    refused: int = 0  # writes that it did not accept, in a row
    full_load: int = 1000  # what its load register says at full torque
    probed_s: float = -math.inf
    placed_s: float = math.inf  # from when on its position counts as where torque goes on

    @property
    def is_lost(self) -> bool:
        """Whether it does not answer."""
        return self.missed >= MOST_MISSED

    @property
    def is_shut(self) -> bool:
        """Whether it takes no torque until it is restarted."""
        return bool(self.errors & ServoFault.SHUT)

    @property
    def problem(self) -> str:
        """The fault in words that follow its name, or ""."""
        reading = self.reading
        if (
            self.errors is NO_FAULT
            and reading is not None
            and reading.temperature_c < self.hottest_c
            and self.missed < MOST_MISSED
            and self.doubled < MOST_DOUBLED
            and self.refused < MOST_REFUSED
        ):
            return ""  # the usual case, at each turn of a leader
        if self.is_lost:
            damaged = "; its answers are damaged: another servo may have its id"
            return f"servo {self.id} does not answer{damaged if self.damaged else ''}"
        found = [text for bit, text in _TEXTS.items() if self.errors & bit]
        is_hot = reading is not None and reading.temperature_c >= self.hottest_c
        if reading and is_hot and not self.errors & ServoFault.TEMPERATURE:
            found.append(f"it has {reading.temperature_c} °C")
        if self.doubled >= MOST_DOUBLED:
            found.append("two servos have its id")
        if self.refused >= MOST_REFUSED:
            found.append("it refuses what is written to it: look at its limits and its mode")
        return f"servo {self.id}: {'; '.join(found)}" if found else ""


class BusPacket(Protocol):
    """An instruction of some dialect."""

    @property
    def size(self) -> int: ...

    def encoded(self) -> bytes: ...


class RegisterRange(NamedTuple):
    """Bytes of a servo's registers."""

    address: int
    length: int


class RegisterBlock(NamedTuple):
    """What an instruction concerns: bytes from an address on, of these servos. `data` are the bytes
    that it writes, by servo."""

    address: int
    length: int
    servos: Sequence[int] = ()
    data: Mapping[int, bytes] = {}


class ServoStatus(NamedTuple):
    """A status as it arrived. `is_answer`: it has the form of what was requested last."""

    id: int
    code: int  # error bits, or the number of an error
    data: bytes
    is_answer: bool


class SurveyedServo(NamedTuple):
    """What the registers of a servo that was silent say. `writes` are confirmed before it counts as
    known; `is_stopped`: it stays where it is, whatever its goal was."""

    has_torque: bool
    goal: int
    writes: tuple[tuple[str, int], ...] = ()
    is_stopped: bool = False


class ServoTalk(Protocol):
    """Follows what is on one wire."""

    @property
    def rejected(self) -> int:
        """The number of broken packets."""

    def request(self, packet: BusPacket) -> None:
        """Expect the answers to this one; what is held belongs to an instruction before."""

    def received(self, data: bytes) -> list[ServoStatus]:
        """Return the statuses that are complete, without echoes of what was sent."""

    def awaited(self, answers: int) -> int:
        """Return how many bytes still come where the answers take so many: less those that are
        held, and with the echo of an adapter with one wire, if it has one."""

    def expire(self) -> None:
        """Expect no more of an answer that has begun."""


class ServoDialect(Protocol):
    """What differs between the servos of one line and those of another one."""

    turn: int  # positions
    most_id: int
    status_bytes: int  # of a status beside its data
    measured: RegisterRange  # what each turn reads
    surveyed: RegisterRange  # what a servo that was silent is requested for
    watched: RegisterRange | None  # what is read while a servo reports a fault
    has_sync_read: bool
    gives_up: bool  # an overload ends torque, and a goal at its position brings it back
    baud_rates: tuple[int, ...]  # by the number in the register
    tried_rates: tuple[int, ...]  # in search of a servo; the first is the usual one

    def talk(self) -> ServoTalk: ...

    # Instructions

    def ping(self, servo: int) -> BusPacket: ...

    def read(self, servo: int, registers: RegisterRange) -> BusPacket: ...

    def sync_read(self, servos: Iterable[int], registers: RegisterRange) -> BusPacket: ...

    def put(self, servo: int, register: str, value: int) -> BusPacket:
        """Raises ValueError for a number that the register cannot hold."""

    def goals(self, positions: Mapping[int, int]) -> BusPacket: ...

    def release(self, servos: Iterable[int]) -> BusPacket: ...

    # What answers say

    def errors(self, servo: BusServo, code: int) -> ServoFault: ...

    def is_refusal(self, code: int) -> bool: ...

    def reading(self, servo: BusServo, data: bytes, now_s: float) -> ServoReading: ...

    def survey(self, servo: BusServo, data: bytes) -> SurveyedServo:
        """Also notes what is known of the servo for good."""

    def survey_reading(self, servo: BusServo, data: bytes, now_s: float) -> ServoReading: ...

    def is_changed(self, servo: BusServo, data: bytes) -> bool:
        """Whether measurements show that a servo has lost what was written to it, or has stopped by
        itself; also notes a goal that it did not accept."""

    def watch(self, servo: BusServo, data: bytes) -> bool:
        """Note the faults; return whether it has torque."""

    # Registers by their names

    def place(self, register: str) -> RegisterRange | None:
        """Where a register is; None where these servos have none."""

    def number(self, register: str, data: bytes) -> int: ...

    def model(self, number: int) -> str: ...

    # Setting up

    def openers(self, servo: int) -> list[BusPacket]:
        """What is sent first, whether or not it is answered."""

    def restart(self, servo: int) -> BusPacket | None:
        """The instruction that ends what it has shut down for; None where there is none."""

    def full_load(self, get: Callable[[str], int]) -> int:
        """Return what its load register says at full torque."""

    def configuration(self, get: Callable[[str], int]) -> dict[str, int]:
        """The EEPROM that a role needs."""


def answer_bytes(dialect: ServoDialect) -> int:
    """Return how many bytes a servo answers in each turn."""
    return dialect.status_bytes + dialect.measured.length
