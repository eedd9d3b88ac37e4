"""Computes the odometry of a base that steers by the speeds of its two sides, with covariance.
Pure. Not here: the messages (odometry_messages.py).
"""

import math

_STRAIGHT_RAD = 1e-9  # below, an arc's radius is too large to compute with


class Odometer:
    """Position and heading from the travel of the tracks: each update is an exact arc.

    The covariance grows with the travel: each track errs by `error_m` (a standard deviation) in a
    metre, independently of the other.
    """

    __slots__ = ("_variance_per_m", "_width_m", "covariance", "heading_rad", "x_m", "y_m")

    def __init__(self, width_m: float, error_m: float = 0.0) -> None:
        self._width_m = width_m
        self._variance_per_m = error_m * error_m
        self.covariance = Covariance()
        self.x_m = 0.0
        self.y_m = 0.0
        self.heading_rad = 0.0

    def travel(self, left_m: float, right_m: float) -> None:
        """Add the travel of both tracks since the last call, at a constant ratio."""
        way = (left_m + right_m) / 2.0
        turn = (right_m - left_m) / self._width_m
        start = self.heading_rad
        end = start + turn
        x_m, y_m = self.x_m, self.y_m
        if abs(turn) < _STRAIGHT_RAD:
            self.x_m += way * math.cos(start)
            self.y_m += way * math.sin(start)
        else:
            radius = way / turn
            self.x_m += radius * (math.sin(end) - math.sin(start))
            self.y_m += radius * (math.cos(start) - math.cos(end))
        self.heading_rad = math.remainder(end, math.tau)
        if self._variance_per_m and (left_m or right_m):
            errors = self._variance_per_m * abs(left_m), self._variance_per_m * abs(right_m)
            lever = way / (2.0 * self._width_m)
            cosine, sine = math.cos(start + turn / 2.0), math.sin(start + turn / 2.0)
            self.covariance.move(self.x_m - x_m, self.y_m - y_m)
            for error, side in zip(errors, (-1.0, 1.0), strict=True):
                self.covariance.add(
                    error,
                    0.5 * cosine - side * lever * sine,
                    0.5 * sine + side * lever * cosine,
                    side / self._width_m,
                )

    def quaternion_zw(self) -> tuple[float, float]:
        """Return the parts z and w of the heading as a quaternion."""
        return math.sin(self.heading_rad / 2.0), math.cos(self.heading_rad / 2.0)


class Covariance:
    """Covariance of x, y and heading."""

    __slots__ = ("hh", "xh", "xx", "xy", "yh", "yy")

    def __init__(self) -> None:
        self.xx = self.xy = self.xh = self.yy = self.yh = self.hh = 0.0

    def move(self, dx_m: float, dy_m: float) -> None:
        """Propagate the variance of the heading into a motion along it."""
        hh, xh, yh = self.hh, self.xh, self.yh
        self.xx += -2.0 * dy_m * xh + dy_m * dy_m * hh
        self.xy += dx_m * xh - dy_m * yh - dx_m * dy_m * hh
        self.yy += 2.0 * dx_m * yh + dx_m * dx_m * hh
        self.xh -= dy_m * hh
        self.yh += dx_m * hh

    def add(self, variance: float, x: float, y: float, heading: float) -> None:
        """Add an independent error of this variance, by its factors on x, y and heading."""
        self.xx += variance * x * x
        self.xy += variance * x * y
        self.xh += variance * x * heading
        self.yy += variance * y * y
        self.yh += variance * y * heading
        self.hh += variance * heading * heading

    def rows(self, floor: float, unknown: float) -> tuple[float, ...]:
        """Return the 6 x 6 matrix of nav_msgs/Odometry over x, y, z, roll, pitch, yaw. No variance
        is below `floor` (a filter would divide by it); those that tracks cannot measure are
        `unknown`."""
        return (
            *(self.xx + floor, self.xy, 0.0, 0.0, 0.0, self.xh),
            *(self.xy, self.yy + floor, 0.0, 0.0, 0.0, self.yh),
            *(0.0, 0.0, unknown, 0.0, 0.0, 0.0),
            *(0.0, 0.0, 0.0, unknown, 0.0, 0.0),
            *(0.0, 0.0, 0.0, 0.0, unknown, 0.0),
            *(self.xh, self.yh, 0.0, 0.0, 0.0, self.hh + floor),
        )
