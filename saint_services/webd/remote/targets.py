"""Finds the target that a remote side means by the name of a robot."""

from collections.abc import Mapping

from ...lib.config.spelling import hint_or_all
from ...lib.errors import Code, SaintError
from ...lib.role_config.model import RoleConfig


def find(robot_id: str, roles: Mapping[str, RoleConfig], *, is_known: bool = True) -> RoleConfig:
    """Return the role of a target by its whole name, or by its last part where that is enough:
    "parts.follower", "follower". Raises not_found; one who is not signed in learns no names.
    """
    driven = {target: role for target, role in roles.items() if role.fields}
    named = [role for target, role in driven.items() if target == robot_id]
    named = named or [r for target, r in driven.items() if target.rpartition(".")[2] == robot_id]
    if len(named) == 1:
        return named[0]
    meant = hint_or_all(robot_id, driven) if is_known else ""
    text = f"there is no robot {robot_id[:64]!r} here; a target of this robot is meant{meant}"
    raise SaintError(Code.NOT_FOUND, text)
