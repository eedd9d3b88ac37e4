"""The core of a servo bus with simulated servos of some maker, without a line, and time by hand."""

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from saint_services.lib.hw.bus_servos.bus import ServoBus
from saint_services.lib.hw.bus_servos.finder import PacketSearch
from saint_services.lib.hw.bus_servos.port import BusServo, ServoDialect, Torque
from tools.sim.faults import Fault, FaultSwitch

P = TypeVar("P")
_STEP_S = 0.005
_RISING_S = 0.5


class ServedBus(Generic[P]):
    """Servos, and what the core has sent to them; `finder` makes the search for packets."""

    def __init__(
        self, peer: Any, ids: Iterable[int], dialect: ServoDialect, finder: type[PacketSearch[P]]
    ) -> None:
        self.now_s = 100.0
        self.sent: list[P] = []
        self.faults: dict[int, FaultSwitch] = {}
        self.peer = peer
        self.peer.clock_ns = lambda: int(self.now_s * 1e9)
        self.peer.switches = lambda: self.faults
        self._finder = finder
        self._answers: list[bytes] = []
        servos = {servo: BusServo(servo, f"joint_{servo}", 0.5, 60) for servo in ids}
        self.core = ServoBus(servos, dialect, 1_000_000, self._send)

    def _send(self, data: bytes) -> None:
        self.sent += self._finder().feed(data)
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
        self.run(_RISING_S)
        assert all(servo.torque is Torque.ON for servo in self.core.servos.values())

    def aim(self, servo: int, ticks: int) -> None:
        """Set a goal."""
        self.core.aim(self.core.servos[servo], ticks, self.now_s)

    def position(self, servo: int) -> int:
        """Return where a servo is."""
        return int(self.peer.servo(servo).position)

    def break_servo(self, servo: int, fault: Fault, value: float = 0.0) -> None:
        """Inject a fault."""
        self.faults[servo] = FaultSwitch(fault, value)
