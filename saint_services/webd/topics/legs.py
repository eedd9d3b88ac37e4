"""Converts the newest state of a walking robot into the topic "legs", as plain JSON data."""

from .newest import Newest
from .views import Data, number, numbers


def view(newest: Newest) -> Data | None:
    """Return modes, velocity, battery, joints and alerts; None without a state."""
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
        "alerts": list(state.alerts),
        "estop_active": state.estop_active,
    }
