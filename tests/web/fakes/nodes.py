"""Headers of the fake robot's nodes: the reply of each to a request for its pins."""

from collections.abc import Callable

from saint_services.lib.bus import Bus
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import (
    GPIOPin,
    GPIOProbe_Request,
    GPIOProbe_Response,
    NodeGPIOStatus,
    PeripheralInfo,
)
from saint_services.lib.hw.pins.header import whole_header

CHIPS = (
    PeripheralInfo("i2c", "1:0x40", "PCA9685 or INA219?", True),
    PeripheralInfo("i2c", "1:0x3c", "SSD1306?", True),
    PeripheralInfo("spi", "0.0", "chip select; SPI cannot detect a chip", False),
)
SERVOS = {12: ("pan", 7), 13: ("tilt", 6)}


class FakeHeaders:
    """Answers for all nodes; tests change what they have."""

    def __init__(self, bus: Bus, is_online: Callable[[str], bool]) -> None:
        self._bus = bus
        self._is_online = is_online
        self.chips: tuple[PeripheralInfo, ...] = CHIPS
        self.held: dict[int, str] = {}  # BCM number -> who else holds it
        self.asked: list[str] = []

    def serve(self, node_ids: list[str]) -> None:
        """From now on."""
        for node_id in node_ids:
            self._bus.serve(topics.NODE_GPIO_PROBE.at(node_id=node_id), self._probe)

    async def _probe(self, request: GPIOProbe_Request) -> GPIOProbe_Response:
        self.asked.append(request.node_id)
        if not self._is_online(request.node_id):
            return GPIOProbe_Response(False, "it is away", NodeGPIOStatus())
        status = NodeGPIOStatus(
            node_id=request.node_id,
            hardware_rev="c03114",
            firmware_version="0.1.0",
            pins=tuple(whole_header(self._lines(request.node_id))),
            peripherals=self.chips,
            cpu_temp=41.5,
            cpu_usage=18.0,
            memory_usage=31.0,
            uptime_seconds=51_200,
        )
        return GPIOProbe_Response(True, "", status)

    def _lines(self, node_id: str) -> list[GPIOPin]:
        lines = [
            GPIOPin(bcm, f"GPIO{bcm}", "output", "low", True, by) for bcm, by in self.held.items()
        ]
        if node_id == "sim_head":
            lines += [
                GPIOPin(bcm, f"GPIO{bcm}", "pwm", f"pwm_{duty}", True, name)
                for bcm, (name, duty) in SERVOS.items()
            ]
        lines.append(GPIOPin(26, "GPIO26", "input", "high", True, "reset button"))
        return lines
