"""Sets up the EEPROM of servos, and finds servos on a line: one instruction after the other, each
confirmed. Blocks: call it in a thread. EEPROM is written where it differs only, with torque off.
"""

import select
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from ...errors import Code, SaintError
from ..ports import ByteStream
from .port import BusPacket, ServoDialect, ServoStatus

_REPLY_S = 0.05
_SCAN_S = 0.02  # for each id: 253 of them are tried
_TRIES = 3
_RESTART_S = 3.0


@dataclass(frozen=True, slots=True)
class ServoSettings:
    """What is kept in a servo's EEPROM; None leaves what is there."""

    homing_offset: int | None = None
    min_position: int | None = None
    max_position: int | None = None
    max_temperature: int | None = None


class ServoSetup:
    """Reads and writes registers of servos by their names."""

    def __init__(self, port: ByteStream, dialect: ServoDialect, name: str) -> None:
        self._port = port
        self._dialect = dialect
        self._name = name

    def has(self, register: str) -> bool:
        """Whether the series has a register."""
        return self._dialect.place(register) is not None

    def get(self, servo: int, register: str) -> int:
        """Return a register's number. Raises SaintError."""
        place = self._dialect.place(register)
        assert place, register
        answer = self._confirmed(self._dialect.read(servo, place), servo)
        return self._dialect.number(register, answer.data)

    def model(self, servo: int) -> str:
        """Return the name of its model. Raises SaintError."""
        return self._dialect.model(self.get(servo, "model"))

    def load(self, servo: int) -> float:
        """Return the share of its full torque that it needs. Raises SaintError."""
        full = self._dialect.full_load(partial(self.get, servo))
        return self.get(servo, "present_load") / full

    def put(self, servo: int, register: str, value: int) -> None:
        """Write a register's number. Raises SaintError."""
        self._confirmed(self._dialect.put(servo, register, value), servo)

    def save(self, servo: int, values: dict[str, int]) -> list[str]:
        """Write EEPROM where it differs, unlocked meanwhile; return what was written. A servo whose
        place would change loses its torque first: it would move else. Raises SaintError."""
        different = [
            (register, value)
            for register, value in values.items()
            if self.has(register) and self.get(servo, register) != value
        ]
        if not different:
            return []
        if self.get(servo, "torque_enable"):
            self.put(servo, "torque_enable", 0)
        if self.has("lock"):
            self.put(servo, "lock", 0)
        for register, value in different:
            if register == "id":
                self._rename(servo, value)
                servo = value
            else:
                self.put(servo, register, value)
        if self.has("lock"):
            self.put(servo, "lock", 1)
        return [register for register, _ in different]

    def configure(self, servo: int, settings: ServoSettings) -> list[str]:
        """Set a servo up for a role: it answers at once, holds positions of one turn, and has these
        settings. Raises SaintError."""
        for packet in self._dialect.openers(servo):
            self._exchange(packet, servo, _REPLY_S)
        is_at_fault = self.has("hardware_error") and self.get(servo, "hardware_error")
        if is_at_fault and not self.get(servo, "torque_enable"):  # with torque it would fall
            self.restart(servo)
        get = partial(self.get, servo)
        wanted: dict[str, int | None] = {
            **self._dialect.configuration(get),
            "homing_offset": settings.homing_offset,
            "min_position": settings.min_position,
            "max_position": settings.max_position,
            "max_temperature": settings.max_temperature,
        }
        return self.save(servo, {key: each for key, each in wanted.items() if each is not None})

    def restart(self, servo: int) -> None:
        """Restart a servo that has shut itself down; it has no torque after it. Raises
        SaintError."""
        packet = self._dialect.restart(servo)
        if packet is None:
            raise SaintError(
                Code.REQUEST_INVALID,
                f"{self._name}: these servos have no restart",
                fix="Switch their supply off and on.",
            )
        self._confirmed(packet, servo)
        end_s = time.monotonic() + _RESTART_S
        while not self.is_there(servo):
            if time.monotonic() > end_s:
                raise self._silent(servo)

    def is_there(self, servo: int, wait_s: float = _REPLY_S) -> bool:
        """Return whether a servo answers a ping."""
        return bool(self._exchange(self._dialect.ping(servo), servo, wait_s))

    def scan(self, ids: Iterable[int] | None = None) -> Iterator[int]:
        """Yield the ids that answer."""
        for servo in range(self._dialect.most_id + 1) if ids is None else ids:
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
        rates = self._dialect.baud_rates
        if baud not in rates:
            known = ", ".join(map(str, rates))
            raise SaintError(
                Code.REQUEST_INVALID, f"{baud} baud is no rate of these servos", fix=known
            )
        if self.has("lock"):
            self.put(servo, "lock", 0)
        packet = self._dialect.put(servo, "baud_rate", rates.index(baud))
        self._exchange(packet, servo, _REPLY_S)

    def _rename(self, servo: int, wanted: int) -> None:
        """Write an id. Whether the status has the old one or the new differs, so none is needed."""
        self._exchange(self._dialect.put(servo, "id", wanted), servo, _REPLY_S)
        if not any(self.is_there(wanted) for _ in range(_TRIES)):
            raise SaintError(
                Code.HARDWARE_FAULT,
                f"{self._name}: servo {servo} did not become {wanted}",
                fix="Find it with saintctl arm status PORT.",
            )

    def _confirmed(self, packet: BusPacket, servo: int) -> ServoStatus:
        for _ in range(_TRIES):
            answer = self._exchange(packet, servo, _REPLY_S)
            if answer is None:
                continue
            if self._dialect.is_refusal(answer.code):
                raise SaintError(
                    Code.HARDWARE_FAULT,
                    f"{self._name}: servo {servo} refuses a request",
                    fix="Look at its model, its limits and its mode in the maker's program.",
                )
            return answer
        raise self._silent(servo)

    def _silent(self, servo: int) -> SaintError:
        return SaintError(
            Code.HARDWARE_MISSING,
            f"{self._name}: servo {servo} does not answer",
            fix="Check power, cable, id and baud rate of the servo.",
        )

    def _exchange(self, packet: BusPacket, servo: int, wait_s: float) -> ServoStatus | None:
        """Send an instruction; return the status of the servo that it names."""
        self._port.read()  # what is late belongs to an instruction before
        talk = self._dialect.talk()
        talk.request(packet)
        self._port.write(packet.encoded())
        end_s = time.monotonic() + wait_s
        while (left_s := end_s - time.monotonic()) > 0:
            if not select.select([self._port.fileno()], [], [], left_s)[0]:
                break
            for status in talk.received(self._port.read()):
                if status.is_answer and status.id == servo:
                    return status
        return None
