"""Judges how fast a role may move towards what another role moves, of which it knows the past only.
Pure: every call has its time.

Two rules make that safe, if both sides obey them:

- Towards another role's shapes a link moves per second by at most a quarter of the free distance
  per LATE_S. Two arms that come towards each other, each of which sees the other LATE_S ago, do not
  pass the margin: with k for that pace, the free distance e of two such motions falls by k times e
  and what was not seen yet, on either side; such an e stays positive for k up to 0.278 / LATE_S.
- Where a state is older than that, the other role counts as having come nearer at its top speed
  ever since. After ABSENT_S without one, or before the first, it counts as standing where it was
  seen last, or at neutral; and each of two arms stays on its side of the plane halfway between
  their first joints.

The head is the exception: it keeps the margin to where an arm was seen last, at its own pace, while
an arm keeps its pace towards the head. Under the first rule a head between two arms turned at a
tenth of its speed, since it turns where it stands and comes no nearer.
"""

from collections.abc import Mapping
from math import dist, inf, isfinite

from .parts import Parts
from .poses import Vector
from .tree import Tree
from .watch import PairWatch

LATE_S = 0.15
FRESH_S = 0.12  # since its arrival; the rest of LATE_S is for the way of a state
ABSENT_S = 1.0
PACE = 0.25 / LATE_S  # per second, of the free distance


class OtherRole:
    """Another role whose joints move shapes."""

    def __init__(self, parts: Parts, own: str, target: str) -> None:
        links = parts.others[target]
        tree = parts.tree
        self.target = target
        self.joints = tuple(parts.body.roles[target].angles.values())
        self.watches: dict[int, PairWatch] = {}  # by own link
        self.carries_own = bool(set(links) & set(parts.own))
        self._levers = {
            joint: max(parts.lever(joint, link) for link in links) for joint in self.joints
        }
        self._speed_mps = sum(
            tree.links[tree.by_joint[joint]].velocity * lever
            for joint, lever in self._levers.items()
        )
        self._seen_s = -inf
        self._has_pace = own.partition(".")[0] == "arms"
        self._side: tuple[Vector, float] | None = None
        if {own.partition(".")[0], target.partition(".")[0]} == {"arms"}:
            first = next(iter(parts.joints.values()))
            self._side = _halfway(tree, first, self.joints[0])

    def see(
        self, positions: Mapping[str, float], at: Mapping[str, float], now_s: float
    ) -> dict[str, float] | None:
        """Accept a state; returns the positions of all its joints, or None when one is missing or
        no number. `at` are the positions that were known before."""
        found = {joint: positions[joint] for joint in self.joints if joint in positions}
        if len(found) != len(self.joints) or not all(map(isfinite, found.values())):
            return None
        self._seen_s = now_s
        way_m = sum(abs(value - at[joint]) * self._levers[joint] for joint, value in found.items())
        for watch in self.watches.values():
            watch.move(way_m)
        return found

    def paces(self, link: int) -> bool:
        """Whether an own link may move towards it at a limited pace only."""
        return self._has_pace and link in self.watches

    def is_absent(self, now_s: float) -> bool:
        """Whether nothing recent is known of it."""
        return now_s - self._seen_s > ABSENT_S

    def side(self, now_s: float) -> tuple[Vector, float] | None:
        """Return the plane on whose side this role has to stay: its normal towards that side, and
        its offset; None while the other role is seen."""
        return self._side if self.is_absent(now_s) else None

    def allowed_m(self, room_m: float, period_s: float, now_s: float) -> float:
        """Return how far a link may move towards it within a period."""
        age_s = now_s - self._seen_s
        if age_s > ABSENT_S or not self._has_pace:
            return inf  # it stands where it was, and the margin counts
        unseen_m = self._speed_mps * age_s if age_s > FRESH_S else 0.0
        return max(0.0, PACE * period_s * (room_m - unseen_m))


def _halfway(tree: Tree, own: str, other: str) -> tuple[Vector, float] | None:
    poses = tree.poses({})
    p, q = (poses[tree.by_joint[joint]][9:] for joint in (own, other))
    way = dist(p, q)
    if way < 1e-6:
        return None
    normal = ((p[0] - q[0]) / way, (p[1] - q[1]) / way, (p[2] - q[2]) / way)
    return normal, sum(n * (a + b) / 2.0 for n, a, b in zip(normal, p, q, strict=True))
