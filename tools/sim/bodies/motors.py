"""Simulates a motor with its encoder: duty in; speed, current and quadrature edges out. Pure: time
comes in as an argument.
"""

import math
from dataclasses import dataclass

LAG_S = 0.08  # time constant from duty to speed: the inertia of the robot
STALL_A = 12.0  # full duty, blocked; role-tracksd's own estimate uses the same
_STILL = 0.001  # share of the top speed that counts as standing
_ROLLING = 0.05  # least friction without a motor's torque, or it would never stop
_LEVELS = ((False, False), (True, False), (True, True), (False, True))  # A, B: A leads forward


@dataclass(slots=True)
class SimMotor:
    """DC motor on a bridge that brakes at zero duty. Positions and speeds are in counts."""

    top_speed: float  # counts per second at full duty, with friction
    duty: float = 0.0  # signed; times the share of the supply that is there
    speed: float = 0.0
    position: float = 0.0
    counted: int = 0
    friction: float = 0.0  # share of the full duty that only overcomes friction
    load: float = 0.0  # the same, by what it has to move
    is_blocked: bool = False
    is_open: bool = False  # no connection to the bridge: it rolls on

    def advance(self, dt_s: float) -> None:
        """Step by the exact solution for a constant duty, so the step's length does not matter."""
        if self.is_blocked:
            self.speed = 0.0
        while dt_s > 0.0 and self.is_turning:
            dt_s = self._roll(dt_s) if self.is_open else self._pull(dt_s)
        if abs(self.duty) <= self._resistance and abs(self.speed) < _STILL * self.top_speed:
            self.speed = 0.0

    def edges(self) -> list[tuple[int, bool]]:
        """Return the edges since the last call: line (0: A, 1: B) and its new level."""
        found = []
        end = math.floor(self.position)
        step = 1 if end > self.counted else -1
        while self.counted != end:
            before = _LEVELS[self.counted % 4]
            self.counted += step
            after = _LEVELS[self.counted % 4]
            line = 0 if before[0] != after[0] else 1
            found.append((line, after[line]))
        return found

    @property
    def levels(self) -> tuple[bool, bool]:
        """Return the levels of the encoder's lines after all edges so far."""
        return _LEVELS[self.counted % 4]

    @property
    def is_turning(self) -> bool:
        """Return True while stepping changes the state."""
        if self.is_blocked:
            return False
        return self.speed != 0.0 or (not self.is_open and abs(self.duty) > self._resistance)

    @property
    def current_a(self) -> float:
        """Return the current of the winding; negative while it brakes forward motion."""
        if self.is_open:
            return 0.0
        return STALL_A * (self.duty - self.speed / self._ideal_speed)

    @property
    def gain(self) -> float:
        """Return the acceleration in counts per second squared."""
        if not self.is_turning:
            return 0.0
        if self.is_open:
            return -math.copysign(self._roll_gain, self.speed)
        return (self._goal() - self.speed) / LAG_S

    @property
    def _ideal_speed(self) -> float:
        """Return the speed at full duty without friction."""
        return self.top_speed / (1.0 - self.friction)

    @property
    def _resistance(self) -> float:
        return self.friction + self.load

    @property
    def _roll_gain(self) -> float:
        return self._ideal_speed * max(self._resistance, _ROLLING) / LAG_S

    def _goal(self) -> float:
        """Return the final speed if its sign never changed."""
        sign = math.copysign(1.0, self.speed or self.duty)
        return self._ideal_speed * (self.duty - sign * self._resistance)

    def _pull(self, dt_s: float) -> float:
        """Step until the time is over or the motor is at rest; return the time left."""
        goal = self._goal()
        excess = self.speed - goal
        used_s = dt_s
        if self.speed * goal < 0.0 or (self.speed != 0.0 and goal == 0.0 and self._resistance):
            # It passes standstill, where friction changes its sign (or holds it).
            ratio = excess / -goal if goal else math.inf
            used_s = min(dt_s, LAG_S * math.log(ratio))
        decay = math.exp(-used_s / LAG_S)
        self.position += goal * used_s + excess * LAG_S * (1.0 - decay)
        self.speed = goal + excess * decay if used_s == dt_s else 0.0
        return dt_s - used_s

    def _roll(self, dt_s: float) -> float:
        used_s = min(dt_s, abs(self.speed) / self._roll_gain)
        end = self.speed - math.copysign(self._roll_gain * used_s, self.speed)
        self.position += (self.speed + end) / 2.0 * used_s
        self.speed = end if used_s == dt_s else 0.0
        return dt_s - used_s
