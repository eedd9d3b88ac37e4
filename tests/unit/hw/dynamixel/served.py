"""The core of a servo bus with simulated Dynamixels, without a line, and time by hand."""

from collections.abc import Iterable
from pathlib import Path

from saint_services.lib.hw.bus_servos.bus import ServoBus
from saint_services.lib.hw.bus_servos.port import BusServo, Torque
from saint_services.lib.hw.dynamixel.dialect import DynamixelDialect
from saint_services.lib.hw.dynamixel.packets import Order, XPacket, XPacketFinder
from tools.sim.chips.x_bus import XBusPeer
from tools.sim.chips.x_servo import SimXServo
from tools.sim.faults import Fault, FaultSwitch

_STEP_S = 0.005


class ServedDynamixels:
    """Servos, and what the core has sent to them."""

    def __init__(self, folder: Path, ids: Iterable[int] = range(1, 7)) -> None:
        self.now_s = 100.0
        self.sent: list[XPacket] = []
        self.faults: dict[int, FaultSwitch] = {}
        self.peer = XBusPeer(folder / "dynamixels-arm", ids)
        self.peer.clock_ns = lambda: int(self.now_s * 1e9)
        self.peer.switches = lambda: self.faults
        self._answers: list[bytes] = []
        servos = {servo: BusServo(servo, f"joint_{servo}", 0.5, 60) for servo in ids}
        self.core = ServoBus(servos, DynamixelDialect(), 1_000_000, self._send)

    def _send(self, data: bytes) -> None:
        self.sent += XPacketFinder().feed(data)
        self._answers.append(self.peer.received(data))

    def run(self, seconds: float) -> None:
        """Let time pass; answers arrive at once."""
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            self.core.step(self.now_s)
            while self._answers:
                self.core.received(self._answers.pop(0), self.now_s)
            self.now_s += _STEP_S

    def rouse(self) -> None:
        """Have torque on all servos."""
        for servo in self.core.servos.values():
            self.core.rouse(servo)
        self.run(0.5)
        assert all(servo.torque is Torque.ON for servo in self.core.servos.values())

    def aim(self, servo: int, ticks: int) -> None:
        """Set a goal."""
        self.core.aim(self.core.servos[servo], ticks, self.now_s)

    def position(self, servo: int) -> int:
        """Return where a servo is."""
        return self.servo(servo).position

    def servo(self, servo: int) -> SimXServo:
        """Return a simulated servo, at the present time."""
        found = self.peer.servo(servo)
        assert isinstance(found, SimXServo)
        return found

    def break_servo(self, servo: int, fault: Fault, value: float = 0.0) -> None:
        """Inject a fault."""
        self.faults[servo] = FaultSwitch(fault, value)

    def of(self, order: Order) -> list[XPacket]:
        """Return the packets with an instruction."""
        return [packet for packet in self.sent if packet.code == order]

    def written(self, servo: int) -> list[int]:
        """Return the addresses that were written to one servo alone, in their order."""
        writes = [each for each in self.of(Order.WRITE) if each.id == servo]
        return [int.from_bytes(each.parameters[:2], "little") for each in writes]
