"""A simulated motor controller between its serial line and the bodies: what it drives the motors
with, and what it is told about them. Not here: its packets (serial_peers.py).
"""

from pathlib import Path

from saint_services.lib.records import RecordReading, Records
from tools.sim.bodies.plant import Plant
from tools.sim.chips.roboclaw import RoboClawPeer, serial_file

_CHANNELS = 2


class Controller:
    """The controller on one port, seen from the side of its motors."""

    def __init__(self, directory: Path, port: str) -> None:
        path = directory / serial_file(port)
        self._peer = RoboClawPeer(path)
        self._records = Records(path.with_suffix(".outputs"), _CHANNELS)

    def output(self, channel: int) -> RecordReading:
        """The duty of motor 1 or 2, and since when; none after the controller's own time-out."""
        written = self._records.read(channel - 1)
        return RecordReading(self._peer.duty(channel), written.writes, written.stamp_ns)

    def feed(self, plant: Plant, device: str) -> None:
        """Tell it what its encoders count and what its motors take."""
        self._peer.feed_supply(plant.supply_v)
        for wheel in plant.wheels:
            if wheel.spec.device == device and wheel.spec.channel is not None:
                current_a = abs(wheel.motor.current_a)
                self._peer.feed(wheel.spec.channel, wheel.counted, current_a)

    def close(self) -> None:
        """Unmap; everything keeps its value."""
        self._peer.close()
        self._records.close()
