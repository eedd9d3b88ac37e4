"""Computes the room that the manifest's collision limits leave each joint, given the positions of
the others. Pure. Positions are those that the servos were sent to, so the ranges of the manifest
need a margin for the lag of a servo.
"""

from collections.abc import Mapping, Sequence
from math import inf

from ...role_config.model import CollisionLimit

_OUTSIDE = 1e-3  # degrees, or part of a ratio: what stops here is outside a range

Room = tuple[float, float]


class Fences:
    """All collision limits of a role.

    `room` is called for one joint after the other, each with the others' newest positions: then no
    step of one joint alone can break a limit, and limits that hold stay so.
    """

    def __init__(self, limits: Sequence[CollisionLimit]) -> None:
        self._limits = tuple(limits)
        self.joints = {name for limit in limits for name in (*limit.when, *limit.then)}

    def room(self, joint: str, at: Mapping[str, float]) -> Room:
        """Return the positions between which a joint may be now. Lower above upper: it must not
        move."""
        low, high = -inf, inf
        for limit in self._limits:
            if joint in limit.then:
                between = _room_of_bound(joint, limit, at)
            elif joint in limit.when:
                between = _room_of_cause(joint, limit, at)
            else:
                continue
            low, high = max(low, between[0]), min(high, between[1])
        return low, high

    def are_kept(self, at: Mapping[str, float]) -> bool:
        """Return whether every limit holds."""
        return not any(_all_inside(limit, at) and _is_broken(limit, at) for limit in self._limits)


def _room_of_bound(joint: str, limit: CollisionLimit, at: Mapping[str, float]) -> Room:
    return limit.then[joint] if _all_inside(limit, at) else (-inf, inf)


def _room_of_cause(joint: str, limit: CollisionLimit, at: Mapping[str, float]) -> Room:
    """Keep a joint out of its range of `when` while its entry would break the limit."""
    low, high = limit.when[joint]
    is_in = low <= at[joint] <= high  # already: the others return into their room
    if is_in or not _all_inside(limit, at, but=joint) or not _is_broken(limit, at):
        return -inf, inf
    if at[joint] < low:  # a joint that is nearer already may stay
        return -inf, max(low - _OUTSIDE, at[joint])
    return min(high + _OUTSIDE, at[joint]), inf


def _all_inside(limit: CollisionLimit, at: Mapping[str, float], but: str = "") -> bool:
    return all(low <= at[name] <= high for name, (low, high) in limit.when.items() if name != but)


def _is_broken(limit: CollisionLimit, at: Mapping[str, float]) -> bool:
    if not limit.then:
        return True
    return any(not low <= at[name] <= high for name, (low, high) in limit.then.items())
