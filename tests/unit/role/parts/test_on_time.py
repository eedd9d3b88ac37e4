"""The rules of how long a switch may be on. Numbers by hand."""

import pytest

from saint_services.lib.role.parts.on_time import OnTime
from saint_services.lib.role_config.model import PinSpec


def switch(**limits: float) -> OnTime:
    return OnTime(PinSpec.model_validate({"type": "switch", "pin": 5, **limits}))


def test_switch_without_limits_stays_on() -> None:
    on = switch()
    assert on.command(True, 0.0)
    assert on.command(True, 1e6)
    assert on.due_s(1e6) == float("inf")


def test_longest_time_ends_it_until_it_is_released() -> None:
    on = switch(longest_on_s=2.0)
    assert on.command(True, 10.0)
    assert on.due_s(10.5) == 12.0
    assert on.command(True, 11.9)
    assert not on.command(True, 12.0)
    assert "2 s" in on.problem
    assert not on.command(True, 20.0)  # held on: it does not come back by itself
    assert not on.command(False, 20.1)
    assert on.problem == ""
    assert on.command(True, 20.2)


def test_share_of_the_window_ends_it() -> None:
    on = switch(most_duty=0.25, duty_window_s=8.0)  # 2 s of 8
    assert on.command(True, 0.0)
    on.command(False, 1.5)
    assert on.command(True, 2.0)
    assert on.due_s(2.0) == pytest.approx(2.5)
    assert not on.command(True, 2.5)
    on.command(False, 3.0)
    assert not on.command(True, 3.1)  # nothing is free yet
    on.command(False, 3.2)
    # At 9 s the window begins at 1 s: 0.5 s of the first, 0.5 s of the second are in it.
    assert on.command(True, 9.0)
    assert on.due_s(9.0) == pytest.approx(10.0)


def test_time_before_the_window_does_not_count() -> None:
    on = switch(most_duty=0.5, duty_window_s=2.0)
    for second in range(0, 100, 2):
        assert on.command(True, float(second))
        assert on.command(True, second + 0.7)
        on.command(False, second + 0.8)
