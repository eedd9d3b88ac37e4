"""A hand is brought to a place to a millimetre, or the reason is named."""

import math
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saint_services.lib.kinematics import inverse
from saint_services.lib.kinematics.chain import Chain
from saint_services.lib.kinematics.inverse import Goal, HandAngles, NoSolution
from saint_services.lib.kinematics.poses import origin
from tests.unit.lib.kinematics.saint_body import saint

pytestmark = pytest.mark.slow

LEFT = Chain(saint(), "arms.left")
NARROW = Chain(saint(), "arms.left", {"joint_2": (-0.1, 0.1), "joint_1": (-0.2, 0.2)})
ZERO = [0.0] * 6
within = st.tuples(*(st.floats(*limits) for limits in LEFT.limits))
metres = st.floats(-1.0, 1.0)


def is_inside(chain: Chain, angles: tuple[float, ...]) -> bool:
    pairs = zip(chain.limits, angles, strict=True)
    return all(low <= angle <= high for (low, high), angle in pairs)


def judge(chain: Chain, goal: Goal, answer: HandAngles) -> None:
    """Reached to a millimetre inside the limits, or refused with a reason."""
    if answer.angles is None:
        assert answer.refusal is not None
        return
    assert is_inside(chain, answer.angles)
    hand = chain.hand(answer.angles)
    assert math.dist(hand[9:], goal.place) <= 0.001
    if goal.rotation is not None:
        assert hand[:9] == pytest.approx(goal.rotation[:9], abs=0.011)


@settings(max_examples=30)
@given(metres, metres, st.floats(0.0, 1.5), within)
def test_any_place_is_reached_to_a_millimetre_or_refused(
    x: float, y: float, z: float, start: tuple[float, ...]
) -> None:
    goal = Goal((x, y, z))
    judge(LEFT, goal, inverse.solve(LEFT, goal, start))


@settings(max_examples=10)
@given(metres, metres, st.floats(0.0, 1.5), within)
def test_no_limit_is_exceeded_where_they_are_narrow(
    x: float, y: float, z: float, start: tuple[float, ...]
) -> None:
    goal = Goal((x, y, z))
    judge(NARROW, goal, inverse.solve(NARROW, goal, start))


@settings(max_examples=6)
@given(within, st.tuples(*(st.floats(-3.0, 3.0),) * 3))
def test_any_pose_is_reached_or_refused(angles: tuple[float, ...], rpy: tuple[float, ...]) -> None:
    hand = LEFT.hand(angles)
    goal = Goal(hand[9:], origin((0.0, 0.0, 0.0), (rpy[0], rpy[1], rpy[2])))
    judge(LEFT, goal, inverse.solve(LEFT, goal, ZERO))


def test_nearly_every_place_that_the_arm_can_reach_is_reached() -> None:
    chance, missed = random.Random(7), 0
    for _ in range(60):
        angles = [chance.uniform(*limits) for limits in LEFT.limits]
        goal = Goal(LEFT.hand(angles)[9:])
        missed += inverse.solve(LEFT, goal, ZERO).angles is None
    assert missed == 0


def test_nearly_every_pose_that_the_arm_can_reach_is_reached() -> None:
    chance, missed = random.Random(8), 0
    for _ in range(20):
        angles = [chance.uniform(low * 0.9, high * 0.9) for low, high in LEFT.limits]
        hand = LEFT.hand(angles)
        missed += inverse.solve(LEFT, Goal(hand[9:], hand), ZERO).angles is None
    assert missed <= 2


def test_place_where_the_hand_is_moves_nothing() -> None:
    start = (0.3, -0.2, 0.5, 0.1, 0.4, 0.0)
    answer = inverse.solve(LEFT, Goal(LEFT.hand(start)[9:]), start)
    assert answer.angles == pytest.approx(start, abs=1e-9)


