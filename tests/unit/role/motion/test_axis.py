"""How outputs follow commands in time."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.role.motion.axis import Axis, Throttle
from saint_services.lib.role.timers import Motion, Ticker
from saint_services.lib.role_config.model import FieldSpec
from tests.unit.role.role_rig import FakeClock

POSITION = FieldSpec(
    command="cmd", path="pan", kind="position", unit="deg", limits=(-90, 90), max_rate=100,
    on_loss="hold",
)  # fmt: skip
VELOCITY = POSITION.model_copy(update={"kind": "velocity", "limits": (-1, 1), "max_rate": 10})


def test_rested_axis_takes_20_ms_of_its_rate_at_once() -> None:
    axis = Axis(POSITION)
    axis.aim(90.0)
    axis.step(10.0)
    assert axis.applied == pytest.approx(2.0)
    axis.step(10.0)
    assert axis.applied == pytest.approx(2.0)
    axis.step(10.01)
    assert axis.applied == pytest.approx(3.0)


def test_small_steps_use_up_the_same_credit() -> None:
    axis = Axis(POSITION)
    for target in (1.5, 3.0, 4.5):
        axis.aim(target)
        axis.step(10.0)
    assert axis.applied == pytest.approx(2.0)


def test_axis_stays_at_its_neutral_or_where_it_was_found() -> None:
    assert Axis(POSITION).applied == 0.0
    assert Axis(POSITION, 33.0).applied == 33.0
    assert Axis(POSITION, 1000.0).applied == 90.0


def test_axis_refuses_nan() -> None:
    with pytest.raises(ValueError, match="NaN"):
        Axis(POSITION).aim(math.nan)


def test_throttle_crosses_zero_before_it_gains_speed() -> None:
    axis = Throttle(VELOCITY)
    for step in range(20):
        axis.aim(1.0)
        axis.step(step * 0.01)
    assert axis.applied == 1.0
    axis.aim(-1.0)
    axis.step(0.2)
    assert axis.applied == pytest.approx(-0.2)


moves = st.lists(
    st.tuples(st.floats(-1e3, 1e3), st.floats(0.0, 0.1), st.sampled_from([0.0, 0.5, 1.0]))
)


@given(moves)
def test_axis_keeps_limits_and_rate_over_any_time(steps: list[tuple[float, float, float]]) -> None:
    axis, now_s = Axis(POSITION), 0.0
    seen = [(0.0, 0.0)]
    for target, pause_s, share in steps:
        now_s += pause_s
        axis.share = share
        axis.aim(target)
        axis.step(now_s)
        assert -90.0 <= axis.applied <= 90.0
        seen.append((now_s, axis.applied))
    for then_s, before in seen:
        for later_s, after in seen:
            if later_s >= then_s:
                assert abs(after - before) <= 100.0 * (later_s - then_s + 0.02) + 1e-6


@given(moves)
def test_throttle_never_prolongs_a_motion(steps: list[tuple[float, float, float]]) -> None:
    axis, now_s = Throttle(VELOCITY), 0.0
    for target, pause_s, _ in steps:
        now_s += pause_s
        axis.aim(target)
        axis.step(now_s)
        assert abs(axis.applied) <= abs(axis.target) + 1e-12
        assert axis.applied * axis.target >= 0.0


def test_ticker_keeps_its_rate_and_leaves_out_what_it_missed() -> None:
    clock, calls = FakeClock(), []
    ticker = Ticker(clock, 0.05, lambda: calls.append(clock.now))
    clock.advance(1.0)
    assert len(calls) == 20
    clock.now += 1.0  # the loop was blocked
    clock.advance(0.0)
    assert len(calls) == 22
    clock.advance(0.1)
    assert len(calls) == 24
    ticker.close()
    clock.advance(1.0)
    assert len(calls) == 24


def test_callbacks_of_one_period_share_a_timer() -> None:
    clock, calls = FakeClock(), []
    ticker = Ticker(clock, 0.05, lambda: calls.append("first"))
    ticker.add(lambda: calls.append("second"))
    assert len(clock._timers) == 1
    clock.advance(0.1)
    assert calls == ["first", "second"] * 2
    ticker.close()
    clock.advance(1.0)
    assert len(calls) == 4


def test_ticker_that_is_closed_by_a_callback_calls_no_other() -> None:
    clock, calls = FakeClock(), []
    ticker = Ticker(clock, 0.05, lambda: ticker.close())
    ticker.add(lambda: calls.append("second"))
    clock.advance(1.0)
    assert calls == []


@pytest.mark.parametrize("first_s", [0.001, 0.009, 0.011, 0.03, 0.044, 0.046, 0.049])
def test_ticker_joins_events_of_its_rate_and_goes_on_without_them(first_s: float) -> None:
    clock, calls, events = FakeClock(), [], []
    ticker = Ticker(clock, 0.05, lambda: calls.append(round(clock.now - 1000.0, 3)))
    clock.advance(first_s)
    for late_s in (0.0, *[0.05] * 8, 0.051, 0.049, 0.053, 0.05):  # some come early or late
        clock.advance(late_s)
        events.append(round(clock.now - 1000.0, 3))
        ticker.coincide()
        clock.advance(0.0)
    assert calls[-6:] == events[-6:]
    assert max(b - a for a, b in pairwise([0.0, *calls])) <= 0.06
    last_s = calls[-1]
    calls.clear()
    clock.advance(0.2)
    assert [round(each - last_s, 3) for each in calls] == [0.06, 0.11, 0.16]
    ticker.close()
    ticker.coincide()
    clock.advance(1.0)
    assert len(calls) == 3


def test_flood_of_events_neither_adds_ticks_nor_puts_them_off() -> None:
    clock, calls = FakeClock(), []
    ticker = Ticker(clock, 0.05, lambda: calls.append(clock.now))
    for _ in range(1000):
        clock.now += 0.001
        ticker.coincide()
        ticker.coincide()
        clock.advance(0.0)
    assert 20 <= len(calls) <= 22
    assert max(b - a for a, b in pairwise(calls)) < 0.061
    ticker.close()


def test_motion_ends_when_nothing_is_left() -> None:
    clock, left = FakeClock(), [3]

    def step(now_s: float) -> bool:
        left[0] -= 1
        return left[0] > 0

    motion = Motion(clock, 0.01, step)
    motion.start(clock.now)
    motion.start(clock.now)
    clock.advance(1.0)
    assert left == [0]


def test_motion_that_comes_late_keeps_its_grid() -> None:
    clock, calls = FakeClock(), []

    def step(now_s: float) -> bool:
        calls.append(now_s)
        clock.now += 0.004  # the loop is busy: the next one is planned late
        return len(calls) < 100

    motion = Motion(clock, 0.01, step)
    motion.start(clock.now)
    clock.advance(2.0)
    assert len(calls) == 100
    assert calls[-1] - calls[0] == pytest.approx(0.99, abs=0.005)


def test_motion_leaves_out_what_it_missed() -> None:
    clock, calls = FakeClock(), []

    def step(now_s: float) -> bool:
        calls.append(now_s)
        if len(calls) == 1:
            clock.now += 0.5
        return len(calls) < 5

    motion = Motion(clock, 0.01, step)
    motion.start(clock.now)
    clock.advance(1.0)
    assert len(calls) == 5
    assert calls[1] - calls[0] == pytest.approx(0.51, abs=0.011)
