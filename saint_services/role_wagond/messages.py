"""Builds the messages of the wagon for ROS 2 and for people. Not here: odometry
(lib/role/motion/odometry_messages.py).
"""

from collections.abc import Sequence
from math import cos, nan, radians, sin

from saint_services.lib.bus.names import frame
from saint_services.lib.generated.builtin_interfaces import Time
from saint_services.lib.generated.geometry_msgs import Quaternion, Vector3
from saint_services.lib.generated.saint_msgs import WagonState as WagonStateMessage
from saint_services.lib.generated.sensor_msgs import BatteryState, Imu
from saint_services.lib.generated.std_msgs import Header
from saint_services.lib.wagon.can_frames import (
    FULL_SPEED,
    NO_SIGNAL_DBM,
    WagonAttitude,
    WagonPower,
    WagonReceivers,
)
from saint_services.lib.wagon.meanings import (
    BATTERY_CELLS,
    BATTERY_EMPTY_MV,
    BATTERY_HIGH_MV,
    FULL_SPEED_MPS,
    FULL_TURN_RADPS,
    FlagsOfAttitude,
    WagonMode,
    fault_text,
)

from .adapters import BoardLine
from .logic import WagonHost
from .motors import MotorReading

_FRAME = frame("base_link")  # the board is fixed to the base
_UNKNOWN = 1e6  # variance of angles that the board does not report
_PITCH, _TURNING = 1e-3, 1e-2  # variances: about 2 degrees, 6 degrees per second
_NOT_MEASURED = (-1.0, *(0.0,) * 8)  # sensor_msgs/Imu: no such measurement
# Constants of sensor_msgs/BatteryState.
_DISCHARGING, _HEALTH_GOOD, _OVERVOLTAGE, _DEAD, _LITHIUM_ION = 2, 1, 4, 3, 2
_MODES = {WagonMode.RC: "rc", WagonMode.ASSISTED: "assisted", WagonMode.AUTONOMOUS: "autonomous"}


def imu(stamp: Time, attitude: WagonAttitude) -> Imu:
    """Build the attitude: pitch and yaw rate are measured, nothing else."""
    half = radians(attitude.pitch) / 2.0
    return Imu(
        header=Header(stamp=stamp, frame_id=_FRAME),
        orientation=Quaternion(0.0, sin(half), 0.0, cos(half)),
        orientation_covariance=_diagonal(_UNKNOWN, _PITCH, _UNKNOWN),
        angular_velocity=Vector3(0.0, 0.0, radians(attitude.yaw_rate)),
        angular_velocity_covariance=_diagonal(_UNKNOWN, _UNKNOWN, _TURNING),
        linear_acceleration_covariance=_NOT_MEASURED,
    )


def battery(stamp: Time, power: WagonPower) -> BatteryState:
    """Build the state of the battery; its charge is not measured."""
    volts = power.battery_mv / 1000.0
    health = _HEALTH_GOOD
    if power.battery_mv > BATTERY_HIGH_MV:
        health = _OVERVOLTAGE
    elif power.battery_mv < BATTERY_EMPTY_MV:
        health = _DEAD
    return BatteryState(
        header=Header(stamp=stamp, frame_id=_FRAME),
        voltage=volts,
        temperature=nan,
        current=nan,
        charge=nan,
        capacity=nan,
        design_capacity=nan,
        percentage=nan,
        power_supply_status=_DISCHARGING,
        power_supply_health=health,
        power_supply_technology=_LITHIUM_ION,
        present=True,
        cell_voltage=(volts / BATTERY_CELLS,) * BATTERY_CELLS,
        location="wagon",
    )


def state(host: WagonHost, now_s: float) -> WagonStateMessage:
    """Build the state for people."""
    board = host.board
    attitude, power, flags = board.attitude(now_s), board.power(now_s), board.flags(now_s)
    gains = host.gains.last
    return WagonStateMessage(
        state=_state_name(host, now_s),
        mode=_MODES[flags.mode] if flags else "",
        why=host.why(now_s),
        prevents=() if board.is_armed(now_s) else host.prevents(now_s),
        pitch=attitude.pitch if attitude else nan,
        speed=attitude.speed if attitude else nan,
        yaw_rate=attitude.yaw_rate if attitude else nan,
        commanded_speed=host.sent[0] * FULL_SPEED_MPS / FULL_SPEED,
        commanded_turn=host.sent[1] * FULL_TURN_RADPS / FULL_SPEED,
        battery_voltage=power.battery_mv / 1000.0 if power else nan,
        rssi=float(power.rssi) if power else nan,
        fault_code=power.fault_code if power else 0,
        fault=fault_text(power.fault_code) if power else "",
        receiver=_receiver(flags),
        arm_switch=bool(flags and flags.is_switch_armed),
        must_cycle=bool(flags and flags.must_cycle),
        gains=(gains.kp, gains.ki, gains.kd) if gains else (),
        receiver_rssi=_strengths(board.receivers(now_s)),
    )


def add_motors(state: WagonStateMessage, readings: Sequence[MotorReading]) -> None:
    """Add what the motor controllers report."""
    state.motors = tuple(each.name for each in readings)
    state.motor_current = tuple(each.current_a for each in readings)
    state.motor_temperature = tuple(each.motor_c for each in readings)
    state.controller_temperature = tuple(each.controller_c for each in readings)


def add_bus(state: WagonStateMessage, line: BoardLine) -> None:
    """Add the state of the bus."""
    bus = line.state
    state.bus = bus.bus.value
    state.bus_load = nan if line.load is None else line.load
    state.bus_errors, state.bus_lost, state.bus_offs = bus.errors, bus.lost, bus.bus_offs
    state.foreign_frames, state.damaged_frames = line.foreign, line.damaged


def _strengths(found: WagonReceivers | None) -> tuple[float, ...]:
    if found is None:
        return ()
    both = found.first_dbm, found.second_dbm
    return tuple(nan if each == NO_SIGNAL_DBM else float(each) for each in both)


def _state_name(host: WagonHost, now_s: float) -> str:
    if host.board.attitude(now_s) is None:
        return "silent"
    found = host.board.state(now_s)
    return found.name.lower() if found is not None else "unknown"


def _receiver(flags: FlagsOfAttitude | None) -> str:
    if flags is None:
        return ""
    if not flags.is_rc_alive:
        return "none"
    return "second" if flags.is_failover else "first"


def _diagonal(x: float, y: float, z: float) -> tuple[float, ...]:
    return (x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z)
