"""What the transmitter's display shows of the robot: CRSF flight mode and battery frames. Pure."""

import struct
from dataclasses import dataclass
from math import isfinite

from ..lib.generated.sensor_msgs import BatteryState
from .protocols.crsf import crc8
from .protocols.crsf_telemetry import BATTERY, FLIGHT_MODE

SYNC = 0xC8
ROUTER_SILENT_S = 0.5  # ten heartbeats
BATTERY_OLD_S = 10.0
LONGEST_TEXT = 13  # what transmitters show


@dataclass(slots=True)
class DisplayedRobot:
    """What was last heard of it."""

    is_stopped: bool = False
    router_s: float = float("-inf")  # the router's last heartbeat
    battery: BatteryState | None = None
    battery_s: float = float("-inf")


def word(
    robot: DisplayedRobot, is_lost: bool, armed: bool | None, is_calibrating: bool, now_s: float
) -> str:
    """The robot's state in one word, the most urgent one."""
    if now_s - robot.router_s > ROUTER_SILENT_S:
        return "NO ROUTER"
    if robot.is_stopped:
        return "E-STOP"
    if is_calibrating:
        return "CALIBRATE"
    if is_lost:
        return "FAILSAFE"
    return "DISARMED" if armed is False else "OK"


def frames(robot: DisplayedRobot, text: str, now_s: float) -> bytes:
    """What to send now."""
    data = flight_mode(text)
    if robot.battery is not None and now_s - robot.battery_s < BATTERY_OLD_S:
        data += battery(robot.battery)
    return data


def flight_mode(text: str) -> bytes:
    """Type 0x21: a text that ends with NUL."""
    return _frame(FLIGHT_MODE, text.encode("ascii", "replace")[:LONGEST_TEXT] + b"\0")


def battery(state: BatteryState) -> bytes:
    """Type 0x08: 0.1 V, 0.1 A, mAh used, percent. What the battery does not tell is 0."""
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
