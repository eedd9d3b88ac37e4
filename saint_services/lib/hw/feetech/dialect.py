"""What Feetech's servos understand, behind the port of all bus servos. Pure."""

from collections.abc import Callable, Iterable, Mapping
from struct import Struct

from ..bus_servos.port import (
    BusPacket,
    BusServo,
    RegisterRange,
    ServoFault,
    ServoReading,
    ServoStatus,
    SurveyedServo,
)
from . import packets
from .answers import all_answers
from .packets import Code, Packet, PacketFinder, block_of
from .registers import BAUD_RATES, MODELS, REGISTERS, TURN, Series

_SCS_TURN = 1024
_FULL_LOAD = 1000
_PHASE_TURNS = 0x10  # of the phase register: positions beyond one turn are reported
_KNOWN = 0b101111  # the error bits that mean something
# Of every code: making a flag, and combining flags, costs more than the rest of an answer.
_FAULTS = tuple(ServoFault(code & _KNOWN) for code in range(256))
# Position, velocity, load, voltage and temperature stand one after the other.
_MEASURED = {Series.STS: Struct("<HHHBB"), Series.SCS: Struct(">HHHBB")}


class FeetechTalk:
    """Follows what is on the wire, where instructions and statuses have one form."""

    def __init__(self) -> None:
        self._finder = PacketFinder()
        self._requested: Packet | None = None
        self._length = 0  # of the data of an answer
        self._together: tuple[int, ...] = ()  # the servos of a sync read
        self._has_echo = self._is_echoed = False

    @property
    def rejected(self) -> int:
        """The number of broken packets."""
        return self._finder.rejected

    def request(self, packet: BusPacket) -> None:
        """Expect the answers to this one."""
        assert isinstance(packet, Packet)
        block = block_of(packet)
        is_read = packet.code in (Code.READ, Code.SYNC_READ)
        self._length = block.length if block and is_read else 0
        self._together = tuple(block.servos) if block and packet.code == Code.SYNC_READ else ()
        self._requested, self._is_echoed = packet, False
        self._finder.flush()

    def received(self, data: bytes) -> list[ServoStatus]:
        """Return the statuses that are complete."""
        together, self._together = self._together, ()
        if together and not self._finder.is_waiting:
            found = all_answers(data, together, self._length)
            if found:
                return found
        found = []
        for packet in self._finder.feed(data):
            if packet == self._requested:  # the echo of an adapter with one wire
                self._has_echo = self._is_echoed = True
                continue
            is_answer = len(packet.parameters) == self._length
            found.append(ServoStatus(packet.id, packet.code, packet.parameters, is_answer))
        return found

    def awaited(self, answers: int) -> int:
        """Return how many bytes still come."""
        echo = 0
        if self._has_echo and not self._is_echoed and self._requested:
            echo = self._requested.size
        return answers + echo - self._finder.held_bytes

    def expire(self) -> None:
        """Expect no more of an answer that has begun."""
        self._requested, self._has_echo, self._together = None, False, ()
        self._finder.flush()


