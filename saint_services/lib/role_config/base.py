"""Finds the base of a robot: what drives it over the ground, tracks or a wagon. Pages and programs
know a base by this alone: a Twist, `linear` in m/s and `angular` in rad/s. Pure.
"""

from collections.abc import Mapping
from typing import Final

from .model import RoleConfig

TWIST: Final = "geometry_msgs/msg/Twist"
LINEAR, ANGULAR = "linear", "angular"  # names of the fields
_PATHS: Final = {LINEAR: "linear.x", ANGULAR: "angular.z"}


def is_base(role: RoleConfig) -> bool:
    """Return whether a role can be driven by a Twist."""
    found = (role.fields.get(name) for name in _PATHS)
    return all(
        field is not None
        and field.kind == "velocity"
        and field.path == path
        and role.commands[field.command].type == TWIST
        for field, path in zip(found, _PATHS.values(), strict=True)
    )


def base_target(roles: Mapping[str, RoleConfig]) -> str:
    """Return the target of the first base; empty: the robot has none."""
    return next((target for target, role in roles.items() if is_base(role)), "")
