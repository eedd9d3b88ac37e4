"""The arithmetic of a tracked vehicle: speeds of the two tracks, way travelled, motor current."""

import math
from collections import deque

_STRAIGHT_RAD = 1e-9  # below, an arc's radius is too large to compute with
_WINDOW = 5  # updates over which the speed is taken


def mix(linear: float, angular: float, width_m: float, top_mps: float) -> tuple[float, float]:
    """Speeds of the left and the right track for metres and radians per second, left is positive.

    What is too fast for one track slows both down in the same measure: the curve stays the same.
    """
    half = angular * width_m / 2.0
    left, right = linear - half, linear + half
    fastest = max(abs(left), abs(right))
    if fastest > top_mps:
        scale = top_mps / fastest
        return left * scale, right * scale
    return left, right


class Odometer:
    """Where the vehicle is, from the ways of its tracks: each update is an exact arc."""

    __slots__ = ("_width_m", "heading_rad", "x_m", "y_m")

    def __init__(self, width_m: float) -> None:
        self._width_m = width_m
        self.x_m = 0.0
        self.y_m = 0.0
        self.heading_rad = 0.0

    def travel(self, left_m: float, right_m: float) -> None:
        """The tracks went so far since the last call, at a constant ratio."""
        way = (left_m + right_m) / 2.0
        turn = (right_m - left_m) / self._width_m
        start = self.heading_rad
        end = start + turn
        if abs(turn) < _STRAIGHT_RAD:
            self.x_m += way * math.cos(start)
            self.y_m += way * math.sin(start)
        else:
            radius = way / turn
            self.x_m += radius * (math.sin(end) - math.sin(start))
            self.y_m += radius * (math.cos(start) - math.cos(end))
        self.heading_rad = math.remainder(end, math.tau)

    def quaternion_zw(self) -> tuple[float, float]:
        """The heading as the parts z and w of a quaternion."""
        return math.sin(self.heading_rad / 2.0), math.cos(self.heading_rad / 2.0)


class Speed:
    """Speed from counted ways: over a few updates, since one count is coarse."""

    __slots__ = ("_ways",)

    def __init__(self) -> None:
        self._ways: deque[tuple[float, float]] = deque(maxlen=_WINDOW + 1)

    def update(self, way_m: float, now_s: float) -> float:
        """The way in total, now; returns metres per second."""
        self._ways.append((now_s, way_m))
        then_s, before_m = self._ways[0]
        return (way_m - before_m) / (now_s - then_s) if now_s > then_s else 0.0


def current_a(duty: float, speed: float, top_mps: float, stall_a: float, idle_a: float) -> float:
    """Estimated motor current: what the duty drives against the motor's own voltage.

    `idle_a` is friction, which counts while the track moves. A braking motor reads as none.
    """
    drive = abs(duty) - (speed / top_mps) * math.copysign(1.0, duty)
    friction = idle_a if duty and abs(speed) > 0.01 * top_mps else 0.0
    return max(0.0, drive * stall_a) + friction
