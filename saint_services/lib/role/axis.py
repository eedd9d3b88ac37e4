"""One output that follows commands within its limits and its top rate. Pure.

A step that fits into the rate is taken at once, when the command comes; a longer way is taken in
slices, for which the caller brings time.
"""

import math

from ..limits import clamp
from ..roles import FieldSpec

SLICE_S = 0.01  # how often a longer motion goes on
_CREDIT_S = 0.02  # of its rate, that an output which rested may use up in one step


class Axis:
    """A position: moves at its top rate at most, in both directions."""

    __slots__ = ("_credit_s", "_then_s", "applied", "high", "low", "rate", "share", "target")

    def __init__(self, field: FieldSpec, start: float | None = None) -> None:
        self.low, self.high = field.limits
        self.rate = field.max_rate
        self.share = 1.0  # of the rate, by the command's speed factor
        self.applied = clamp(field.neutral if start is None else start, self.low, self.high)
        self.target = self.applied
        self._credit_s = _CREDIT_S
        self._then_s = -math.inf

    def aim(self, value: float) -> None:
        """Go there; beyond the limits means to the limit. NaN raises ValueError."""
        self.target = clamp(value, self.low, self.high)

    def step(self, now_s: float) -> bool:
        """Move as far as the time since the last step allows; True when `applied` changed."""
        credit_s = min(self._credit_s + max(0.0, now_s - self._then_s), _CREDIT_S)
        self._then_s = now_s
        self._credit_s = credit_s
        way = self.target - self.applied
        speed = self.rate * self.share
        if way == 0.0 or speed == 0.0 or credit_s == 0.0:
            return False
        reach = speed * credit_s
        if abs(way) <= reach:
            self.applied = self.target
            self._credit_s -= abs(way) / speed
        else:
            self.applied += math.copysign(reach, way)
            self._credit_s = 0.0
        return True

    def hold(self) -> None:
        """Stay here."""
        self.target = self.applied

    @property
    def is_there(self) -> bool:
        """True when nothing is left to do."""
        return self.applied == self.target


class Throttle(Axis):
    """A velocity: gains speed at its top rate at most, loses it at once.

    How softly it brakes is the router's decision; nothing here may prolong a motion.
    """

    __slots__ = ()

    def step(self, now_s: float) -> bool:
        """Move as far as the time since the last step allows; True when `applied` changed."""
        before = self.applied
        if self.target * before <= 0.0:
            self.applied = 0.0
        elif abs(self.target) < abs(before):
            self.applied = self.target
        super().step(now_s)
        return self.applied != before

    def stop(self) -> None:
        """Zero, now."""
        self.applied = self.target = 0.0
