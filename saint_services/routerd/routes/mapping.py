"""Maps an input value to the requested value of an output field; compiled once per route, run for
each sample.

Order: invert or switch, deadzone (rescaled, continuous), curve, scale, offset, clamp. The field's
limits come last, as part of the last clamp if one mapping alone drives the field.
"""

from collections.abc import Callable

from ...lib.api.mapping import CURVES_BY_POINTS, Mapping
from .curves import by_points

Shape = Callable[[float], float]
Line = tuple[float, float, float, float]  # gain, offset, bounds


def shape(mapping: Mapping, low: float, high: float) -> Shape:
    """Compile a mapping; its result is within its own clamp and [low, high]."""
    if (line := line_of(mapping, low, high)) is not None:
        return _linear(*line)
    if mapping.clamp is not None:
        low, high = narrowed(mapping.clamp, low, high)
    if mapping.mode == "switch":
        return _switch(mapping, low, high)
    if not mapping.scale:
        return _constant(mapping.offset, low, high)
    if mapping.curve in CURVES_BY_POINTS:
        return _points(mapping, low, high)
    if mapping.curve == "exponential" and mapping.expo:
        return _exponential(mapping, low, high)
    return _deadzone(mapping, low, high)


def line_of(mapping: Mapping, low: float, high: float) -> Line | None:
    """Return the straight line within bounds that a mapping is; None: it is something else."""
    is_bent = mapping.curve in CURVES_BY_POINTS or (
        mapping.curve == "exponential" and mapping.expo != 0.0
    )
    if mapping.mode == "switch" or not mapping.scale or is_bent or mapping.deadzone:
        return None
    if mapping.clamp is not None:
        low, high = narrowed(mapping.clamp, low, high)
    return _gain(mapping), mapping.offset, low, high


def unbounded(mapping: Mapping) -> Shape:
    """Compile the mapping without any bound, to show whether a bound changed the value."""
    free = mapping.model_copy(update={"clamp": None})
    return shape(free, float("-inf"), float("inf"))


def switch(mapping: Mapping) -> Callable[[float], bool]:
    """Compile a switch: on at or above the threshold; inverted: on below it."""
    threshold, inverted = mapping.threshold, mapping.inverted
    return lambda x: (x >= threshold) is not inverted


def narrowed(bounds: tuple[float, float], low: float, high: float) -> tuple[float, float]:
    """Return `bounds` within [low, high]; if the two do not overlap, the limits win."""
    return min(max(bounds[0], low), high), max(min(bounds[1], high), low)


def _switch(mapping: Mapping, low: float, high: float) -> Shape:
    threshold, inverted = mapping.threshold, mapping.inverted
    on = min(max(mapping.scale + mapping.offset, low), high)
    off = min(max(mapping.offset, low), high)

    def run(x: float) -> float:
        return on if (x >= threshold) is not inverted else off

    return run


def _constant(offset: float, low: float, high: float) -> Shape:
    y = min(max(offset, low), high)
    return lambda _: y


def _linear(gain: float, offset: float, low: float, high: float) -> Shape:
    def run(x: float) -> float:
        y = x * gain + offset
        return low if y < low else high if y > high else y

    return run


def _deadzone(mapping: Mapping, low: float, high: float) -> Shape:
    dead, offset, gain = mapping.deadzone, mapping.offset, _gain(mapping)
    span = 1.0 - dead  # a division: full deflection is exactly 1. Not part of the gain, which
    # might become infinite: 0 x inf is NaN.

    def run(x: float) -> float:
        x = (x - dead if x > dead else x + dead if x < -dead else 0.0) / span
        y = x * gain + offset
        return low if y < low else high if y > high else y

    return run


def _exponential(mapping: Mapping, low: float, high: float) -> Shape:
    dead, offset, gain = mapping.deadzone, mapping.offset, _gain(mapping)
    span = 1.0 - dead
    straight, cubic = 1.0 - mapping.expo, mapping.expo

    def run(x: float) -> float:
        x = (x - dead if x > dead else x + dead if x < -dead else 0.0) / span
        y = (straight + cubic * x * x) * x * gain + offset
        return low if y < low else high if y > high else y

    return run


def _points(mapping: Mapping, low: float, high: float) -> Shape:
    """Only here invert comes before the curve as such: the curve need not be symmetric."""
    dead, offset, scale = mapping.deadzone, mapping.offset, mapping.scale
    span, sign = 1.0 - dead, -1.0 if mapping.inverted else 1.0
    curve = by_points(mapping.points, is_smooth=mapping.curve == "smooth")

    def run(x: float) -> float:
        x = (x - dead if x > dead else x + dead if x < -dead else 0.0) / span * sign
        y = curve(x) * scale + offset
        return low if y < low else high if y > high else y

    return run


def _gain(mapping: Mapping) -> float:
    return -mapping.scale if mapping.inverted else mapping.scale
