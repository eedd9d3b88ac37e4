"""Builds the reports that menlo-sdk expects of the topic "legs". Pure. What the robot does not
report is left out, a battery's number that it does not know is NaN.
"""

from collections.abc import Mapping, Sequence
from math import isfinite, nan
from typing import Any

from ...lib.walker.model import (
    JOINT_COUNTS,
    Severity,
    WalkAlert,
    WalkBattery,
    WalkMode,
    WalkState,
)

FRESH_MS = 250.0  # an older report of the walking controller is not passed on
MOST_ALERTS = 48  # of one report, as the protocol has it
_MODES = {each.name.lower(): each for each in WalkMode}
_UINT32 = 0xFFFFFFFF


def walk_state(
    legs: Mapping[str, Any], number: int, timestamp_us: int, commanded: int = 0
) -> WalkState | None:
    """Return the robot's state; None while the walking controller does not report. `commanded` is
    the sequence number of the program's newest command.
    """
    age_ms, mode = legs["report_age_ms"], _MODES.get(legs["reported"])
    if age_ms is None or age_ms > FRESH_MS or mode is None:
        return None
    x, y, z = (float(each or 0.0) for each in legs["gravity"])
    turning = _known(legs.get("angular_velocity"), 3)
    attitude = _known(legs.get("orientation"), 4)
    joints = tuple(float(each or 0.0) for each in legs["joints"].values())
    joints = joints if len(joints) in JOINT_COUNTS else ()
    return WalkState(
        WalkMode.FAULT if legs["mode"] == "fault" else mode,
        timestamp_us=timestamp_us,
        sequence=number & _UINT32,
        joint_pos=joints,
        joint_vel=_known(legs.get("velocities"), len(joints)),
        joint_current_a=_known(legs.get("currents"), len(joints)),
        joint_temp_c=_known(legs.get("temperatures"), len(joints)),
        ang_vel_rads=(turning[0], turning[1], turning[2]) if turning else (0.0, 0.0, 0.0),
        gravity=(x, y, z),
        quaternion=(attitude[0], attitude[1], attitude[2], attitude[3]) if attitude else None,
        error_flags=int(legs.get("error_flags") or 0) & _UINT32,
        command_sequence=commanded & _UINT32,
        alerts=tuple(map(_alert, (legs.get("active_alerts") or ())[:MOST_ALERTS])),
        battery=_battery(legs),
    )


def _known(values: Sequence[float | None] | None, count: int) -> tuple[float, ...]:
    """Return as many numbers as there have to be; none when one of them is not known."""
    found = tuple(float(each) for each in values or () if each is not None)
    return found if len(found) == count == len(values or ()) and all(map(isfinite, found)) else ()


def _alert(found: Mapping[str, Any]) -> WalkAlert:
    number, value, limit = (int(found[key]) & _UINT32 for key in ("id", "value", "threshold"))
    severity = int(found["severity"])
    is_known = Severity.CRITICAL <= severity <= Severity.INFO
    return WalkAlert(number, Severity(severity) if is_known else Severity.CRITICAL, value, limit)


def _battery(legs: Mapping[str, Any]) -> WalkBattery | None:
    volts = legs["battery_voltage"]
    if volts is None:
        return None
    percent, current, cell = (
        nan if (value := legs.get(name)) is None else float(value)
        for name in ("battery_percent", "battery_current", "hottest_cell")
    )
    flags = int(legs.get("protection_flags") or 0) & _UINT32
    return WalkBattery(float(volts), percent, current, cell, flags)
