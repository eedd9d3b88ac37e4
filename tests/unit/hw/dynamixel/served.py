"""The core of a servo bus with simulated Dynamixels."""

from collections.abc import Iterable
from pathlib import Path

from saint_services.lib.hw.dynamixel.dialect import DynamixelDialect
from saint_services.lib.hw.dynamixel.packets import Order, XPacket, XPacketFinder
from tests.unit.hw.served_bus import ServedBus
from tools.sim.chips.x_bus import XBusPeer
from tools.sim.chips.x_servo import SimXServo


class ServedDynamixels(ServedBus[XPacket]):
    """Servos of the X series."""

    def __init__(self, folder: Path, ids: Iterable[int] = range(1, 7)) -> None:
        peer = XBusPeer(folder / "dynamixels-arm", ids)
        super().__init__(peer, ids, DynamixelDialect(), XPacketFinder)

    def servo(self, servo: int) -> SimXServo:
        """Return a simulated servo, at the present time."""
        found = self.peer.servo(servo)
        assert isinstance(found, SimXServo)
        return found

    def of(self, order: Order) -> list[XPacket]:
        """Return the packets with an instruction."""
        return [packet for packet in self.sent if packet.code == order]

    def written(self, servo: int) -> list[int]:
        """Return the addresses that were written to one servo alone, in their order."""
        writes = [each for each in self.of(Order.WRITE) if each.id == servo]
        return [int.from_bytes(each.parameters[:2], "little") for each in writes]
