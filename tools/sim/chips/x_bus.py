"""Model of a line with Dynamixels of the X series, byte for byte. Not here: a servo (x_servo.py),
the line itself (servo_bus.py).
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from saint_services.lib.hw.bus_servos.finder import PacketSearch
from saint_services.lib.hw.bus_servos.port import RegisterBlock
from saint_services.lib.hw.dynamixel.packets import (
    ALERT,
    BROADCAST,
    Order,
    XPacket,
    XPacketFinder,
    XRefusal,
    block_of,
    status,
)
from saint_services.lib.hw.feetech.registers import Series
from tools.sim.chips.bus_servo import SimBusServo
from tools.sim.chips.servo_bus import X_PREFIX, ServoBusPeer, TimedReply
from tools.sim.chips.x_servo import BYTES, SimXServo
from tools.sim.faults import FaultSwitch


class XBusPeer(ServoBusPeer):
    """All servos of one line."""

    servo_bytes = BYTES

    def _make_finder(self) -> PacketSearch[Any]:
        return XPacketFinder()

    def _at(self, slot: int) -> SimXServo:
        start = slot * self._slot
        return SimXServo(self._memory[start + 8 : start + 8 + BYTES])

    def _replies_to(self, packet: Any, switches: Mapping[int, FaultSwitch]) -> Iterator[TimedReply]:
        if packet.code == Order.STATUS:
            return
        for servo in self._all():
            servo.note_instruction()
        block = block_of(packet)
        for named in self._order(packet, block):
            for found in self._listening(named, switches):
                assert isinstance(found, SimXServo)
                if found.is_away:
                    continue
                answer = self._obeyed(found, packet, block, named)
                if answer is not None:
                    yield from self._reply(found, named, answer, switches.get(named))

    def _all(self) -> list[SimXServo]:
        return [servo for servo in self.servos if isinstance(servo, SimXServo)]

    def _order(self, packet: XPacket, block: RegisterBlock | None) -> Iterable[int]:
        if packet.id != BROADCAST:
            return (packet.id,)
        if packet.code in (Order.SYNC_READ, Order.SYNC_WRITE):
            return block.servos if block else ()
        return [servo.get("id") for servo in self.servos]

    def _obeyed(
        self, servo: SimXServo, packet: XPacket, block: RegisterBlock | None, named: int
    ) -> bytes | None:
        """Carry an instruction out; return error and data of the status, None for no status."""
        level = servo.get("status_return_level")
        is_acknowledged = packet.id != BROADCAST and level == 2
        match packet.code:
            case Order.PING:
                return bytes((0, *servo.load_bytes(0, 2), servo.get("firmware")))
            case Order.READ | Order.SYNC_READ if block:
                is_read = packet.id != BROADCAST or packet.code == Order.SYNC_READ
                data = servo.load_bytes(block.address, block.length)
                return bytes((0,)) + data if is_read and level else None
            case Order.WRITE | Order.SYNC_WRITE if block:
                data = block.data.get(named, block.data.get(packet.id, b""))
                error = servo.write(block.address, data)
                return bytes((error,)) if is_acknowledged else None
            case Order.REBOOT:
                servo.reboot()
                return bytes((0,)) if is_acknowledged else None
        return bytes((XRefusal.INSTRUCTION,)) if is_acknowledged else None

    def _status(self, servo: SimBusServo, named: int, data: bytes) -> bytes:
        assert isinstance(servo, SimXServo)
        alert = ALERT if servo.hardware_error else 0
        return status(named, data[0] | alert, data[1:]).encoded()


def peer_of(path: Path, ids: Iterable[int] = (), protocol: str = "sts") -> ServoBusPeer:
    """Return the servos of a file; its name says whose they are."""
    if path.name.startswith(X_PREFIX):
        return XBusPeer(path, ids)
    return ServoBusPeer(path, ids, Series(protocol))
