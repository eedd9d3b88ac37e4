"""Builds the messages of the legs: usual ROS 2 messages of what the controller reports, and the
role's own state.
"""

import math
from collections.abc import Sequence

from saint_services.lib.bus.names import frame
from saint_services.lib.generated.builtin_interfaces import Time
from saint_services.lib.generated.diagnostic_msgs import (
    DiagnosticArray,
    DiagnosticStatus,
    KeyValue,
)
from saint_services.lib.generated.geometry_msgs import Quaternion, Vector3
from saint_services.lib.generated.saint_msgs import LegsAlert, LegsState
from saint_services.lib.generated.sensor_msgs import BatteryState, Imu, JointState
from saint_services.lib.generated.std_msgs import Header
from saint_services.lib.walker.alerts import alert_text, flag_texts
from saint_services.lib.walker.model import Severity, WalkBattery, WalkState

from .logic import WalkMachine

BASE = frame("base_link")
_UNKNOWN = (-1.0, *([0.0] * 8))  # sensor_msgs/Imu: no such measurement
_NO_COVARIANCE = (0.0,) * 9
_DISCHARGING, _GOOD, _DEAD, _LITHIUM = 2, 1, 3, 2  # sensor_msgs/BatteryState
_OK, _WARN, _ERROR, _STALE = range(4)  # diagnostic_msgs/DiagnosticStatus


def joint_state(stamp: Time, names: Sequence[str], state: WalkState) -> JointState:
    """Build the joints; the efforts are the currents in A, as no torque is reported."""
    return JointState(
        Header(stamp=stamp), names, state.joint_pos, state.joint_vel, state.joint_current_a
    )


def imu(stamp: Time, state: WalkState) -> Imu:
    """Build the inertial sensor: turn rates, and the attitude where it is reported."""
    w, x, y, z = state.quaternion or (1.0, 0.0, 0.0, 0.0)
    return Imu(
        header=Header(stamp=stamp, frame_id=BASE),
        orientation=Quaternion(x, y, z, w),
        orientation_covariance=_NO_COVARIANCE if state.quaternion else _UNKNOWN,
        angular_velocity=Vector3(*state.ang_vel_rads),
        linear_acceleration_covariance=_UNKNOWN,
    )


def battery(stamp: Time, found: WalkBattery) -> BatteryState:
    """Build the battery's state; what is not reported is NaN, as the message says."""
    return BatteryState(
        header=Header(stamp=stamp),
        voltage=found.voltage_v,
        temperature=found.hottest_cell_c,
        current=-found.current_a,  # negative while it discharges
        charge=math.nan,
        capacity=math.nan,
        design_capacity=math.nan,
        percentage=found.percent / 100.0,
        power_supply_status=_DISCHARGING,
        power_supply_health=_DEAD if found.protection_flags else _GOOD,
        power_supply_technology=_LITHIUM,
        present=True,
    )


def alerts(state: WalkState) -> list[str]:
    """Return what the controller warns of in plain words, the worst first, each once."""
    worst_first = sorted(state.alerts, key=lambda alert: alert.severity)
    return list(dict.fromkeys([*map(alert_text, worst_first), *flag_texts(state.error_flags)]))


def legs_state(
    stamp: Time,
    machine: WalkMachine,
    velocity: tuple[float, float, float],
    names: Sequence[str],
    state: WalkState | None,
    age_s: float,
) -> LegsState:
    """Build the state of the role; `state` and its age are the controller's newest report."""
    made = LegsState(
        stamp=stamp, mode=machine.shown, requested=machine.requested.name.lower(),
        reason=machine.reason, report_age=age_s, battery_voltage=math.nan,
        battery_percent=math.nan, hottest_joint=math.nan, largest_current=math.nan,
        battery_current=math.nan, hottest_cell=math.nan,
    )  # fmt: skip
    made.vx, made.vy, made.vyaw = velocity
    if state is None:
        return made
    made.reported = state.mode.name.lower()
    made.gravity, made.gait_phase = state.gravity, state.gait_phase
    if state.battery:
        _put_battery(made, state.battery)
    made.hottest_joint = max(state.joint_temp_c, default=math.nan)
    made.largest_current = max(map(abs, state.joint_current_a), default=math.nan)
    if state.joint_pos:
        made.joints, made.positions = names, state.joint_pos
        made.velocities, made.currents = state.joint_vel, state.joint_current_a
        made.temperatures = state.joint_temp_c
    made.angular_velocity, made.orientation = state.ang_vel_rads, state.quaternion or ()
    made.alerts, made.error_flags = alerts(state), state.error_flags
    made.active_alerts = [
        LegsAlert(each.id, each.severity, each.value, each.threshold) for each in state.alerts
    ]
    return made


def _put_battery(made: LegsState, found: WalkBattery) -> None:
    made.battery_voltage, made.battery_percent = found.voltage_v, found.percent
    made.battery_current, made.hottest_cell = found.current_a, found.hottest_cell_c
    made.protection_flags = found.protection_flags


def diagnostics(
    stamp: Time, node_id: str, machine: WalkMachine, state: WalkState | None
) -> DiagnosticArray:
    """Build the diagnostics of the controller: its mode, and one status for each alert."""
    level = _STALE if state is None else _ERROR if machine.fault else _OK
    values = [KeyValue("mode", machine.shown)]
    found = state.alerts if state else ()
    if state:
        values += _numbers(state)
    summary = DiagnosticStatus(level, "legs: controller", machine.fault or "ok", node_id, values)
    return DiagnosticArray(
        Header(stamp=stamp),
        (
            summary,
            *(
                DiagnosticStatus(
                    (_ERROR, _WARN, _OK)[alert.severity],
                    f"legs: alert {alert.id}",
                    alert_text(alert),
                    node_id,
                    (KeyValue("value", str(alert.value)), KeyValue("limit", str(alert.threshold))),
                )
                for alert in found
                if alert.severity is not Severity.INFO
            ),
        ),
    )


def _numbers(state: WalkState) -> list[KeyValue]:
    found = {
        "error_flags": f"{state.error_flags:#x}",
        "policy_max_cycle_us": state.cycle_us,
        "policy_jitter_us": state.jitter_us,
        "can_errors": sum(bus.errors for bus in state.can),
        "can_bus_offs": sum(bus.bus_offs for bus in state.can),
    }
    return [KeyValue(key, str(value)) for key, value in found.items()]
