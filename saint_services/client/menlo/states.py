"""Builds the reports that menlo-sdk expects of the topic "legs". Pure."""

from collections.abc import Mapping
from math import nan
from typing import Any

from ...lib.walker.model import JOINT_COUNTS, WalkBattery, WalkMode, WalkState

FRESH_MS = 250.0  # an older report of the walking controller is not passed on
_MODES = {each.name.lower(): each for each in WalkMode}


def walk_state(legs: Mapping[str, Any], number: int, timestamp_us: int) -> WalkState | None:
    """Return the robot's state; None while the walking controller does not report."""
    age_ms, mode = legs["report_age_ms"], _MODES.get(legs["reported"])
    if age_ms is None or age_ms > FRESH_MS or mode is None:
        return None
    x, y, z = (float(each or 0.0) for each in legs["gravity"])
    joints = tuple(float(each or 0.0) for each in legs["joints"].values())
    volts, percent = legs["battery_voltage"], legs["battery_percent"]
    return WalkState(
        WalkMode.FAULT if legs["mode"] == "fault" else mode,
        timestamp_us=timestamp_us,
        sequence=number & 0xFFFFFFFF,
        joint_pos=joints if len(joints) in JOINT_COUNTS else (),
        gravity=(x, y, z),
        battery=None if volts is None else WalkBattery(volts, nan if percent is None else percent),
    )
