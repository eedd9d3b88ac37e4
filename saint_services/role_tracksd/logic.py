"""Computes for a tracked vehicle the speeds of its tracks, and motor currents. Pure. Not here: its
odometry (lib/role/motion/odometry.py), when a track is blocked (stall.py).
"""

import math
from collections import deque

_WINDOW = 5  # updates over which the speed is taken


def mix(linear: float, angular: float, width_m: float, top_mps: float) -> tuple[float, float]:
    """Return the speeds of the left and the right track in m/s; `angular` in rad/s, left is
    positive.

    Above the top speed of one track both slow down by the same factor: the curve stays the same."""
    half = angular * width_m / 2.0
    left, right = linear - half, linear + half
    fastest = max(abs(left), abs(right))
    if fastest > top_mps:
        scale = top_mps / fastest
        return left * scale, right * scale
    return left, right


def duty_of(speed: float, top_mps: float, start: float) -> float:
    """Return the duty for a track's speed: friction needs `start` of it. 0 stays 0."""
    if speed == 0.0:
        return 0.0
    return math.copysign(start + (1.0 - start) * min(1.0, abs(speed) / top_mps), speed)


class SpeedEstimate:
    """Speed from counted travel, over a few updates, since one count is coarse."""

    __slots__ = ("_ways",)

    def __init__(self) -> None:
        self._ways: deque[tuple[float, float]] = deque(maxlen=_WINDOW + 1)

    def update(self, way_m: float, now_s: float) -> float:
        """Add the present travel in total; returns metres per second."""
        self._ways.append((now_s, way_m))
        then_s, before_m = self._ways[0]
        return (way_m - before_m) / (now_s - then_s) if now_s > then_s else 0.0


def current_a(duty: float, speed: float, top_mps: float, stall_a: float, idle_a: float) -> float:
    """Estimate the motor current that the duty drives against the motor's own voltage.

    `idle_a` is friction, which counts while the track moves. A braking motor counts as 0.
    """
    drive = abs(duty) - (speed / top_mps) * math.copysign(1.0, duty)
    friction = idle_a if duty and abs(speed) > 0.01 * top_mps else 0.0
    return max(0.0, drive * stall_a) + friction
