"""Steps of a stepper for any sequence of targets, also with a loop that is late: never faster than
the top rate or the acceleration allow, never beyond a limit, and at the target in the end.
"""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.role.motion.axis import SLICE_S, Glide
from saint_services.lib.role.motion.stepping import StepTrain
from saint_services.lib.role_config.model import FieldSpec

STEPS_PER_DEG = 2.5
RATE, ACCELERATION = 100.0, 200.0  # 250 steps a second
FIELD = FieldSpec(
    command="cmd", path="pan", kind="position", unit="deg", limits=(-90, 90), max_rate=RATE,
    max_acceleration=ACCELERATION, on_loss="hold",
)  # fmt: skip

# Targets in whole steps, and after how many slices each comes.
ways = st.lists(st.tuples(st.integers(-225, 225), st.integers(1, 120)), min_size=1, max_size=8)
lateness = st.lists(st.floats(0.0, 0.004), min_size=1, max_size=20)


def made(targets: list[tuple[int, int]], late: list[float]) -> tuple[list[tuple[float, int]], int]:
    """Return time and count after every step, and the last target."""
    glide, train = Glide(FIELD, 0.0), StepTrain(RATE * STEPS_PER_DEG)
    delays, found, now_s = itertools.cycle(late), [], 100.0

    def slice_of(now_s: float) -> None:
        glide.step(now_s)
        train.follow(glide.applied * STEPS_PER_DEG, now_s, SLICE_S)
        while (due_s := train.due_s()) is not None and due_s < now_s + SLICE_S:
            at_s = min(due_s + next(delays), now_s + SLICE_S - 1e-9)
            at_s = max(at_s, due_s)
            assert train.take(at_s)
            found.append((at_s, train.count))

    for target, slices in targets:
        glide.aim(target / STEPS_PER_DEG)
        for _ in range(slices):
            slice_of(now_s)
            now_s += SLICE_S
    for _ in range(400):
        slice_of(now_s)
        now_s += SLICE_S
    assert train.is_still
    return found, targets[-1][0]


@given(ways)
def test_steps_keep_the_top_rate_and_end_at_the_target(targets: list[tuple[int, int]]) -> None:
    steps, target = made(targets, [0.0])
    assert (steps[-1][1] if steps else 0) == target
    for (a_s, _), (b_s, _) in itertools.pairwise(steps):
        assert b_s - a_s >= 1.0 / (RATE * STEPS_PER_DEG) - 1e-6


@given(ways, lateness)
def test_late_steps_come_at_most_a_third_faster_and_none_is_lost(
    targets: list[tuple[int, int]], late: list[float]
) -> None:
    steps, target = made(targets, late)
    assert (steps[-1][1] if steps else 0) == target
    for (a_s, a), (b_s, b) in itertools.pairwise(steps):
        assert abs(b - a) == 1
        assert b_s - a_s >= 0.75 / (RATE * STEPS_PER_DEG) - 1e-9


@given(ways)
def test_steps_keep_the_acceleration(targets: list[tuple[int, int]]) -> None:
    steps, _ = made(targets, [0.0])
    # Mean speeds over two windows, next to each other: they cannot differ by more than what the
    # acceleration gives between their middles, and a step at each end of both.
    window_s = 0.1
    for start_s in (100.0 + 0.05 * index for index in range(240)):
        first, second = (
            _travel(steps, start_s + shift, start_s + shift + window_s) for shift in (0.0, window_s)
        )
        most = ACCELERATION * STEPS_PER_DEG * window_s * window_s + 2.0 + 2.0
        assert abs(second - first) <= most


def _travel(steps: list[tuple[float, int]], start_s: float, end_s: float) -> int:
    return _count_at(steps, end_s) - _count_at(steps, start_s)


def _count_at(steps: list[tuple[float, int]], when_s: float) -> int:
    return next((count for at_s, count in reversed(steps) if at_s <= when_s), 0)


@given(ways, lateness)
def test_count_never_leaves_the_way_of_its_targets(
    targets: list[tuple[int, int]], late: list[float]
) -> None:
    steps, _ = made(targets, late)
    for _, count in steps:
        assert -225 <= count <= 225
