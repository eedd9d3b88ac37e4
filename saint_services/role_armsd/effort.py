"""What a joint's servo exerts, where a meter in its supply tells: newton metres by the manifest's
figures, without direction, which no supply tells. NaN for what is not measured. Not here: a
gripper's force (grip.py).
"""

import math
from collections.abc import Callable, Iterable

from ..lib.role import Joint
from ..lib.role_config.model import RoleConfig


class Efforts:
    """Of the joints of one arm. `read_a` gives what a meter of i2c_devices measures, or None."""

    def __init__(self, config: RoleConfig, read_a: Callable[[str], float | None]) -> None:
        outputs = config.gpio_mapping.items()
        self._metered = {name: spec for name, spec in outputs if spec.torque_nm_per_a}
        self._read_a = read_a

    def of(self, joints: Iterable[Joint]) -> tuple[float, ...]:
        """In their order; nothing at all where none of them is measured."""
        found = tuple(self._effort_nm(joint.name) for joint in joints)
        return () if all(math.isnan(effort) for effort in found) else found

    def _effort_nm(self, name: str) -> float:
        spec = self._metered.get(name)
        current_a = self._read_a(spec.current_device) if spec else None
        if spec is None or current_a is None or spec.torque_nm_per_a is None:
            return math.nan
        return max(0.0, current_a - spec.idle_current_a) * spec.torque_nm_per_a
