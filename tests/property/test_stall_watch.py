"""A stalled loop is noticed whatever its timer did before, and a running one is left alone."""

from itertools import accumulate, pairwise

from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.stall import StallWatch

LIMIT_S = 0.3
SETTLE_S = 0.05
STEPS = st.lists(st.floats(0.001, 0.299), min_size=1, max_size=50)
LONG = st.floats(0.301, 1e5)
PAUSES = st.lists(st.floats(0.001, 5.0), min_size=1, max_size=50)


def beating(pauses: list[float]) -> tuple[StallWatch, float]:
    watch = StallWatch(LIMIT_S, SETTLE_S)
    now_s = 50.0
    for now_s in accumulate(pauses, initial=50.0):
        watch.beat(now_s)
    return watch, now_s


@given(STEPS)
def test_running_loop_never_counts_as_stalled(pauses: list[float]) -> None:
    watch, now_s = beating(pauses)
    assert not watch.is_stalled(now_s + 0.299)
    assert (watch.number(now_s), watch.waited_s(now_s)) == (0, 0.0)


@given(PAUSES, LONG)
def test_callback_before_the_first_beat_sees_the_stall(pauses: list[float], gap_s: float) -> None:
    watch, now_s = beating(pauses)
    before = watch.number(now_s)
    assert watch.is_stalled(now_s + gap_s)
    assert watch.waited_s(now_s + gap_s) > LIMIT_S
    assert watch.number(now_s + gap_s) == before + 1


@given(PAUSES, LONG, st.floats(0.0, 0.0499))
def test_stall_counts_until_the_settle_time_is_over(
    pauses: list[float], gap_s: float, after_s: float
) -> None:
    watch, now_s = beating(pauses)
    ended_s = now_s + gap_s
    assert watch.beat(ended_s)
    assert watch.ended_s == ended_s
    assert watch.is_stalled(ended_s + after_s)
    assert watch.waited_s(ended_s + after_s) > LIMIT_S
    watch.beat(ended_s + 0.051)
    assert not watch.is_stalled(ended_s + 0.051)


@given(PAUSES)
def test_number_of_stalls_is_that_of_the_gaps_beyond_the_limit(pauses: list[float]) -> None:
    watch, now_s = beating(pauses)
    times = list(accumulate(pauses, initial=50.0))
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert watch.number(now_s) == sum(gap > LIMIT_S for gap in gaps)


def test_nothing_counts_before_the_first_beat() -> None:
    watch = StallWatch(LIMIT_S)
    assert not watch.is_stalled(1e6)
    assert not watch.beat(1e6)
    assert watch.number(1e6 + 0.1) == 0


def test_default_settle_time_is_fifty_milliseconds() -> None:
    watch = StallWatch(LIMIT_S)
    watch.beat(0.0)
    watch.beat(1.0)
    watch.beat(1.049)
    assert watch.is_stalled(1.049)
    assert not watch.is_stalled(1.051)


def test_stall_within_the_settle_time_of_another_adds_to_its_length() -> None:
    watch = StallWatch(LIMIT_S)
    for at_s in (0.0, 1.0, 1.5):
        watch.beat(at_s)
    assert watch.waited_s(1.51) == 1.5


def test_gap_of_exactly_the_limit_is_no_stall() -> None:
    watch = StallWatch(0.25, 0.0625)
    watch.beat(8.0)
    assert not watch.is_stalled(8.25)
    assert (watch.waited_s(8.25), watch.number(8.25)) == (0.0, 0)
    assert not watch.beat(8.25)


def test_settle_time_is_over_at_its_end() -> None:
    watch = StallWatch(0.25, 0.0625)
    watch.beat(8.0)
    assert watch.beat(9.0)
    assert watch.waited_s(9.03125) == 1.0
    assert not watch.is_stalled(9.0625)
    assert watch.waited_s(9.0625) == 0.0


def test_stall_after_the_settle_time_of_another_has_its_own_length() -> None:
    watch = StallWatch(0.25, 0.0625)
    for at_s in (8.0, 9.0, 9.125):
        watch.beat(at_s)
    assert watch.beat(9.625)
    assert watch.waited_s(9.625) == 0.5
