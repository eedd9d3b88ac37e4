"""Sets up the EEPROM of servos, and finds servos on a line: one instruction after the other, each
confirmed. Blocks: call it in a thread. EEPROM is written where it differs only, with torque off.
"""

import select
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...errors import Code, SaintError
from ..ports import ByteStream
from . import packets
from .dialogue import Dialogue
from .packets import MOST_ID, Packet, PacketFinder
from .registers import BAUD_RATES, REGISTERS, Series

_REPLY_S = 0.05
_SCAN_S = 0.02  # for each id: 253 of them are tried
_TRIES = 3
_PHASE_TURNS = 0x10  # of the phase register: positions beyond one turn are reported


@dataclass(frozen=True, slots=True)
class ServoSettings:
    """What is kept in a servo's EEPROM; None leaves what is there."""

    homing_offset: int | None = None
    min_position: int | None = None
    max_position: int | None = None
    max_temperature: int | None = None


class ServoSetup:
    """Reads and writes registers of servos by their names."""

    def __init__(self, port: ByteStream, series: Series, name: str) -> None:
        self._port = port
        self._series = series
        self._name = name
        self._table = REGISTERS[series]

    def has(self, register: str) -> bool:
        """Whether the series has a register."""
        return register in self._table

    def get(self, servo: int, register: str) -> int:
        """Return a register's number. Raises SaintError."""
        place = self._table[register]
        answer = self._confirmed(packets.read(servo, place.address, place.size), servo)
        return place.decode(answer.parameters, self._series)

    def put(self, servo: int, register: str, value: int) -> None:
        """Write a register's number. Raises SaintError."""
        place = self._table[register]
        data = place.encode(value, self._series)
        self._confirmed(packets.write(servo, place.address, data), servo)

    def save(self, servo: int, values: dict[str, int]) -> list[str]:
        """Write EEPROM where it differs, unlocked meanwhile; return what was written. A servo whose
        place would change loses its torque first: it would move else. Raises SaintError."""
        different = [
            (register, value)
            for register, value in values.items()
            if register in self._table and self.get(servo, register) != value
        ]
        if not different:
            return []
        if self.get(servo, "torque_enable"):
            self.put(servo, "torque_enable", 0)
        self.put(servo, "lock", 0)
        for register, value in different:
            if register == "id":
                self._rename(servo, value)
                servo = value
            else:
                self.put(servo, register, value)
        self.put(servo, "lock", 1)
        return [register for register, _ in different]

    def configure(self, servo: int, settings: ServoSettings) -> list[str]:
        """Set a servo up for a role: it answers at once, holds positions of one turn, and has these
        settings. Raises SaintError."""
        wanted: dict[str, int | None] = {
            "return_delay": 0,
            "operating_mode": 0,
            "homing_offset": settings.homing_offset,
            "min_position": settings.min_position,
            "max_position": settings.max_position,
            "max_temperature": settings.max_temperature,
        }
        if self._series is Series.STS:
            wanted["phase"] = self.get(servo, "phase") & ~_PHASE_TURNS
        return self.save(servo, {key: each for key, each in wanted.items() if each is not None})

    def is_there(self, servo: int, wait_s: float = _REPLY_S) -> bool:
        """Return whether a servo answers a ping."""
        return bool(self._exchange(packets.ping(servo), servo, wait_s))

    def scan(self, ids: Iterable[int] = range(MOST_ID)) -> Iterator[int]:
        """Yield the ids that answer."""
        for servo in ids:
            if self.is_there(servo, _SCAN_S):
                yield servo

    def rename(self, servo: int, wanted: int) -> None:
        """Give the servo another id, for which no other one must be on the line. Raises
        SaintError."""
        if servo != wanted and self.is_there(wanted):
            raise SaintError(
                Code.CONFLICT,
                f"{self._name}: a servo with id {wanted} is there already",
                fix="Connect one servo alone while it gets its id.",
            )
        self.save(servo, {"id": wanted})

    def set_baud(self, servo: int, baud: int) -> None:
        """Have a servo listen at another rate from now on; its EEPROM is left unlocked. The answer
        may come at either rate, so none is needed. Raises SaintError."""
        if baud not in BAUD_RATES:
            known = ", ".join(map(str, BAUD_RATES))
            raise SaintError(
                Code.REQUEST_INVALID, f"{baud} baud is no rate of these servos", fix=known
            )
        self.put(servo, "lock", 0)
        place = self._table["baud_rate"]
        data = place.encode(BAUD_RATES.index(baud), self._series)
        self._exchange(packets.write(servo, place.address, data), servo, _REPLY_S)

    def _rename(self, servo: int, wanted: int) -> None:
        """Write an id. Whether the status has the old one or the new differs, so none is needed."""
        place = self._table["id"]
        data = place.encode(wanted, self._series)
        self._exchange(packets.write(servo, place.address, data), servo, _REPLY_S)
        if not any(self.is_there(wanted) for _ in range(_TRIES)):
            raise SaintError(
                Code.HARDWARE_FAULT,
                f"{self._name}: servo {servo} did not become {wanted}",
                fix="Find it with saintctl arm status PORT.",
            )

    def _confirmed(self, packet: Packet, servo: int) -> Packet:
        for _ in range(_TRIES):
            answer = self._exchange(packet, servo, _REPLY_S)
            if answer is not None:
                return answer
        raise SaintError(
            Code.HARDWARE_MISSING,
            f"{self._name}: servo {servo} does not answer",
            fix="Check power, cable, id and baud rate of the servo.",
        )

    def _exchange(self, packet: Packet, servo: int, wait_s: float) -> Packet | None:
        """Send an instruction; return the status of the servo that it names."""
        self._port.read()  # what is late belongs to an instruction before
        finder, dialogue = PacketFinder(), Dialogue()
        dialogue.follow(packet)
        self._port.write(packet.encoded())
        end_s = time.monotonic() + wait_s
        while (left_s := end_s - time.monotonic()) > 0:
            if not select.select([self._port.fileno()], [], [], left_s)[0]:
                break
            for found in finder.feed(self._port.read()):
                answer = dialogue.follow(found)
                if answer and answer.status.id == servo:
                    return answer.status
        return None
