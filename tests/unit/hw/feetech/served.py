"""The core of a servo bus with simulated servos of Feetech."""

from collections.abc import Iterable
from pathlib import Path

from saint_services.lib.hw.feetech.dialect import FeetechDialect
from saint_services.lib.hw.feetech.packets import Code, Packet, PacketFinder
from saint_services.lib.hw.feetech.registers import Series
from tests.unit.hw.served_bus import ServedBus
from tools.sim.chips.servo_bus import ServoBusPeer


class ServedServos(ServedBus[Packet]):
    """Servos of one series."""

    def __init__(
        self, folder: Path, ids: Iterable[int] = range(1, 7), series: Series = Series.STS
    ) -> None:
        peer = ServoBusPeer(folder / "servos", ids, series)
        super().__init__(peer, ids, FeetechDialect(series), PacketFinder)

    def of(self, code: Code) -> list[Packet]:
        """Return the packets with an instruction."""
        return [packet for packet in self.sent if packet.code == code]
