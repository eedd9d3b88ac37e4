"""A number kept inside bounds. Pure. The actuator side uses it again, so nothing here trusts its
caller: what is not a number never becomes an output.
"""

import math


def clamp(value: float, low: float, high: float) -> float:
    """`value` kept between `low` and `high`. NaN raises ValueError: no bound would be right."""
    if math.isnan(value):
        raise ValueError("cannot clamp NaN")
    return low if value < low else min(value, high)
