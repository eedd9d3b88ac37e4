"""Computes the pose of an arm's hand, and how it changes with each joint (its Jacobian). Pure.

A chain takes angles as the fields of its role have them, in order, but in radians.
"""

from collections.abc import Mapping, Sequence
from math import dist, pi

from ..role_config.body import Body, BodyLink
from .poses import HERE, Pose, Vector, compose, origin
from .tree import Tree, moved

Column = tuple[float, float, float, float, float, float]  # of the Jacobian: place, then rotation


class Chain:
    """The joints of a role that lie between the body's root and its hand. `limits` of fields, in
    radians, count where they are narrower than those of the joints."""

    def __init__(
        self, body: Body, target: str, limits: Mapping[str, tuple[float, float]] | None = None
    ) -> None:
        role = body.roles[target]
        if role.hand is None:
            raise ValueError(f"{target} has no hand")
        tree = Tree(body)
        path = [tree.links[number] for number in tree.path(tree.index[role.hand.link])]
        fields = {joint: field for field, joint in role.angles.items()}
        moving = [link for link in path if link.joint in fields]
        self.fields = tuple(fields[link.joint] for link in moving)
        self.joints = tuple(link.joint for link in moving)
        narrower = limits or {}
        self.limits = tuple(
            _range(link, narrower.get(name)) for name, link in zip(self.fields, moving, strict=True)
        )
        self._steps = [(origin(link.xyz, link.rpy), link) for link in path]
        self._tip = origin(role.hand.point)
        self.base = self._base()
        self.reach_m = self._reach(path, role.hand.point)

    def hand(self, angles: Sequence[float]) -> Pose:
        """Return the pose of the hand."""
        return self.solve(angles)[0]

    def solve(self, angles: Sequence[float]) -> tuple[Pose, list[Column]]:
        """Return the pose of the hand and the Jacobian's columns."""
        pose, number = HERE, 0
        axes: list[tuple[BodyLink, Vector, Vector]] = []
        for fixed, link in self._steps:
            pose = compose(pose, fixed)
            if number < len(self.joints) and link.joint == self.joints[number]:
                x, y, z = link.axis
                direction = (
                    pose[0] * x + pose[1] * y + pose[2] * z,
                    pose[3] * x + pose[4] * y + pose[5] * z,
                    pose[6] * x + pose[7] * y + pose[8] * z,
                )
                axes.append((link, direction, pose[9:]))
                pose = moved(pose, link, angles[number])
                number += 1
        pose = compose(pose, self._tip)
        return pose, [_column(*axis, pose[9:]) for axis in axes]

    def _base(self) -> Vector:
        pose = HERE
        for fixed, link in self._steps:
            pose = compose(pose, fixed)
            if self.joints and link.joint == self.joints[0]:
                break
        return pose[9:]

    def _reach(self, path: Sequence[BodyLink], point: Vector) -> float:
        names = [link.joint for link in path]
        beyond = path[names.index(self.joints[0]) + 1 :] if self.joints else []
        ways = sum(dist(link.xyz, (0.0, 0.0, 0.0)) for link in beyond)
        return ways + dist(point, (0.0, 0.0, 0.0))


def _range(link: BodyLink, given: tuple[float, float] | None) -> tuple[float, float]:
    low, high = (-pi, pi) if link.kind == "continuous" else link.limits
    return (max(low, given[0]), min(high, given[1])) if given else (low, high)


def _column(link: BodyLink, axis: Vector, at: Vector, hand: Vector) -> Column:
    if link.kind == "prismatic":
        return (*axis, 0.0, 0.0, 0.0)
    x, y, z = hand[0] - at[0], hand[1] - at[1], hand[2] - at[2]
    a, b, c = axis
    return (b * z - c * y, c * x - a * z, a * y - b * x, a, b, c)
