"""Distinguishes instructions and statuses on the one wire of a servo bus, which have the same form:
a status is what answers. Pure.
"""

from dataclasses import dataclass
from typing import NamedTuple

from .packets import BROADCAST, Code, Packet, block_of

# Answered with an empty status by the servo that they name.
_ACKNOWLEDGED = (Code.WRITE, Code.REG_WRITE, Code.ACTION, Code.RESET)


class Awaited(NamedTuple):
    """An answer that is awaited: to which instruction, with how many bytes."""

    instruction: Packet
    length: int


@dataclass(frozen=True, slots=True)
class ServoAnswer:
    """A status, and the instruction that it answers."""

    status: Packet
    instruction: Packet


class Dialogue:
    """Follows the packets of one bus in their order."""

    def __init__(self) -> None:
        self._awaited: dict[int, Awaited] = {}
        self._roll_call: Packet | None = None  # a ping of all servos
        self._answered: set[int] = set()  # it

    def follow(self, packet: Packet) -> ServoAnswer | None:
        """Return the answer that a packet is; None for an instruction. What is a copy of the
        instruction that waits for its answer is its echo on the wire."""
        awaited = self._awaited_of(packet.id)
        if awaited and len(packet.parameters) == awaited.length and packet != awaited.instruction:
            self._awaited.pop(packet.id, None)
            self._answered.add(packet.id)
            return ServoAnswer(packet, awaited.instruction)
        self._instructed(packet)
        return None

    @property
    def missing(self) -> list[int]:
        """The servos whose answer is awaited."""
        return list(self._awaited)

    def _awaited_of(self, servo: int) -> Awaited | None:
        if awaited := self._awaited.get(servo):
            return awaited
        if self._roll_call and servo != BROADCAST and servo not in self._answered:
            return Awaited(self._roll_call, 0)
        return None

    def _instructed(self, packet: Packet) -> None:
        self._roll_call, self._answered = None, set()
        if packet.code == Code.PING and packet.id == BROADCAST:
            self._roll_call = packet
        elif packet.code == Code.SYNC_READ and (block := block_of(packet)):
            self._awaited |= dict.fromkeys(block.servos, Awaited(packet, block.length))
        elif packet.id == BROADCAST:
            return
        elif packet.code == Code.READ and (block := block_of(packet)):
            self._awaited[packet.id] = Awaited(packet, block.length)
        elif packet.code == Code.PING or packet.code in _ACKNOWLEDGED:
            self._awaited[packet.id] = Awaited(packet, 0)