class FeetechDialect:
    """One series. Implements ServoDialect."""

    most_id = packets.MOST_ID
    status_bytes = packets.FRAME_BYTES
    watched: RegisterRange | None = None
    gives_up = True
    baud_rates: tuple[int, ...] = BAUD_RATES
    tried_rates: tuple[int, ...] = BAUD_RATES

    def __init__(self, series: Series) -> None:
        self.series = series
        self.turn = TURN if series is Series.STS else _SCS_TURN
        self.has_sync_read = series is Series.STS
        self._table = REGISTERS[series]
        self.measured = self._block("present_position", "present_temperature")
        self.surveyed = self._block("torque_enable", "present_temperature")
        self._form = _MEASURED[series]
        self._position = self._table["present_position"]
        self._velocity = self._table["present_velocity"]
        self._load = self._table["present_load"]

    def talk(self) -> FeetechTalk:
        """Return what follows a line."""
        return FeetechTalk()

    def ping(self, servo: int) -> Packet:
        """Return the request for a sign of life."""
        return packets.ping(servo)

    def read(self, servo: int, registers: RegisterRange) -> Packet:
        """Return the request to one servo."""
        return packets.read(servo, *registers)

    def sync_read(self, servos: Iterable[int], registers: RegisterRange) -> Packet:
        """Return the request to several servos."""
        return packets.sync_read(*registers, servos)

    def put(self, servo: int, register: str, value: int) -> Packet:
        """Return the instruction to write a number. Raises ValueError outside of its limits."""
        place = self._table[register]
        return packets.write(servo, place.address, place.encode(value, self.series))

    def goals(self, positions: Mapping[int, int]) -> Packet:
        """Return the instruction that sets goals."""
        place = self._table["goal_position"]
        values = {servo: place.encode(goal, self.series) for servo, goal in positions.items()}
        return packets.sync_write(place.address, values)

    def release(self, servos: Iterable[int]) -> Packet:
        """Return the instruction that switches torque off."""
        return release_of(self.series, list(servos))

    def errors(self, servo: BusServo, code: int) -> ServoFault:
        """Return what a status says is wrong."""
        return _FAULTS[code]

    def is_refusal(self, code: int) -> bool:
        """Return False: these servos do not say so."""
        return False

    def reading(self, servo: BusServo, data: bytes, now_s: float) -> ServoReading:
        """Return what a servo measures."""
        return self._measure(self.measured.address, data, now_s)

    def survey(self, servo: BusServo, data: bytes) -> SurveyedServo:
        """Return what a servo that was silent says."""
        has_torque = bool(self._number("torque_enable", data))
        writes: tuple[tuple[str, int], ...] = ()
        if "torque_limit" in self._table and servo.torque_limit is not None:
            wanted = round(1000 * servo.torque_limit)
            if self._number("torque_limit", data) != wanted:  # its power was away
                writes = (("torque_limit", wanted),)
        return SurveyedServo(has_torque, self._number("goal_position", data), writes)

    def survey_reading(self, servo: BusServo, data: bytes, now_s: float) -> ServoReading:
        """Return what it measures."""
        return self._measure(self.surveyed.address, data, now_s)

    def is_changed(self, servo: BusServo, data: bytes) -> bool:
        """Return False: what is measured says nothing of it."""
        return False

    def watch(self, servo: BusServo, data: bytes) -> bool:
        """Return True: nothing is watched."""
        return True

    def place(self, register: str) -> RegisterRange | None:
        """Return where a register is."""
        found = self._table.get(register)
        return RegisterRange(found.address, found.size) if found else None

    def number(self, register: str, data: bytes) -> int:
        """Return the number that a register's bytes are."""
        return self._table[register].decode(data, self.series)

    def model(self, number: int) -> str:
        """Return the name of a model."""
        return MODELS.get(number, str(number))

    def openers(self, servo: int) -> list[BusPacket]:
        """Return nothing: they always answer."""
        return []

    def restart(self, servo: int) -> Packet | None:
        """Return None: there is no such instruction."""
        return None

    def full_load(self, get: Callable[[str], int]) -> int:
        """Return what its load register says at full torque."""
        return _FULL_LOAD

    def configuration(self, get: Callable[[str], int]) -> dict[str, int]:
        """Return the EEPROM of a servo that answers at once and holds positions of one turn."""
        found = {"return_delay": 0, "operating_mode": 0}
        if self.series is Series.STS:
            found["phase"] = get("phase") & ~_PHASE_TURNS
        return found

    def _block(self, first: str, last: str) -> RegisterRange:
        start = self._table[first].address
        return RegisterRange(start, self._table[last].address + 1 - start)

    def _measure(self, start: int, data: bytes, now_s: float) -> ServoReading:
        at = self.measured.address - start
        position, velocity, load, voltage, celsius = self._form.unpack_from(data, at)
        return ServoReading(
            self._position.number(position),
            self._velocity.number(velocity),
            self._load.number(load) / _FULL_LOAD,
            voltage / 10,
            celsius,
            now_s,
        )

    def _number(self, register: str, data: bytes) -> int:
        """Return a register's number of a survey."""
        place = self._table[register]
        at = place.address - self.surveyed.address
        return place.decode(data[at : at + place.size], self.series)


def release_of(series: Series, servos: list[int]) -> Packet:
    """Return the packet that switches the torque of servos off."""
    place = REGISTERS[series]["torque_enable"]
    return packets.sync_write(place.address, dict.fromkeys(servos, b"\0"))
