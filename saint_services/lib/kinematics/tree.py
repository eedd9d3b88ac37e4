"""Computes where every link of a body is for given joint positions, in the frame of its root (REP
103: x forward, y left, z up). Pure. Not here: how a hand gets somewhere (inverse.py), how far
shapes are from each other (shapes.py).
"""

from collections.abc import Iterable, Mapping

from ..role_config.body import Body, BodyLink
from .poses import HERE, Pose, about, along, compose, origin

Positions = Mapping[str, float]  # by joint, radians or metres


class Tree:
    """The links of a body. A joint without a position stands at 0, or at its limit nearest to 0."""

    def __init__(self, body: Body) -> None:
        self.links = tuple(body.links)
        self.index = {link.name: number for number, link in enumerate(self.links)}
        self.parents = tuple(self.index.get(link.parent, -1) for link in self.links)
        self.by_joint = {link.joint: number for number, link in enumerate(self.links) if link.joint}
        self._origins = tuple(origin(link.xyz, link.rpy) for link in self.links)

    def poses(self, positions: Positions) -> list[Pose]:
        """Return the poses of all links, in their order."""
        found: list[Pose] = [HERE] * len(self.links)
        self.update(found, positions, range(len(self.links)))
        return found

    def update(self, poses: list[Pose], positions: Positions, numbers: Iterable[int]) -> None:
        """Compute the poses of some links again; parents come before their children."""
        for number in numbers:
            parent = self.parents[number]
            fixed = self._origins[number]
            pose = compose(poses[parent], fixed) if parent >= 0 else fixed
            link = self.links[number]
            poses[number] = moved(pose, link, value(link, positions))

    def moved_by(self, joints: Iterable[str]) -> list[int]:
        """Return the links that move when these joints move, in their order; also those whose joint
        mimics one of them."""
        driven, found = set(joints), set[int]()
        for number, link in enumerate(self.links):
            is_moved = bool(link.joint) and (link.joint in driven or link.mimics in driven)
            if is_moved or self.parents[number] in found:
                found.add(number)
        return sorted(found)

    def path(self, number: int) -> list[int]:
        """Return the links from the root to this one."""
        found = [number]
        while (number := self.parents[number]) >= 0:
            found.append(number)
        return found[::-1]


def value(link: BodyLink, positions: Positions) -> float:
    """Return the position of the link's joint."""
    if link.kind == "fixed":
        return 0.0
    if link.mimics:
        return positions.get(link.mimics, 0.0) * link.multiplier + link.offset
    return positions.get(link.joint, neutral(link))


def neutral(link: BodyLink) -> float:
    """Return 0, or the limit of the joint that is nearer to it."""
    if link.kind == "continuous":
        return 0.0
    return min(max(0.0, link.limits[0]), link.limits[1])


def moved(pose: Pose, link: BodyLink, position: float) -> Pose:
    """Return the pose of a link whose joint stands at a position; `pose` is that of the joint."""
    if position == 0.0 or link.kind == "fixed":
        return pose
    if link.kind == "prismatic":
        return compose(pose, along(link.axis, position))
    return compose(pose, about(link.axis, position))
