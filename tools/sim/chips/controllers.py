"""Connects a simulated motor controller with the bodies: duties to motors, counts and currents
back. Not here: its packets (roboclaw.py).
"""

from collections.abc import Mapping
from pathlib import Path

from saint_services.lib.records import RecordReading, Records
from saint_services.lib.role_config.devices import CanDevice, SerialDevice
from tools.sim.bodies.plant import Plant
from tools.sim.chips.roboclaw import RoboClawPeer, serial_file
from tools.sim.chips.vesc import SimVesc

_CHANNELS = 2


class Controller:
    """Motor side of the controller on one port."""

    def __init__(self, directory: Path, port: str) -> None:
        path = directory / serial_file(port)
        self._peer = RoboClawPeer(path)
        self._records = Records(path.with_suffix(".outputs"), _CHANNELS)

    def output(self, channel: int) -> RecordReading:
        """Return the duty of motor 1 or 2 and its time; zero after the controller's time-out."""
        written = self._records.read(channel - 1)
        return RecordReading(self._peer.duty(channel), written.writes, written.stamp_ns)

    def feed(self, plant: Plant, device: str) -> None:
        """Update encoder counts, currents and supply."""
        self._peer.feed_supply(plant.supply_v)
        for wheel in plant.wheels:
            if wheel.spec.device == device and wheel.spec.channel is not None:
                current_a = abs(wheel.motor.current_a)
                self._peer.feed(wheel.spec.channel, wheel.counted, current_a)

    def close(self) -> None:
        """Unmap all files, which keep their values."""
        self._peer.close()
        self._records.close()


def controllers_of(
    directory: Path, lines: Mapping[str, SerialDevice], nodes: Mapping[str, CanDevice]
) -> dict[str, Controller | SimVesc]:
    """Open the controllers of a role by the names of its devices."""
    found: dict[str, Controller | SimVesc] = {
        name: Controller(directory, line.port)
        for name, line in lines.items()
        if line.driver == "roboclaw"
    }
    for name, node in nodes.items():
        if node.driver != "vesc":
            continue
        found[name] = SimVesc(directory, node.port, node.id)
    return found
