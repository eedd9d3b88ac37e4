"""Curves by points: piecewise linear, or a monotone cubic that never overshoots its points
(F. N. Fritsch, R. E. Carlson, Monotone Piecewise Cubic Interpolation, SIAM J. Numer. Anal. 17,
1980). Before the first and after the last point the value stays that of the point. Pure.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import hypot

Point = tuple[float, float]
Curve = Callable[[float], float]


def by_points(points: Sequence[Point], *, is_smooth: bool) -> Curve:
    """Compile a curve through at least two points whose inputs rise."""
    inputs = [float(point[0]) for point in points]
    outputs = [float(point[1]) for point in points]
    if is_smooth:
        return _cubic(inputs, outputs, slopes(inputs, outputs))
    return _straight(inputs, outputs)


def _straight(inputs: list[float], outputs: list[float]) -> Curve:
    first, last = inputs[0], inputs[-1]
    lowest, highest = outputs[0], outputs[-1]

    def run(x: float) -> float:
        if x <= first:
            return lowest
        if x >= last:
            return highest
        at = bisect_right(inputs, x)
        share = (x - inputs[at - 1]) / (inputs[at] - inputs[at - 1])
        return outputs[at - 1] * (1.0 - share) + outputs[at] * share

    return run


def _cubic(inputs: list[float], outputs: list[float], tangents: list[float]) -> Curve:
    first, last = inputs[0], inputs[-1]
    lowest, highest = outputs[0], outputs[-1]

    def run(x: float) -> float:
        if x <= first:
            return lowest
        if x >= last:
            return highest
        at = bisect_right(inputs, x)
        width = inputs[at] - inputs[at - 1]
        t = (x - inputs[at - 1]) / width
        low, high = outputs[at - 1], outputs[at]
        rest = 1.0 - t
        y = (
            low * (1.0 + 2.0 * t) * rest * rest
            + high * t * t * (3.0 - 2.0 * t)
            + width * t * rest * (tangents[at - 1] * rest - tangents[at] * t)
        )
        # Rounding alone leads out of the two points.
        return min(max(y, min(low, high)), max(low, high))

    return run


def slopes(inputs: Sequence[float], outputs: Sequence[float]) -> list[float]:
    """Return the slope at each point: the mean of both sides, zero where the curve turns, and
    limited to the circle of radius 3 in which a cubic is monotone.
    """
    pairs = list(zip(inputs, outputs, strict=True))
    secants = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in pairwise(pairs)]
    inner = [(a + b) / 2 if a * b > 0.0 else 0.0 for a, b in pairwise(secants)]
    tangents = [secants[0], *inner, secants[-1]]
    for at, secant in enumerate(secants):
        # No quotient of slopes: it would not be finite where one of them is next to nothing.
        length, room = hypot(tangents[at], tangents[at + 1]), 3.0 * abs(secant)
        if length > room:
            tangents[at] *= room / length
            tangents[at + 1] *= room / length
    return tangents
