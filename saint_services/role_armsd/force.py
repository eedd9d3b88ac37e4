"""Computes forces from motor currents: the efforts of joints, by the manifest's figures and without
direction, which no supply shows; and how strongly a gripper closes. With a current meter in its
supply closing ends where the limit is felt; without one a lower limit only closes more slowly.
Pure.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..lib.role.motion.joints import Joint
from ..lib.role_config.model import Grip, RoleConfig

SLOWEST = 0.1  # of the top rate; a servo that creeps more slowly may stick
_FELT = 3  # readings in a row: the current of a start is no object
_LOST = 0.6  # of the limit; below it the object has slipped, and closing goes on


class JointEfforts:
    """The efforts of one arm's joints. `read_a` returns what a meter of i2c_devices measures, or
    None."""

    def __init__(self, config: RoleConfig, read_a: Callable[[str], float | None]) -> None:
        outputs = config.gpio_mapping.items()
        self._metered = {name: spec for name, spec in outputs if spec.torque_nm_per_a}
        self._read_a = read_a

    def of(self, joints: Iterable[Joint]) -> tuple[float, ...]:
        """Return efforts in N m in the order of the joints, NaN without a meter; none at all where
        no joint has one."""
        found = tuple(self._effort_nm(joint.name) for joint in joints)
        return () if all(math.isnan(effort) for effort in found) else found

    def _effort_nm(self, name: str) -> float:
        spec = self._metered.get(name)
        current_a = self._read_a(spec.current_device) if spec else None
        if spec is None or current_a is None or spec.torque_nm_per_a is None:
            return math.nan
        return max(0.0, current_a - spec.idle_current_a) * spec.torque_nm_per_a


@dataclass(slots=True)
class GripControl:
    """Controls one gripper by its commands and its meter."""

    grip: Grip | None
    limit_n: float = 0.0  # as commanded; 0: at full force
    position: float = 0.0  # as commanded
    force_n: float = math.nan
    is_holding: bool = False
    _felt: int = 0
    _held_limit_n: float = 0.0

    def command(self, position: float, force_n: float, applied: float) -> float:
        """Accept a command; returns the position to go to. A held object is not pressed further."""
        self.position = position
        self.limit_n = max(0.0, force_n)
        self.is_holding = self.is_holding and position < applied
        return applied if self.is_holding else position

    def share(self, applied: float) -> float:
        """Return the share of the top rate. Opening is never slowed down."""
        if self.grip is None or self.limit_n == 0.0 or self.position >= applied:
            return 1.0
        return min(1.0, max(SLOWEST, self.limit_n / self.grip.max_force_n))

    def feel(self, current_a: float | None, applied: float) -> float | None:
        """Accept a reading of the meter, None without one; returns a new position to go to, or
        None. `applied` is where the gripper has been sent so far."""
        grip = self.grip
        if grip is None or current_a is None:
            self.force_n, self._felt = math.nan, 0
            if not self.is_holding:
                return None
            self.is_holding = False  # without a reading the command counts
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
