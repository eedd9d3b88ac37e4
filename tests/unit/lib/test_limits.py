"""Bounds: nothing that goes in makes something outside come out."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.limits import SlewLimiter, clamp, is_finite

finite = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(
    ("value", "result"), [(-3.0, -1.0), (0.5, 0.5), (3.0, 2.0), (math.inf, 2.0), (-math.inf, -1.0)]
)
def test_clamp_keeps_values_between_the_bounds(value: float, result: float) -> None:
    assert clamp(value, -1.0, 2.0) == result


def test_clamp_of_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        clamp(math.nan, -1.0, 1.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_is_finite_sees_one_bad_value_among_good_ones(value: float) -> None:
    assert not is_finite(1.0, value, 2.0)
    assert is_finite(1.0, 2.0)


def test_slew_moves_by_rate_and_arrives_exactly() -> None:
    slew = SlewLimiter(2.0)

    assert [slew.step(1.0, 0.2) for _ in range(4)] == [0.4, 0.8, 1.0, 1.0]


@given(finite, st.lists(st.tuples(finite, st.floats(-1.0, 1.0)), max_size=20))
def test_slew_never_exceeds_its_rate_nor_its_target(
    start: float, steps: list[tuple[float, float]]
) -> None:
    slew = SlewLimiter(3.0, start)
    for target, dt_s in steps:
        before = slew.value
        after = slew.step(target, dt_s)
        assert abs(after - before) <= 3.0 * max(0.0, dt_s) + 1e-6
        assert min(before, target) - 1e-6 <= after <= max(before, target) + 1e-6


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_slew_refuses_what_is_not_finite(bad: float) -> None:
    slew = SlewLimiter(1.0)
    with pytest.raises(ValueError, match="finite"):
        slew.step(bad, 0.1)
    with pytest.raises(ValueError, match="finite"):
        slew.jump(bad)
    assert slew.value == 0.0


@pytest.mark.parametrize("rate", [0.0, -1.0, math.nan])
def test_slew_needs_a_positive_rate(rate: float) -> None:
    with pytest.raises(ValueError, match="rate"):
        SlewLimiter(rate)


def test_jump_takes_a_measured_value_at_once() -> None:
    slew = SlewLimiter(1.0)
    slew.jump(5.0)

    assert slew.value == 5.0
