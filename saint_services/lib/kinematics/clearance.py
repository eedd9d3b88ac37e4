"""Keeps the joints of one role from bringing two shapes of the robot closer to each other than the
margin: its own to each other, to the rest of the body, to the floor and to what other roles move.
Pure: every call has its time. Not here: which pairs there are (parts.py), how distances are
measured (shapes.py), how old the knowledge of another role may be (others.py).

Each step of the joints is checked before a servo gets it: the whole step, in parts no longer than
the margin, then joint by joint, so that what can go on goes on. A step that does not bring a pair
closer than it is, is allowed wherever the arm is: nothing is ever caught.
"""

from collections.abc import Iterator, Mapping
from math import ceil, inf

from ..role_config.body import Body
from .others import OtherRole
from .parts import Pair, Parts, Scene
from .poses import Pose
from .shapes import gap_to_plane
from .tree import neutral
from .watch import PairWatch

_LONGEST_S = 0.02  # a step's time; what a delayed loop missed is not made good
_LEAST = 0.02  # of a step: less than this is no motion
_SAME_M = 1e-12

Values = Mapping[str, float]  # by field; radians and metres


class Clearance:
    """Where the joints of one role may go now."""

    def __init__(self, body: Body, target: str) -> None:
        self._parts = parts = Parts(body, target)
        self._margin_m = body.margin_m
        links = parts.tree.links
        self._at = {link.joint: neutral(link) for link in links if link.joint}
        # What is None is computed when it counts: joints have moved since.
        self._known: Scene | None = None
        self._around: list[Pose] | None = None  # of the links that this role does not move
        self._levers = {
            name: {link: lever for link in parts.own if (lever := parts.lever(joint, link)) > 0.0}
            for name, joint in parts.joints.items()
        }
        self._shapes = [i for i, link in enumerate(parts.link_of) if link in set(parts.own)]
        self._others = {name: OtherRole(parts, target, name) for name in parts.others}
        self._watches: dict[int, PairWatch] = {}
        for link in parts.own:
            self._watch(link)
        others = self._others.values()
        # By own link: what limits its pace, and every watch of its pairs.
        self._paced = {
            link: [(other, other.watches[link]) for other in others if other.paces(link)]
            for link in parts.own
        }
        self._all_watches = {
            link: (watch, *(each.watches[link] for each in others if link in each.watches))
            for link, watch in self._watches.items()
        }
        self.blocked: tuple[str, ...] = ()  # the links that were too close in the last step
        self._then_s = -inf

    def _watch(self, link: int) -> None:
        """Sort the pairs of a link by the role that moves the other shape."""
        parts = self._parts
        own = set(parts.own)
        pairs = [pair for pair in parts.pairs if parts.link_of[pair.a] == link]
        for name, other in self._others.items():
            theirs = set(parts.others[name]) - own
            mine = [p for p in pairs if p.b >= 0 and parts.link_of[p.b] in theirs]
            if mine:
                other.watches[link] = PairWatch(mine)
                pairs = [pair for pair in pairs if pair not in mine]
        self._watches[link] = PairWatch(pairs)

    def put(self, values: Values) -> None:
        """Accept where joints are, without a check."""
        self._take(self._candidate(values), values)
        self._forget()

    def see(self, target: str, positions: Mapping[str, float], now_s: float) -> bool:
        """Accept a state of another role: positions by joint. Returns whether it counts, which it
        does with a number for every joint of that role."""
        other = self._others.get(target)
        found = other.see(positions, self._at, now_s) if other else None
        if other is None or found is None:
            return False
        if all(self._at[joint] == value for joint, value in found.items()):
            return True
        self._at.update(found)
        self._known = self._around = None
        if other.carries_own:
            self._forget()
        return True

    def admit(self, wanted: Values, now_s: float) -> dict[str, float]:
        """Return how far joints may go now; those that are not named stay. What is returned counts
        as done."""
        period_s = min(max(now_s - self._then_s, 0.0), _LONGEST_S)
        self._then_s = now_s
        self.blocked = ()
        moves = {name: to for name, to in wanted.items() if to != self._now(name)}
        if moves:
            ways = self._ways(moves)
            share = self._share(moves, ways, period_s, now_s)
            done = self._advance(moves, ways, share, now_s)
            if done < share or share < _LEAST:
                # Something is in the way: each joint by itself, in the time that is left for it.
                part_s = period_s * (1.0 - done) / len(moves)
                for name, to in moves.items():
                    alone = {name: to}
                    ways = self._ways(alone)
                    share = self._share(alone, ways, part_s, now_s)
                    self._advance(alone, ways, share, now_s)
        return {name: self._now(name) for name in wanted}

    def contact(self, values: Values) -> tuple[str, ...]:
        """Return two links that would be closer than the margin with fields at these values, all
        else as it is now; nothing when none would."""
        scene = self._candidate(values)
        for pair in self._parts.pairs:
            if scene.gap(pair) < self._margin_m:
                return self._names(pair)
        return ()

    @property
    def _scene(self) -> Scene:
        """The shapes at the present positions, computed when a pair is measured and not with each
        step: most steps are shorter than the room that is certainly left."""
        if self._known is None:
            self._known = self._candidate({})
        return self._known

    def _now(self, name: str) -> float:
        return self._at[self._parts.joints[name]]

    def _names(self, pair: Pair) -> tuple[str, ...]:
        return self._parts.name(pair.a), self._parts.name(pair.b)

    def _share(
        self, moves: Values, ways: Mapping[int, float], period_s: float, now_s: float
    ) -> float:
        """Return the share of the moves that the distance to other roles allows now."""
        share, limiting = 1.0, list[tuple[PairWatch, float]]()
        for link, way_m in ways.items():
            for other, watch in self._paced[link]:
                if way_m <= other.allowed_m(watch.room_m, period_s, now_s):
                    continue
                room_m = watch.measured(lambda pair: self._scene.fine_gap(pair) - self._margin_m)
                allowed_m = other.allowed_m(room_m, period_s, now_s)
                if way_m > allowed_m:
                    share = min(share, allowed_m / way_m)
                    limiting.append((watch, room_m))
        if not limiting or not self._is_nearer(moves, limiting):
            return 1.0
        if share < _LEAST:
            self.blocked = self._names(limiting[0][0].nearest)
        return share

    def _is_nearer(self, moves: Values, limiting: list[tuple[PairWatch, float]]) -> bool:
        """Return whether the moves bring one of these links nearer to another role than it is."""
        ahead = self._candidate(moves)
        return any(
            any(ahead.fine_gap(pair) - self._margin_m < room_m - _SAME_M for pair in watch.pairs)
            for watch, room_m in limiting
        )

    def _advance(
        self, moves: Values, ways: Mapping[int, float], share: float, now_s: float
    ) -> float:
        """Make a share of the moves, or as much of it as the margin allows; returns how much."""
        if share < _LEAST:
            return 0.0
        begin = {name: self._now(name) for name in moves}
        ways = {link: way_m * share for link, way_m in ways.items()}
        if self._is_free(ways, now_s):
            for way_m, watch in self._near(ways):
                watch.move(way_m)
            self._put(_between(begin, moves, share))
            self._known = None
            return share
        count = max(1, ceil(max(ways.values(), default=0.0) / self._margin_m))
        part = {link: way_m / count for link, way_m in ways.items()}
        for number in range(1, count + 1):
            ahead = _between(begin, moves, share * number / count)
            if not self._enter(ahead, part, now_s):
                return share * (number - 1) / count
        return share

    def _is_free(self, ways: Mapping[int, float], now_s: float) -> bool:
        """Return whether no pair can be too close after these ways."""
        if any(other.side(now_s) for other in self._others.values()):
            return False
        for link, way_m in ways.items():
            for watch in self._all_watches[link]:
                if way_m >= watch.room_m:
                    return False
        return True

    def _enter(self, ahead: Values, ways: Mapping[int, float], now_s: float) -> bool:
        """Take over positions of joints, unless they bring a pair too close."""
        before, after = self._scene, self._candidate(ahead)
        blocked = self._crossed(before, after, now_s)
        judged: list[PairWatch] = []
        for way_m, watch in self._near(ways):
            if blocked:
                break
            judged.append(watch)
            pair = watch.crossed(
                way_m, lambda p: self._room(after, p), lambda p: self._room(before, p)
            )
            blocked = self._names(pair) if pair else ()
        for watch in judged:
            watch.settle(is_made=not blocked)
        if blocked:
            self.blocked = blocked
            return False
        self._take(after, ahead)
        return True

    def _crossed(self, before: Scene, after: Scene, now_s: float) -> tuple[str, ...]:
        """Return what would come nearer to the side of an arm of which nothing is known."""
        for other in self._others.values():
            side = other.side(now_s)
            for number in self._shapes if side else ():
                assert side
                room_m = gap_to_plane(after.block(number), *side) - self._margin_m / 2.0
                if room_m < 0.0:
                    there_m = gap_to_plane(before.block(number), *side) - self._margin_m / 2.0
                    if room_m < there_m:
                        return self._parts.name(number), f"the side of {other.target}"
        return ()

    def _near(self, ways: Mapping[int, float]) -> Iterator[tuple[float, PairWatch]]:
        for link, way_m in ways.items():
            for watch in self._all_watches[link]:
                yield way_m, watch

    def _ways(self, moves: Values) -> dict[int, float]:
        """Return how far, at most, the moves move each link."""
        found: dict[int, float] = {}
        for name, to in moves.items():
            change = abs(to - self._now(name))
            for link, lever in self._levers[name].items():
                found[link] = found.get(link, 0.0) + change * lever
        return found

    def _room(self, scene: Scene, pair: Pair) -> float:
        return scene.gap(pair) - self._margin_m

    def _candidate(self, values: Values) -> Scene:
        joints = self._parts.joints
        ahead = {**self._at, **{joints[name]: value for name, value in values.items()}}
        if self._around is None:
            self._around = self._parts.tree.poses(self._at)
        poses = list(self._around)
        self._parts.tree.update(poses, ahead, self._parts.own)
        return Scene(self._parts, poses, self._parts.still)

    def _take(self, scene: Scene, values: Values) -> None:
        self._known = scene
        self._put(values)

    def _put(self, values: Values) -> None:
        for name, value in values.items():
            self._at[self._parts.joints[name]] = value

    def _forget(self) -> None:
        for watch in self._watches.values():
            watch.forget()
        for other in self._others.values():
            for watch in other.watches.values():
                watch.forget()


def _between(begin: Values, end: Values, share: float) -> Values:
    """Return the positions after a share of the way; the end itself to the last bit."""
    if share == 1.0:
        return end
    return {name: begin[name] + (to - begin[name]) * share for name, to in end.items()}
