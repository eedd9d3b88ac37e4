"""Motion of the simulated robot over the ground, and measurements of an inertial sensor in its
head. Pure. Axes by REP 103: x forward, y left, z up.
"""

import math
from dataclasses import dataclass

GRAVITY_MPS2 = 9.80665
_STRAIGHT_RAD = 1e-9  # below, an arc's radius is too large to compute with
Vector = tuple[float, float, float]


@dataclass(slots=True)
class Base:
    """Pose of a tracked vehicle, which does not slip."""

    width_m: float
    x_m: float = 0.0
    y_m: float = 0.0
    heading_rad: float = 0.0

    def travel(self, left_m: float, right_m: float) -> None:
        """Move along an exact arc."""
        way, turn = (left_m + right_m) / 2.0, (right_m - left_m) / self.width_m
        start, end = self.heading_rad, self.heading_rad + turn
        if abs(turn) < _STRAIGHT_RAD:
            self.x_m += way * math.cos(start)
            self.y_m += way * math.sin(start)
        else:
            radius = way / turn
            self.x_m += radius * (math.sin(end) - math.sin(start))
            self.y_m += radius * (math.cos(start) - math.cos(end))
        self.heading_rad = math.remainder(end, math.tau)


@dataclass(frozen=True, slots=True)
class Ride:
    """Motion of the base at one moment."""

    speed_mps: float = 0.0
    turn_radps: float = 0.0
    gain_mps2: float = 0.0  # of the speed


@dataclass(frozen=True, slots=True)
class Neck:
    """Angles of the head in rad and their rates; left, up and right ear down are positive, as in
    the robot's model.
    """

    pan_rad: float = 0.0
    tilt_rad: float = 0.0
    roll_rad: float = 0.0
    pan_radps: float = 0.0
    tilt_radps: float = 0.0
    roll_radps: float = 0.0


def felt(ride: Ride, neck: Neck) -> tuple[Vector, Vector]:
    """Return turn rates (rad/s) and specific force (m/s2) in the axes of the head."""
    rates: Vector = (0.0, 0.0, ride.turn_radps)
    force: Vector = (ride.gain_mps2, ride.speed_mps * ride.turn_radps, GRAVITY_MPS2)
    rates, force = _about_z(rates, neck.pan_rad), _about_z(force, neck.pan_rad)
    rates = (rates[0], rates[1], rates[2] + neck.pan_radps)
    # Up is a negative turn about y, which points to the left.
    rates, force = _about_y(rates, -neck.tilt_rad), _about_y(force, -neck.tilt_rad)
    rates = (rates[0], rates[1] - neck.tilt_radps, rates[2])
    rates, force = _about_x(rates, neck.roll_rad), _about_x(force, neck.roll_rad)
    return (rates[0] + neck.roll_radps, rates[1], rates[2]), force


def _about_z(v: Vector, angle: float) -> Vector:
    """Return the vector in axes that are turned by `angle`."""
    c, s = math.cos(angle), math.sin(angle)
    return c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]


def _about_y(v: Vector, angle: float) -> Vector:
    c, s = math.cos(angle), math.sin(angle)
    return c * v[0] - s * v[2], v[1], c * v[2] + s * v[0]


def _about_x(v: Vector, angle: float) -> Vector:
    c, s = math.cos(angle), math.sin(angle)
    return v[0], c * v[1] + s * v[2], c * v[2] - s * v[1]
