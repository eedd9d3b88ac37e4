"""Finds joint angles that bring a hand to a place, by damped least squares with joint limits. Pure.

The damping bounds every step by the error divided by twice the damping, also where the arm is
stretched out or two axes are in line and the plain inverse would need endless speed. A joint that a
step would lead beyond its limit stays at it, and the step is computed again without that joint. The
search begins where the arm is; only when that ends in no solution other beginnings are tried,
always the same ones, so that equal requests have equal replies.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from math import dist, hypot

from .chain import Chain, Column
from .poses import Pose, Vector, rotation_between

REACHED_M = 0.001
REACHED_RAD = 0.01  # 0.6 degrees
_EXACT = 0.1  # of both: the search goes on to this, so that rounding does not matter
DAMPING = 0.03  # metres
_LEVER_M = 0.2  # an error of one radian counts like one of this many metres
_LONGEST_M = 0.15  # of the error that one step works on
_MOST_STEPS = 60
_BEGINNINGS = 9
_AT_LIMIT = 1e-4  # radians: nearer than this, a joint stands at its limit
_BENT = 0.03  # radians
_STUCK = 1e-5  # radians: a step shorter than this changes nothing any more


class NoSolution(Enum):
    """Why there is no solution."""

    TOO_FAR = "too far"
    LIMITS = "limits"
    BLOCKED = "blocked"
    NO_POSE = "no pose"


@dataclass(frozen=True, slots=True)
class Goal:
    """A place of the hand, in the frame of the root; with a rotation the hand turns to it too."""

    place: Vector
    rotation: Pose | None = None


@dataclass(frozen=True, slots=True)
class HandAngles:
    """The angles, or the reason why there are none; `parts` are the fields at their limits, or the
    two links that would be too close."""

    angles: tuple[float, ...] | None = None
    refusal: NoSolution | None = None
    parts: tuple[str, ...] = ()
    distance_m: float = 0.0  # of the nearest place that was found


def solve(
    chain: Chain,
    goal: Goal,
    start: Sequence[float],
    find_contact: Callable[[Sequence[float]], tuple[str, ...]] = lambda _: (),
) -> HandAngles:
    """Find angles within the limits. `find_contact` returns what would be too close to each other
    at given angles, or nothing."""
    away_m = dist(goal.place, chain.base)
    if away_m > chain.reach_m + REACHED_M:
        return HandAngles(refusal=NoSolution.TOO_FAR, distance_m=away_m - chain.reach_m)
    blocked: tuple[str, ...] = ()
    nearest: tuple[float, tuple[str, ...]] | None = None
    for angles in _beginnings(chain, start):
        found, error_m, is_turned = _descend(chain, goal, angles)
        if error_m <= REACHED_M and is_turned:
            contact = find_contact(found)
            if not contact:
                return HandAngles(found)
            blocked = max(blocked, contact, key=len)  # a pair of links says the most
        elif nearest is None or error_m < nearest[0]:
            nearest = (error_m, _at_limits(chain, found))
    if blocked:
        return HandAngles(refusal=NoSolution.BLOCKED, parts=blocked)
    error_m, parts = nearest or (0.0, ())
    refusal = NoSolution.LIMITS if parts else NoSolution.NO_POSE
    return HandAngles(refusal=refusal, parts=parts, distance_m=error_m)


def step(
    chain: Chain, angles: Sequence[float], columns: Sequence[Column], error: Sequence[float]
) -> tuple[float, ...]:
    """Return the next angles on the way that reduces the error: inside the limits, and no farther
    from the present ones than the length of the error divided by twice the damping."""
    free = list(range(len(angles)))
    while free:
        change = _damped([columns[i] for i in free], error)
        ahead = [angles[i] + way for i, way in zip(free, change, strict=True)]
        stopped = [
            i
            for i, value in zip(free, ahead, strict=True)
            if not chain.limits[i][0] <= value <= chain.limits[i][1]
        ]
        if not stopped:
            found = dict(zip(free, ahead, strict=True))
            return tuple(found.get(i, angle) for i, angle in enumerate(angles))
        # Those that stand at their limit leave the search; the others go as far as they may.
        inside = [i for i in stopped if not _is_at_limit(chain, i, angles[i])]
        if inside:
            share = min(
                _share(chain.limits[i], angles[i], way)
                for i, way in zip(free, change, strict=True)
                if i in inside
            )
            standing = set(stopped) - set(inside)
            found = {
                i: _clamped(chain.limits[i], angles[i] + way * share)
                for i, way in zip(free, change, strict=True)
                if i not in standing
            }
            return tuple(found.get(i, angle) for i, angle in enumerate(angles))
        free = [i for i in free if i not in stopped]
    return tuple(angles)


def _descend(
    chain: Chain, goal: Goal, angles: Sequence[float]
) -> tuple[tuple[float, ...], float, bool]:
    """Return where the search from these angles ends, its distance, and whether the hand has turned
    as it should."""
    now = tuple(_clamped(limits, angle) for limits, angle in zip(chain.limits, angles, strict=True))
    for _ in range(_MOST_STEPS):
        pose, columns = chain.solve(now)
        error, error_m, error_rad = _error(goal, pose)
        if error_m <= REACHED_M * _EXACT and error_rad <= REACHED_RAD * _EXACT:
            break
        if goal.rotation is None:
            columns = [(x, y, z, 0.0, 0.0, 0.0) for x, y, z, *_ in columns]
        after = step(chain, now, columns, error)
        if max((abs(a - b) for a, b in zip(after, now, strict=True)), default=0.0) < _STUCK:
            break
        now = after
    _, error_m, error_rad = _error(goal, chain.hand(now))
    return now, error_m, error_rad <= REACHED_RAD


def _error(goal: Goal, pose: Pose) -> tuple[tuple[float, ...], float, float]:
    """Return the error that the next step works on, and its parts in metres and radians."""
    x, y, z = goal.place[0] - pose[9], goal.place[1] - pose[10], goal.place[2] - pose[11]
    error_m = hypot(x, y, z)
    rotation = (0.0, 0.0, 0.0) if goal.rotation is None else rotation_between(pose, goal.rotation)
    error_rad = hypot(*rotation)
    whole = (x, y, z, *(each * _LEVER_M for each in rotation))
    length = hypot(error_m, error_rad * _LEVER_M)
    scale = min(1.0, _LONGEST_M / length) if length else 1.0
    return tuple(each * scale for each in whole), error_m, error_rad


def _damped(columns: Sequence[Column], error: Sequence[float]) -> list[float]:
    """Return J^T (J J^T + damping^2)^-1 e, where rows of rotation are weighted by the lever."""
    size = 6 if any(any(column[3:]) for column in columns) else 3
    weighted = [
        column[:3] if size == 3 else (*column[:3], *(each * _LEVER_M for each in column[3:]))
        for column in columns
    ]
    matrix = [
        [sum(c[i] * c[j] for c in weighted) + (DAMPING**2 if i == j else 0.0) for j in range(size)]
        for i in range(size)
    ]
    weights = _gauss(matrix, list(error[:size]))
    return [sum(a * b for a, b in zip(column, weights, strict=True)) for column in weighted]


def _gauss(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve a positive definite system: no pivot of it is 0."""
    size = len(right)
    for i in range(size):
        for j in range(i + 1, size):
            factor = matrix[j][i] / matrix[i][i]
            for k in range(i, size):
                matrix[j][k] -= factor * matrix[i][k]
            right[j] -= factor * right[i]
    for i in reversed(range(size)):
        rest = sum(matrix[i][k] * right[k] for k in range(i + 1, size))
        right[i] = (right[i] - rest) / matrix[i][i]
    return right


