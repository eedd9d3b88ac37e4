"""Listens to what the transmitter's display shows of the robot. Not here: the frames
(telemetry.py).
"""

from ..lib.bus import Bus, Sample
from ..lib.clock import monotonic_s
from ..lib.generated.saint_msgs import RouterHeartbeat
from ..lib.generated.sensor_msgs import BatteryState
from ..lib.generated.topics import BATTERY, ROUTER_HEARTBEAT
from . import telemetry
from .reports import ReceiverSnapshot


class TransmitterDisplay:
    """Knows the newest of each."""

    def __init__(self, bus: Bus) -> None:
        self._robot = telemetry.DisplayedRobot()
        bus.subscribe(ROUTER_HEARTBEAT, self._on_heartbeat)
        bus.subscribe(BATTERY, self._on_battery)

    def frames(self, picture: ReceiverSnapshot, is_lost: bool) -> bytes:
        """What to send now."""
        now_s = monotonic_s()
        text = telemetry.word(self._robot, is_lost, picture.armed, picture.calibrating, now_s)
        return telemetry.frames(self._robot, text, now_s)

    def _on_heartbeat(self, sample: Sample[RouterHeartbeat]) -> None:
        self._robot.router_s = sample.received_s
        self._robot.is_stopped = sample.message.estop

    def _on_battery(self, sample: Sample[BatteryState]) -> None:
        self._robot.battery, self._robot.battery_s = sample.message, sample.received_s
