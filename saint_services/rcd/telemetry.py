"""Encodes the robot's state for the transmitter's display: CRSF flight mode and battery frames."""

import struct
from dataclasses import dataclass
from math import isfinite

from ..lib.bus import Bus, Sample
from ..lib.clock import monotonic_s
from ..lib.generated.saint_msgs import RouterHeartbeat
from ..lib.generated.sensor_msgs import BatteryState
from ..lib.generated.topics import BATTERY as BATTERY_TOPIC
from ..lib.generated.topics import ROUTER_HEARTBEAT
from .protocols.crsf import crc8
from .protocols.crsf_telemetry import BATTERY, FLIGHT_MODE
from .reports import ReceiverSnapshot

SYNC = 0xC8
ROUTER_TIMEOUT_S = 0.5  # ten heartbeats
BATTERY_OLD_S = 10.0
LONGEST_TEXT = 13  # what transmitters show


@dataclass(slots=True)
class DisplayedRobot:
    """State of the robot as last received."""

    is_stopped: bool = False
    router_s: float = float("-inf")  # the router's last heartbeat
    battery: BatteryState | None = None
    battery_s: float = float("-inf")


def state_word(
    robot: DisplayedRobot, is_lost: bool, armed: bool | None, is_calibrating: bool, now_s: float
) -> str:
    """Return the robot's most urgent state in a word."""
    if now_s - robot.router_s > ROUTER_TIMEOUT_S:
        return "NO ROUTER"
    if robot.is_stopped:
        return "E-STOP"
    if is_calibrating:
        return "CALIBRATE"
    if is_lost:
        return "FAILSAFE"
    return "DISARMED" if armed is False else "OK"


def encode(robot: DisplayedRobot, text: str, now_s: float) -> bytes:
    """Encode the text, and the battery while its state is fresh."""
    data = flight_mode(text)
    if robot.battery is not None and now_s - robot.battery_s < BATTERY_OLD_S:
        data += battery(robot.battery)
    return data


def flight_mode(text: str) -> bytes:
    """Encode type 0x21: a text that ends with NUL."""
    return _frame(FLIGHT_MODE, text.encode("ascii", "replace")[:LONGEST_TEXT] + b"\0")


def battery(state: BatteryState) -> bytes:
    """Encode type 0x08: 0.1 V, 0.1 A, mAh used, percent; 0 for values that are unknown."""
    used_ah = state.capacity - state.charge
    return _frame(
        BATTERY,
        struct.pack(
            ">HH", _whole(state.voltage * 10, 0xFFFF), _whole(abs(state.current) * 10, 0xFFFF)
        )
        + _whole(used_ah * 1000, 0xFFFFFF).to_bytes(3, "big")
        + bytes([_whole(state.percentage * 100, 100)]),
    )


def _whole(value: float, largest: int) -> int:
    return min(max(round(value), 0), largest) if isfinite(value) else 0


def _frame(kind: int, payload: bytes) -> bytes:
    body = bytes([kind]) + payload
    return bytes([SYNC, len(body) + 1]) + body + bytes([crc8(body)])


class TransmitterDisplay:
    """Collects the newest heartbeat and battery state, and encodes them for the transmitter."""

    def __init__(self, bus: Bus) -> None:
        self._robot = DisplayedRobot()
        # Read when the display is written: 20 heartbeats a second would wake an idle process.
        self._heartbeats = bus.poll(ROUTER_HEARTBEAT, self._on_heartbeat, depth=1)
        bus.subscribe(BATTERY_TOPIC, self._on_battery)

    def frames(self, picture: ReceiverSnapshot, is_lost: bool) -> bytes:
        """Encode the frames to send now."""
        self._heartbeats.read()
        now_s = monotonic_s()
        text = state_word(self._robot, is_lost, picture.armed, picture.calibrating, now_s)
        return encode(self._robot, text, now_s)

    def _on_heartbeat(self, sample: Sample[RouterHeartbeat]) -> None:
        # The time of sending: a heartbeat of a router that has died since may have waited.
        self._robot.router_s = sample.received_s - max(0.0, sample.age_s)
        self._robot.is_stopped = sample.message.estop

    def _on_battery(self, sample: Sample[BatteryState]) -> None:
        self._robot.battery, self._robot.battery_s = sample.message, sample.received_s
