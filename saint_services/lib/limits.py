"""Limits numbers. Pure. Used again on the actuator side, so it does not trust its caller: NaN never
becomes an output.
"""

import math


def clamp(value: float, low: float, high: float) -> float:
    """Limit `value` to `low` and `high`. NaN raises ValueError: no limit would be right."""
    if math.isnan(value):
        raise ValueError("cannot clamp NaN")
    return low if value < low else min(value, high)


def limited_duty(value: float) -> float:
    """Limit a motor's duty to -1 and 1. NaN becomes 0, which is no torque."""
    return 0.0 if math.isnan(value) else clamp(value, -1.0, 1.0)
