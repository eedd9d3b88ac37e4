"""Age of readings that waited on their way, and messages per second of a client."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.reading_age import ReadingAge
from saint_services.webd.websocket.timing import MessageRate

CLOCK_S = -12_345.0  # what the client's clock differs from ours


def stream(lag: ReadingAge, began_s: float, count: int, delay_s: float = 0.01) -> list[bool]:
    """Fifty readings a second, each so long on its way."""
    made = [began_s + n * 0.02 for n in range(count)]
    return [lag.is_stale(at + CLOCK_S, at + delay_s) for at in made]


def test_steady_stream_is_fresh() -> None:
    assert not any(stream(ReadingAge(), 100.0, 1000))


def test_jitter_below_the_limit_is_fresh() -> None:
    lag = ReadingAge()
    assert not any(lag.is_stale(n * 0.02 + CLOCK_S, n * 0.02 + n % 10 * 0.019) for n in range(500))


def test_what_a_stall_held_back_is_stale_and_what_comes_behind_it_is_not() -> None:
    lag = ReadingAge()
    stream(lag, 100.0, 100)
    made = [102.0 + n * 0.02 for n in range(50)]  # held back until 103.0
    verdicts = [lag.is_stale(at + CLOCK_S, 103.0) for at in made]
    assert verdicts[:39] == [True] * 39  # older than 0.2 s and what is usual
    assert verdicts[-5:] == [False] * 5
    assert not any(stream(lag, 103.0, 10))


@pytest.mark.parametrize("stall_s", [3.0, 12.0, 50.0])
def test_what_a_long_stall_held_back_is_stale_though_it_comes_at_once(stall_s: float) -> None:
    lag = ReadingAge()
    stream(lag, 100.0, 100)
    came_s = 102.0 + stall_s
    made = [102.0 + n * 0.02 for n in range(int(stall_s / 0.02) - 20)]
    assert all(lag.is_stale(at + CLOCK_S, came_s + n * 0.001) for n, at in enumerate(made))
    assert not any(stream(lag, came_s + 3.0, 10))


def test_clock_that_drifts_does_not_matter() -> None:
    lag = ReadingAge()
    for n in range(50 * 600):  # 1 % for ten minutes
        assert not lag.is_stale(n * 0.02 * 0.99, n * 0.02 + 0.01)


def test_clock_that_jumped_is_believed_again_after_two_windows() -> None:
    lag = ReadingAge()
    stream(lag, 100.0, 100)
    late = [lag.is_stale(at + CLOCK_S - 60.0, at) for at in (102.0 + n * 0.02 for n in range(600))]
    assert late[0]
    assert not any(late[-50:])


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 10)), max_size=30))
def test_any_times_have_a_verdict(readings: list[tuple[float, float]]) -> None:
    lag, now_s = ReadingAge(), 0.0
    for time_s, pause_s in readings:
        now_s += pause_s
        assert lag.is_stale(time_s, now_s) in (True, False)


@pytest.mark.parametrize(
    ("readings", "verdicts"),
    [  # when each comes, and how long it was on its way
        ([(0.0, 0.0), (1.0, 0.19), (2.0, 0.21)], [False, False, True]),
        ([(0.0, 0.5), (1.0, 0.0), (2.0, 0.4)], [False, False, True]),  # the best counts
        ([(0.0, 0.0), (4.9, 1.0), (9.9, 1.0)], [False, True, True]),  # that of the window before
        ([(0.0, 0.0), (9.9, 1.0)], [False, True]),
        ([(0.0, 0.0), (10.0, 1.0)], [False, True]),  # the last window in which anything came
        ([(0.0, 0.0), (64.9, 1.0)], [False, True]),
        ([(0.0, 0.0), (65.0, 1.0)], [False, False]),  # clocks have drifted apart since
        ([(0.0, 0.0), (5.0, 1.0), (9.0, 1.0), (12.0, 1.0)], [False, True, True, False]),
    ],
)
def test_best_of_this_window_and_the_one_before_counts(
    readings: list[tuple[float, float]], verdicts: list[bool]
) -> None:
    lag = ReadingAge()
    assert [lag.is_stale(now_s - way_s, now_s) for now_s, way_s in readings] == verdicts


def test_fifth_of_a_second_later_than_the_best_is_fresh() -> None:
    lag = ReadingAge()
    assert not lag.is_stale(0.0, 0.0)
    assert not lag.is_stale(-0.2, 0.0)
    assert lag.is_stale(-0.21, 0.0)


def test_rate_is_that_of_the_last_second():
    rate = MessageRate(10.0)
    for number in range(50):
        rate.count(10.0 + number * 0.02)
    assert rate.per_s(10.99) == 0.0  # not a whole second yet
    assert rate.per_s(11.0) == 50.0


def test_silent_client_falls_to_nothing():
    rate = MessageRate(0.0)
    for _ in range(30):
        rate.count(0.5)
    assert rate.per_s(1.0) == 30.0
    assert rate.per_s(2.5) == 0.0


def test_message_after_a_second_begins_the_next_window():
    rate = MessageRate(10.0)
    for _ in range(10):
        rate.count(10.0)
    rate.count(11.5)
    assert rate.per_s(11.6) == 6.7  # 10 in 1.5 seconds
    assert rate.per_s(12.5) == 1.0