def test_place_out_of_reach_is_refused_with_how_far() -> None:
    answer = inverse.solve(LEFT, Goal((1.6, 0.2, 0.65)), ZERO)
    assert (answer.angles, answer.refusal) == (None, NoSolution.TOO_FAR)
    assert answer.distance_m == pytest.approx(1.0)


def test_place_beyond_joint_limits_is_refused_with_the_joints() -> None:
    answer = inverse.solve(NARROW, Goal((0.1, 0.2, 0.9)), ZERO)
    assert answer.refusal is NoSolution.LIMITS
    assert "joint_1" in answer.parts


def test_contact_of_every_solution_is_refused_with_the_pair() -> None:
    goal = Goal(LEFT.hand([0.5] * 6)[9:])
    answer = inverse.solve(LEFT, goal, ZERO, lambda _: ("hand", "torso"))
    assert (answer.refusal, answer.parts) == (NoSolution.BLOCKED, ("hand", "torso"))


def test_solution_without_contact_is_preferred() -> None:
    goal = Goal((0.35, 0.2, 0.65))
    first = inverse.solve(LEFT, goal, ZERO).angles
    assert first
    other = inverse.solve(
        LEFT, goal, ZERO, lambda angles: ("a", "b") if math.dist(angles, first) < 0.1 else ()
    )
    assert other.angles is not None
    assert math.dist(other.angles, first) >= 0.1


@given(within, st.tuples(*(st.floats(-0.15, 0.15),) * 6))
def test_step_is_bounded_by_the_damping_wherever_the_arm_is(
    angles: tuple[float, ...], error: tuple[float, ...]
) -> None:
    """The bound of damped least squares, |step| <= |error| / (2 damping), singular or not."""
    _, columns = LEFT.solve(angles)
    after = inverse.step(LEFT, angles, columns, error)
    assert math.dist(after, angles) <= math.hypot(*error) / (2 * 0.03) + 1e-9
    assert is_inside(LEFT, after)


@pytest.mark.parametrize(
    "angles",
    [
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),  # stretched out: everything in one line
        (0.0, 0.0, 0.5, 0.0, 0.0, 0.0),  # axes 3 and 5 in line
        (0.0, 1.5708, 0.0, 0.0, 0.0, 0.0),  # the hand above axis 0
    ],
)
def test_a_millimetre_at_a_singularity_is_a_small_change(angles: tuple[float, ...]) -> None:
    hand = LEFT.hand(angles)
    for x, y, z in ((-0.001, 0, 0), (0, 0.001, 0), (0, 0, 0.001), (0, 0, -0.001)):
        goal = Goal((hand[9] + x, hand[10] + y, hand[11] + z))
        answer = inverse.solve(LEFT, goal, angles)
        if answer.angles is not None:
            assert max(abs(a - b) for a, b in zip(answer.angles, angles, strict=True)) < 0.25


def test_line_through_singularities_is_followed_without_a_jump() -> None:
    """From stretched out to over the shoulder, in steps of 5 mm."""
    now: tuple[float, ...] = tuple(ZERO)
    corners = [(0.6, 0.2, 0.65), (0.2, 0.2, 0.95), (0.02, 0.2, 1.1), (-0.2, 0.25, 1.0)]
    largest = 0.0
    for a, b in pairwise(corners):
        count = round(math.dist(a, b) / 0.005)
        for i in range(1, count + 1):
            goal = Goal(tuple(p + (q - p) * i / count for p, q in zip(a, b, strict=True)))  # type: ignore[arg-type]
            answer = inverse.solve(LEFT, goal, now)
            if answer.angles is None:
                continue
            largest = max(largest, *(abs(p - q) for p, q in zip(answer.angles, now, strict=True)))
            now = answer.angles
    assert largest < 0.3


def test_equal_requests_have_equal_replies() -> None:
    goal = Goal((0.3, 0.4, 0.5))
    assert inverse.solve(LEFT, goal, ZERO) == inverse.solve(LEFT, goal, ZERO)
