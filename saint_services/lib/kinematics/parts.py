"""Lists the shapes of a body as one role sees them, which pairs of them can meet, and how far a
joint can move each of them. Pure; computed once.

What is left out: two links that one joint connects, and shapes that are closer than the margin with
every joint at neutral: they touch by construction. A joint whose position no role reports (a
gripper of another role, a wheel) is somewhere in its range: its shapes are widened by what it can
move them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import dist, hypot, inf

from ..role_config.body import Body, BodyLink
from .poses import Pose, Vector, place
from .shapes import Block, ball_gap, block, gap, gap_to_plane, standing, swept, widened
from .tree import Tree, neutral

ZERO = (0.0, 0.0, 0.0)
UP = (0.0, 0.0, 1.0)
FLOOR = -1  # instead of the number of a shape
_FAR_M = 0.15  # farther than this the balls around two shapes are exact enough


@dataclass(frozen=True, slots=True)
class Pair:
    """Two shapes by number, the first of them of this role; the second may be FLOOR."""

    a: int
    b: int


class Scene:
    """Shapes where they are at certain joint positions. What does not move is shared."""

    def __init__(self, parts: "Parts", poses: list[Pose], still: dict[int, Block]) -> None:
        self.poses = poses
        self._parts = parts
        self._still = still
        self._found: dict[int, Block] = {}

    def block(self, number: int) -> Block:
        """Return a shape where it is."""
        found = self._found.get(number) or self._still.get(number)
        if found is None:
            found = standing(self._parts.blocks[number], self.poses[self._parts.link_of[number]])
            self._found[number] = found
        return found

    def gap(self, pair: Pair) -> float:
        """Return a bound of the distance of a pair, from below; a coarse one of a pair that is far
        apart."""
        if pair.b == FLOOR:
            return gap_to_plane(self.block(pair.a), UP, self._parts.floor_m)
        first = ball_gap(self.block(pair.a), self.block(pair.b))
        return first if first > _FAR_M else max(first, self.fine_gap(pair))

    def fine_gap(self, pair: Pair) -> float:
        """Return a bound that is nearly the distance, however far the shapes are apart."""
        if pair.b == FLOOR:
            return self.gap(pair)
        return gap(self.block(pair.a), self.block(pair.b))


class Parts:
    """The shapes of a body; `own` are the numbers of the links that the role moves, and `others`
    those that other roles move, by target."""

    def __init__(self, body: Body, target: str) -> None:
        self.tree = Tree(body)
        self.body = body
        role = body.roles[target]
        self.joints = {**role.angles, **role.shares}  # by field
        self.own = self.tree.moved_by(self.joints.values())
        reported = set(self.joints.values())
        self.others: dict[str, list[int]] = {}
        for name, other in body.roles.items():
            if name != target and other.angles:
                reported |= set(other.angles.values())
                self.others[name] = self.tree.moved_by(other.angles.values())
        self.floor_m = -inf if body.floor_m is None else body.floor_m
        self.blocks: list[Block] = []
        self.link_of: list[int] = []
        for number, link in enumerate(self.tree.links):
            for shape in link.shapes:
                self.blocks.append(self._covered(block(shape), number, reported))
                self.link_of.append(number)
        poses = self.tree.poses({})
        moving = {*self.own, *(each for links in self.others.values() for each in links)}
        every = Scene(self, poses, {})
        self.still = {
            i: every.block(i) for i, link in enumerate(self.link_of) if link not in moving
        }
        self.pairs = self._pairs(Scene(self, poses, self.still))

    def name(self, number: int) -> str:
        """Return how people call the link of a shape."""
        return "floor" if number == FLOOR else self.tree.links[self.link_of[number]].name

    def lever(self, joint: str, number: int) -> float:
        """Return how far, at most, a point of a link's shapes moves per radian or metre of a joint;
        0 where the joint does not carry the link."""
        path = self.tree.path(number)
        found, way = 0.0, self._size(number)
        for each in reversed(path):
            link = self.tree.links[each]
            factor = 1.0 if link.joint == joint else abs(link.multiplier)
            if link.kind != "fixed" and joint in (link.joint, link.mimics):
                found += factor * (1.0 if link.kind == "prismatic" else way + _range(link))
            way += dist(link.xyz, ZERO) + _range(link)
        return found

    def _size(self, number: int) -> float:
        """Return how far the shapes of a link extend from its origin."""
        sizes = [
            dist(each.pose[9:], ZERO) + each.ball_m
            for each, link in zip(self.blocks, self.link_of, strict=True)
            if link == number
        ]
        return max(sizes, default=0.0)

    def _covered(self, shape: Block, number: int, reported: set[str]) -> Block:
        """Return a shape that covers this one wherever joints are whose position is not known."""
        links = self.tree.links
        at: Vector = ZERO  # the origin of the link whose joint is looked at, from this link
        for each in reversed(self.tree.path(number)):
            link = links[each]
            if link.kind != "fixed" and not {link.joint, link.mimics} & reported:
                shape = _anywhere(shape, link, at, is_direct=each == number)
            at = (at[0], at[1], at[2]) if link.kind == "fixed" else at
            at = (at[0] + dist(link.xyz, ZERO), 0.0, 0.0)
        return shape

    def _pairs(self, scene: Scene) -> list[Pair]:
        own, found = set(self.own), list[Pair]()
        for a, link in enumerate(self.link_of):
            if link not in own:
                continue
            for b, other in enumerate(self.link_of):
                is_twice = other in own and other >= link
                if is_twice or self._are_joined(link, other):
                    continue
                found.append(Pair(a, b))
            if self.floor_m > -inf:
                found.append(Pair(a, FLOOR))
        return [pair for pair in found if scene.gap(pair) >= self.body.margin_m]

    def _are_joined(self, a: int, b: int) -> bool:
        """Whether the links stand fixed to each other, or one joint connects them."""
        up, down = set(self.tree.path(a)), set(self.tree.path(b))
        moving = [each for each in up ^ down if self.tree.links[each].kind != "fixed"]
        parents = self.tree.parents
        return not moving or parents[a] == b or parents[b] == a


def _range(link: BodyLink) -> float:
    return max(map(abs, link.limits)) if link.kind == "prismatic" else 0.0


def _anywhere(shape: Block, link: BodyLink, at: Vector, *, is_direct: bool) -> Block:
    low, high = link.limits
    scale = abs(link.multiplier) if link.mimics else 1.0
    if link.kind == "prismatic":
        if is_direct:
            return swept(shape, link.axis, low * scale, high * scale)
        return widened(shape, max(abs(low), abs(high)) * scale)
    if is_direct and _is_round(shape, link.axis):
        return shape
    reach = dist(shape.pose[9:], ZERO) + shape.ball_m + at[0]
    if link.kind == "continuous":
        return widened(shape, 2.0 * reach)
    rest = neutral(link)
    return widened(shape, min(2.0, max(high - rest, rest - low) * scale) * reach)


def _is_round(shape: Block, axis: Sequence[float]) -> bool:
    """Whether turning a shape about an axis through the origin of its link changes nothing."""
    centre = shape.pose[9:]
    along = sum(a * b for a, b in zip(centre, axis, strict=True))
    off = hypot(*(a - along * b for a, b in zip(centre, axis, strict=True)))
    edges = [
        hypot(*(_cross([shape.pose[3 * k + i] for k in range(3)], axis)))
        for i, half in enumerate(shape.half)
        if half > 0.0
    ]
    return off < 1e-4 and all(sine < 1e-3 for sine in edges)


def _cross(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float]:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def origin_of(tree: Tree, joint: str, poses: Sequence[Pose]) -> Vector:
    """Return where the axis of a joint begins."""
    number = tree.by_joint[joint]
    parent = tree.parents[number]
    xyz = tree.links[number].xyz
    return place(poses[parent], xyz) if parent >= 0 else xyz
