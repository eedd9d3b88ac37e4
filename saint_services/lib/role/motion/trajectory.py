"""A position's way over time: the fastest from where it is, and as fast as it is, to rest at a
goal, within a top speed and an acceleration. Planned anew whenever the goal changes, so the newest
command wins and nothing waits for a motion under way. Pure. Not here: when to move (joints).
"""

import math
from dataclasses import dataclass

_SMALLEST_S = 1e-9


@dataclass(frozen=True, slots=True)
class Leg:
    """A time of constant acceleration."""

    duration_s: float
    position: float  # at its beginning
    velocity: float
    acceleration: float

    def at(self, t_s: float) -> tuple[float, float]:
        """Position and velocity after so long."""
        velocity = self.velocity + self.acceleration * t_s
        return self.position + (self.velocity + velocity) / 2.0 * t_s, velocity


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Speeding up (or slowing down), going on, braking; then at rest at `goal`."""

    legs: tuple[Leg, ...]
    goal: float

    def at(self, t_s: float) -> tuple[float, float]:
        """Position and velocity at a time since its beginning."""
        for leg in self.legs:
            if t_s < leg.duration_s:
                return leg.at(t_s)
            t_s -= leg.duration_s
        return self.goal, 0.0

    @property
    def duration_s(self) -> float:
        """How long it takes in total."""
        return sum(leg.duration_s for leg in self.legs)


def braking_way(velocity: float, acceleration: float) -> float:
    """How far something goes on before it stands, with its sign."""
    return velocity * abs(velocity) / (2.0 * acceleration)


def plan(
    position: float, velocity: float, goal: float, top_speed: float, acceleration: float
) -> Trajectory:
    """The way to rest at `goal`. Speed and acceleration are positive. What is too fast to stop
    there passes the goal and comes back: acceleration is limited in every case.
    """
    ahead = goal - position - braking_way(velocity, acceleration)
    if ahead == 0.0 and velocity == 0.0:
        return Trajectory((), goal)
    way = math.copysign(1.0, ahead if ahead else velocity)
    speed = velocity * way  # negative: it moves the other way and turns round
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
