"""Limits: no input produces a value outside."""

import math

import pytest

from saint_services.lib.limits import clamp, limited_duty


@pytest.mark.parametrize(
    ("value", "result"), [(-3.0, -1.0), (0.5, 0.5), (3.0, 2.0), (math.inf, 2.0), (-math.inf, -1.0)]
)
def test_clamp_keeps_values_between_the_bounds(value: float, result: float) -> None:
    assert clamp(value, -1.0, 2.0) == result


def test_clamp_of_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        clamp(math.nan, -1.0, 1.0)


@pytest.mark.parametrize(
    ("value", "result"), [(0.5, 0.5), (-7.0, -1.0), (math.inf, 1.0), (math.nan, 0.0)]
)
def test_duty_is_limited_and_nan_is_no_torque(value: float, result: float) -> None:
    assert limited_duty(value) == result
