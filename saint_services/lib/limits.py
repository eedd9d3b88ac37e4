"""Numbers kept inside bounds. Pure: time comes in as `dt_s`. The actuator side uses it again, so
nothing here trusts its caller: what is not a number never becomes an output.
"""

import math


def is_finite(*values: float) -> bool:
    """True when no value is NaN or infinite."""
    return all(map(math.isfinite, values))


def clamp(value: float, low: float, high: float) -> float:
    """`value` kept between `low` and `high`. NaN raises ValueError: no bound would be right."""
    if math.isnan(value):
        raise ValueError("cannot clamp NaN")
    return low if value < low else min(value, high)


class SlewLimiter:
    """Follows a target by at most `max_rate` per second."""

    __slots__ = ("max_rate", "value")

    def __init__(self, max_rate: float, value: float = 0.0) -> None:
        if not max_rate > 0 or not math.isfinite(value):
            raise ValueError(
                f"slew limit needs a positive rate and a finite start, got {max_rate}, {value}"
            )
        self.max_rate = max_rate
        self.value = value

    def step(self, target: float, dt_s: float) -> float:
        """Move towards `target` for `dt_s` seconds (a clock that went back counts as none)."""
        if not math.isfinite(target):
            raise ValueError(f"target must be finite, got {target}")
        reach = self.max_rate * max(0.0, dt_s)
        if abs(target - self.value) <= reach:
            self.value = target
        else:
            self.value += math.copysign(reach, target - self.value)
        return self.value

    def jump(self, value: float) -> None:
        """Take `value` without limit, e.g. a measured position at start."""
        if not math.isfinite(value):
            raise ValueError(f"value must be finite, got {value}")
        self.value = value
