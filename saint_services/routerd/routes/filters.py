"""Filters of one mapped value. Each sample comes with the time since the sample before, so that an
irregular stream is filtered like a regular one. A result lies between the values that went in.
Pure. Not here: when a filter starts again (fields/guided.py).
"""

from dataclasses import dataclass, field
from math import exp, pi
from typing import Protocol

from ...lib.api.mapping import Mapping

TURN = 2.0 * pi
_TINY = 1e-3  # below this the power series of the weights is exact to a float's rounding


class ValueFilter(Protocol):
    """Follows a value."""

    def start(self, value: float) -> None:
        """Forget everything and stand at this value."""

    def run(self, value: float, elapsed_s: float) -> float:
        """Return the filtered value, so long after the sample before."""

    def stand_at(self, value: float) -> None:
        """Go on from this output: a rule outside has changed it."""


@dataclass(slots=True)
class LowPass:
    """First order: the exact response to an input that moves in a straight line from sample to
    sample, so that the delay does not depend on the rate of the samples.
    """

    cutoff_hz: float
    before: float = 0.0  # the input of the sample before
    value: float = 0.0

    def start(self, value: float) -> None:
        self.before = self.value = value

    def stand_at(self, value: float) -> None:
        self.value = value

    def run(self, value: float, elapsed_s: float) -> float:
        u = TURN * self.cutoff_hz * elapsed_s
        if u > _TINY:
            left = exp(-u)
            mean = (1.0 - left) / u
        else:
            left, mean = 1.0 - u + u * u / 2, 1.0 - u / 2 + u * u / 6
        before, self.before = self.before, value
        self.value = self.value * left + before * (mean - left) + value * (1.0 - mean)
        return self.value


@dataclass(slots=True)
class OneEuro:
    """G. Casiez, N. Roussel, D. Vogel: 1 Euro Filter, CHI 2012, algorithm 1: a low-pass whose
    cut-off rises with the speed. `beta` is for full ranges of the field per second, which makes it
    the same for each field; inside, the speed has the field's unit.
    """

    min_hz: float
    beta: float
    derivative_hz: float
    span: float
    value: float = 0.0
    speed: float = 0.0
    slope: float = field(init=False)  # beta for the speed in the field's unit

    def __post_init__(self) -> None:
        self.slope = self.beta / self.span

    def start(self, value: float) -> None:
        self.value, self.speed = value, 0.0

    def stand_at(self, value: float) -> None:
        self.value = value

    def run(self, value: float, elapsed_s: float) -> float:
        if elapsed_s <= 0.0:
            return self.value
        gap = value - self.value
        turn_s = TURN * elapsed_s
        weight = turn_s * self.derivative_hz  # elapsed time by time constant
        speed = self.speed
        speed += weight / (1.0 + weight) * (gap / elapsed_s - speed)
        self.speed = speed
        weight = turn_s * (self.min_hz + self.slope * (speed if speed >= 0.0 else -speed))
        self.value = result = self.value + weight / (1.0 + weight) * gap
        return result


@dataclass(slots=True)
class RateLimit:
    """Follows no faster than so many units per second."""

    rate: float
    value: float = 0.0

    def start(self, value: float) -> None:
        self.value = value

    def stand_at(self, value: float) -> None:
        self.value = value

    def run(self, value: float, elapsed_s: float) -> float:
        room = self.rate * elapsed_s
        gap = value - self.value
        if -room <= gap <= room:
            self.value = value
        else:
            self.value += room if gap > 0.0 else -room
        return self.value


def filters_of(mapping: Mapping, span: float) -> tuple[ValueFilter, ...]:
    """Return the mapping's filters in the order in which they work. `span` is the range of the
    field.
    """
    found: list[ValueFilter] = []
    if mapping.filter == "low_pass":
        found.append(LowPass(mapping.cutoff_hz))
    if mapping.filter == "one_euro":
        shape = (mapping.cutoff_hz, mapping.beta, mapping.derivative_hz)
        found.append(OneEuro(*shape, span or 1.0))
    if mapping.rate_limit is not None:
        found.append(RateLimit(mapping.rate_limit))
    return tuple(found)