def _beginnings(chain: Chain, start: Sequence[float]) -> Iterator[Sequence[float]]:
    """Yield where the search begins: where the arm is; a little bent from there, since a straight
    arm has no direction in which it gets shorter; then spread evenly over its ranges."""
    yield start
    yield [angle + _BENT for angle in start]
    yield [angle - _BENT for angle in start]
    for number in range(1, _BEGINNINGS):
        yield [
            low + (high - low) * ((0.5 + number * _SPREAD[i % len(_SPREAD)]) % 1.0)
            for i, (low, high) in enumerate(chain.limits)
        ]


# Powers of the root of x^7 = x + 1: their multiples fill six dimensions evenly.
_SPREAD = tuple(1.1127756842787 ** -(i + 1) for i in range(6))


def _at_limits(chain: Chain, angles: Sequence[float]) -> tuple[str, ...]:
    return tuple(name for i, name in enumerate(chain.fields) if _is_at_limit(chain, i, angles[i]))


def _is_at_limit(chain: Chain, number: int, angle: float) -> bool:
    low, high = chain.limits[number]
    return min(angle - low, high - angle) < _AT_LIMIT


def _share(limits: tuple[float, float], angle: float, way: float) -> float:
    room = (limits[1] if way > 0 else limits[0]) - angle
    return max(0.0, min(1.0, room / way)) if way else 1.0


def _clamped(limits: tuple[float, float], angle: float) -> float:
    return min(max(angle, limits[0]), limits[1])
