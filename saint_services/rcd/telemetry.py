"""Encodes the robot's state for the transmitter's display: CRSF frames with state, battery, speed
and attitude, and the values that an IBUS receiver polls. GPS is not sent, as the robot has none;
the radio link is shown by the transmitter itself.
"""

import struct
from dataclasses import dataclass
from math import atan2, cos, hypot, isfinite, sin

from ..lib.bus import Bus, Sample
from ..lib.clock import monotonic_s
from ..lib.generated.nav_msgs import Odometry
from ..lib.generated.saint_msgs import RouterHeartbeat
from ..lib.generated.sensor_msgs import BatteryState, Imu
from ..lib.generated.topics import BATTERY as BATTERY_TOPIC
from ..lib.generated.topics import HEAD_IMU, ROUTER_HEARTBEAT, TRACKS_ODOM
from .protocols.crsf import crc8
from .protocols.crsf_telemetry import ATTITUDE, BATTERY, FLIGHT_MODE
from .reports import ReceiverSnapshot

SYNC = 0xC8
ROUTER_TIMEOUT_S = 0.5  # ten heartbeats
BATTERY_OLD_S = 10.0
MOTION_OLD_S = 1.0
SPEED = 0x0A  # airspeed: the one speed that needs no GPS
LONGEST_TEXT = 13  # what transmitters show
REST_MPS2 = (8.0, 12.0)  # the sensor shows gravity, hardly any motion
_NO_BATTERY = BatteryState()


@dataclass(slots=True)
class DisplayedRobot:
    """State of the robot as last received."""

    is_stopped: bool = False
    router_s: float = float("-inf")  # the router's last heartbeat
    battery: BatteryState | None = None
    battery_s: float = float("-inf")
    odometry: Odometry | None = None
    odometry_s: float = float("-inf")
    imu: Imu | None = None
    imu_s: float = float("-inf")

    def fresh_battery(self, now_s: float) -> BatteryState | None:
        return self.battery if now_s - self.battery_s < BATTERY_OLD_S else None

    def speed_mps(self, now_s: float) -> float | None:
        """Return the speed along the ground; None while it is not known."""
        if self.odometry is None or now_s - self.odometry_s >= MOTION_OLD_S:
            return None
        linear = self.odometry.twist.twist.linear
        return hypot(linear.x, linear.y)


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
    state, speed = robot.fresh_battery(now_s), robot.speed_mps(now_s)
    if state is not None:
        data += battery(state)
    if speed is not None:
        data += _frame(SPEED, struct.pack(">H", _whole(speed * 36, 0xFFFF)))  # 0.1 km/h
    if robot.imu is not None and now_s - robot.imu_s < MOTION_OLD_S:
        data += attitude(robot.imu, robot.odometry if speed is not None else None)
    return data


def attitude(imu: Imu, odometry: Odometry | None) -> bytes:
    """Encode type 0x1E: pitch and roll by gravity, yaw by odometry (0 without), 100 urad each.
    Empty while the sensor moves too much to show gravity.
    """
    force = imu.linear_acceleration
    strength = hypot(force.x, force.y, force.z)
    if not REST_MPS2[0] <= strength <= REST_MPS2[1]:
        return b""
    pitch, roll = atan2(-force.x, hypot(force.y, force.z)), atan2(force.y, force.z)
    yaw = 0.0
    if odometry is not None:
        turn = odometry.pose.pose.orientation
        yaw = 2.0 * atan2(turn.z, turn.w)
    # North-east-down of a transmitter: nose up and right turns are positive.
    angles = [_angle(each) for each in (-pitch, roll, -yaw)]
    return _frame(ATTITUDE, struct.pack(">hhh", *angles))


def _angle(rad: float) -> int:
    turned = atan2(sin(rad), cos(rad)) if isfinite(rad) else 0.0
    return max(-31416, min(31416, round(turned * 10_000)))


def sensors(robot: DisplayedRobot, text: str, now_s: float) -> tuple[int, ...]:
    """Return the values of IBUS's sensors, in the order of SENSORS; 0 for what is not known."""
    state, speed = robot.fresh_battery(now_s) or _NO_BATTERY, robot.speed_mps(now_s) or 0.0
    return (
        _whole(state.voltage * 100, 0xFFFF),
        _whole(abs(state.current) * 100, 0xFFFF),
        _whole(state.percentage * 100, 100),
        _whole(speed * 100, 0xFFFF),
        int(text == "OK"),
    )


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
        self._polled = (
            bus.poll(ROUTER_HEARTBEAT, self._on_heartbeat, depth=1),
            bus.poll(TRACKS_ODOM, self._on_odometry, depth=1),
            bus.poll(HEAD_IMU, self._on_imu, depth=1),
        )
        bus.subscribe(BATTERY_TOPIC, self._on_battery)

    def frames(self, picture: ReceiverSnapshot, is_lost: bool) -> bytes:
        """Encode the frames to send now."""
        now_s = monotonic_s()
        return encode(self._robot, self._state(picture, is_lost, now_s), now_s)

    def sensor_values(self, picture: ReceiverSnapshot, is_lost: bool) -> tuple[int, ...]:
        """Return the values for a receiver that polls."""
        now_s = monotonic_s()
        return sensors(self._robot, self._state(picture, is_lost, now_s), now_s)

    def _state(self, picture: ReceiverSnapshot, is_lost: bool, now_s: float) -> str:
        for topic in self._polled:
            topic.read()
        return state_word(self._robot, is_lost, picture.armed, picture.calibrating, now_s)

    def _on_odometry(self, sample: Sample[Odometry]) -> None:
        self._robot.odometry, self._robot.odometry_s = sample.message, sample.received_s

    def _on_imu(self, sample: Sample[Imu]) -> None:
        self._robot.imu, self._robot.imu_s = sample.message, sample.received_s

    def _on_heartbeat(self, sample: Sample[RouterHeartbeat]) -> None:
        # The time of sending: a heartbeat of a router that has died since may have waited.
        self._robot.router_s = sample.received_s - max(0.0, sample.age_s)
        self._robot.is_stopped = sample.message.estop

    def _on_battery(self, sample: Sample[BatteryState]) -> None:
        self._robot.battery, self._robot.battery_s = sample.message, sample.received_s
