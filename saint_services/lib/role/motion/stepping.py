"""Turns the positions of an axis, one for each slice, into the times of single steps. Pure. Not
here: the positions (axis.py), the timer and the pins (stepper_output.py).
"""

import math

_NEAR = 1e-6  # of a step
# Of the shortest time between two steps: so much earlier may one come that makes up for a late one.
_SOONEST = 0.75


class StepTrain:
    """The steps of one motor. It makes a step once the position has gone the whole way of it, so it
    is less than one step behind, never ahead, and exact where a motion ends at a whole step.
    """

    def __init__(self, most_hz: float, count: int = 0) -> None:
        self.count = count  # where the motor is, in steps
        self._shortest_s = _SOONEST / most_hz
        self._from = self._to = float(count)
        self._from_s = self._to_s = -math.inf
        self._last_s = -math.inf  # when the newest step was made

    def follow(self, place: float, now_s: float, over_s: float) -> None:
        """Go to a place evenly, to be there after `over_s`; what has not been reached yet of the
        way before is part of it."""
        self._from = self._place(now_s)
        self._to, self._from_s, self._to_s = place, now_s, now_s + over_s

    def due_s(self) -> float | None:
        """Return when the next step is to be made; None while there is none."""
        ahead = self._to - self.count
        if abs(ahead) < 1.0 - _NEAR:
            return None
        reached = self.count + math.copysign(1.0, ahead)
        share = 0.0  # it was reached before
        if self._to != self._from:
            share = (reached - self._from) / (self._to - self._from)
        due_s = self._from_s + min(max(share, 0.0), 1.0) * (self._to_s - self._from_s)
        return max(due_s, self._last_s + self._shortest_s)

    def take(self, now_s: float) -> int:
        """Return the step that is due, 1 up or -1 down, and count it as made; 0 without one."""
        due_s = self.due_s()
        if due_s is None or now_s < due_s:
            return 0
        way = 1 if self._to > self.count else -1
        self.count += way
        self._last_s = now_s
        return way

    def stop(self, count: int | None = None) -> None:
        """Stand, here or at what is known to be `count`."""
        self.count = self.count if count is None else count
        self._from = self._to = float(self.count)
        self._from_s = self._to_s = -math.inf

    @property
    def is_still(self) -> bool:
        """True when no step is left to make."""
        return self.due_s() is None

    def _place(self, now_s: float) -> float:
        if now_s >= self._to_s:
            return self._to
        share = (now_s - self._from_s) / (self._to_s - self._from_s)
        return self._from + share * (self._to - self._from)
