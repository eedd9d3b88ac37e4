"""Converts the newest state of a walking robot into the topic "legs", as plain JSON data."""

from .newest import Newest
from .views import Data, number, numbers


def view(newest: Newest) -> Data | None:
    """Return modes, velocity, battery, joints, body and alerts; None without a state."""
    state = newest.legs
    if state is None:
        return None
    age_s = number(state.report_age)
    return {
        "mode": state.mode,
        "reported": state.reported,
        "requested": state.requested,
        "reason": state.reason,
        "vx": number(state.vx),
        "vy": number(state.vy),
        "vyaw": number(state.vyaw),
        "report_age_ms": None if age_s is None else round(1000 * age_s),
        "gravity": numbers(state.gravity),
        "gait_phase": number(state.gait_phase),
        "battery_voltage": number(state.battery_voltage),
        "battery_percent": number(state.battery_percent),
        "hottest_joint": number(state.hottest_joint),
        "largest_current": number(state.largest_current),
        "joints": dict(zip(state.joints, numbers(state.positions), strict=False)),
        "velocities": numbers(state.velocities),
        "currents": numbers(state.currents),
        "temperatures": numbers(state.temperatures),
        "angular_velocity": numbers(state.angular_velocity),
        "orientation": numbers(state.orientation),
        "battery_current": number(state.battery_current),
        "hottest_cell": number(state.hottest_cell),
        "protection_flags": state.protection_flags,
        "alerts": list(state.alerts),
        "error_flags": state.error_flags,
        "active_alerts": [
            {"id": a.id, "severity": a.severity, "value": a.value, "threshold": a.threshold}
            for a in state.active_alerts
        ],
        "estop_active": state.estop_active,
    }
