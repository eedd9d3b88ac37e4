"""Plans the fastest motion of a position from its present place and speed to rest at a goal, within
a top speed and an acceleration. It is planned again whenever the goal changes: the newest command
wins and waits for no other. Pure. Not here: when to move (joints.py).
"""

import math
from dataclasses import dataclass

_SMALLEST_S = 1e-9


@dataclass(frozen=True, slots=True)
class Leg:
    """An interval of constant acceleration."""

    duration_s: float
    position: float  # at its beginning
    velocity: float
    acceleration: float

    def at(self, t_s: float) -> tuple[float, float]:
        """Return position and velocity `t_s` after its beginning."""
        velocity = self.velocity + self.acceleration * t_s
        return self.position + (self.velocity + velocity) / 2.0 * t_s, velocity


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Acceleration, constant speed, braking; then rest at `goal`."""

    legs: tuple[Leg, ...]
    goal: float

    def at(self, t_s: float) -> tuple[float, float]:
        """Return position and velocity `t_s` after its beginning."""
        for leg in self.legs:
            if t_s < leg.duration_s:
                return leg.at(t_s)
            t_s -= leg.duration_s
        return self.goal, 0.0

    @property
    def duration_s(self) -> float:
        """The duration in total."""
        return sum(leg.duration_s for leg in self.legs)


def braking_way(velocity: float, acceleration: float) -> float:
    """Return the braking distance, with the sign of the velocity."""
    return velocity * abs(velocity) / (2.0 * acceleration)


def plan(
    position: float, velocity: float, goal: float, top_speed: float, acceleration: float
) -> Trajectory:
    """Plan a motion to rest at `goal`; top speed and acceleration are positive. A position that is
    too fast to stop there passes the goal and returns: acceleration is limited in every case.
    """
    ahead = goal - position - braking_way(velocity, acceleration)
    if ahead == 0.0 and velocity == 0.0:
        return Trajectory((), goal)
    way = math.copysign(1.0, ahead if ahead else velocity)
    speed = velocity * way  # negative: it moves away and has to turn
    distance = (goal - position) * way
    # From `speed` up to the peak and down to zero again fills the distance exactly.
    peak = math.sqrt(max(0.0, acceleration * distance + speed * speed / 2.0))
    peak = min(peak, top_speed)
    first_s = abs(peak - speed) / acceleration
    last_s = peak / acceleration
    left = distance - (speed + peak) / 2.0 * first_s - peak / 2.0 * last_s
    cruise_s = max(0.0, left / peak) if peak > 0.0 else 0.0
    gain = math.copysign(acceleration, peak - speed) * way
    legs: list[Leg] = []
    for duration_s, change in ((first_s, gain), (cruise_s, 0.0), (last_s, -acceleration * way)):
        if duration_s > _SMALLEST_S:
            legs.append(Leg(duration_s, position, velocity, change))
            position, velocity = legs[-1].at(duration_s)
    return Trajectory(tuple(legs), goal)
