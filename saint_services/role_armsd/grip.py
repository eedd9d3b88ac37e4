"""How strongly a gripper closes. With a current meter in its supply: closing ends where the limit
is felt. Without one nothing can be felt: a lower limit only closes more slowly. Pure.
"""

from dataclasses import dataclass
from math import nan

from saint_services.lib.role_config.model import Grip

SLOWEST = 0.1  # of the top rate; a servo that creeps more slowly may stick
_FELT = 3  # readings in a row: the current of starting is no object
_LOST = 0.6  # of the limit; below it the object has slipped, and closing goes on


@dataclass(slots=True)
class Gripping:
    """One gripper between its commands and its meter."""

    grip: Grip | None
    limit_n: float = 0.0  # as commanded; 0: as strong as it is
    position: float = 0.0  # as commanded
    force_n: float = nan
    is_holding: bool = False
    _felt: int = 0
    _held_limit_n: float = 0.0

    def command(self, position: float, force_n: float, applied: float) -> float:
        """A new command; returns where to go. What is held is not pressed further."""
        self.position = position
        self.limit_n = max(0.0, force_n)
        self.is_holding = self.is_holding and position < applied
        return applied if self.is_holding else position

    def share(self, applied: float) -> float:
        """Of the top rate. Opening is never slowed down."""
        if self.grip is None or self.limit_n == 0.0 or self.position >= applied:
            return 1.0
        return min(1.0, max(SLOWEST, self.limit_n / self.grip.max_force_n))

    def feel(self, current_a: float | None, applied: float) -> float | None:
        """A reading of the meter (None: there is none); returns where to go now, None: nowhere
        new. `applied` is where the gripper has been sent so far.
        """
        grip = self.grip
        if grip is None or current_a is None:
            self.force_n, self._felt = nan, 0
            if not self.is_holding:
                return None
            self.is_holding = False  # blind again: the command counts
            return self.position
        span_a = max(grip.stall_current_a - grip.idle_current_a, 1e-3)
        share = (abs(current_a) - grip.idle_current_a) / span_a
        self.force_n = min(max(share, 0.0), 1.0) * grip.max_force_n
        limit_n = min(self.limit_n or grip.max_force_n, grip.max_force_n)
        if self.is_holding:
            return self._held(limit_n)
        is_closing = self.position < applied
        self._felt = self._felt + 1 if is_closing and self.force_n >= limit_n * 0.98 else 0
        if self._felt < _FELT:
            return None
        self.is_holding, self._held_limit_n = True, limit_n
        return applied

    def _held(self, limit_n: float) -> float | None:
        if self.force_n >= limit_n * _LOST and limit_n <= self._held_limit_n:
            return None  # neither has the object slipped nor may it be held more strongly
        self.is_holding, self._felt = False, 0
        return self.position
