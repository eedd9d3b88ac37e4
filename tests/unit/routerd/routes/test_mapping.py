"""Each stage of a mapping, with numbers worked out by hand."""

from typing import Any

import pytest

from saint_services.lib.api.mapping import Mapping
from saint_services.routerd.routes.mapping import shape, switch, unbounded

INFINITY = float("inf")


def mapped(value: float, low: float = -10.0, high: float = 10.0, **settings: Any) -> float:
    mapping = Mapping.model_validate({"from": "a", "to": "b", **settings})
    return shape(mapping, low, high)(value)


@pytest.mark.parametrize(
    ("settings", "value", "expected"),
    [
        ({}, 0.25, 0.25),
        ({"scale": 3.0}, 0.5, 1.5),
        ({"scale": 3.0, "offset": 0.25}, 0.5, 1.75),
        ({"inverted": True, "scale": 2.0, "offset": 1.0}, 0.5, 0.0),
        ({"deadzone": 0.1}, 0.1, 0.0),
        ({"deadzone": 0.1}, -0.05, 0.0),
        ({"deadzone": 0.1}, 0.55, 0.5),  # (0.55 - 0.1) / 0.9
        ({"deadzone": 0.1}, -1.0, -1.0),
        ({"curve": "exponential", "expo": 0.3}, 0.5, 0.3875),  # 0.7 * 0.5 + 0.3 * 0.125
        ({"curve": "exponential", "expo": 0.3}, -1.0, -1.0),
        ({"curve": "exponential", "expo": 1.0, "deadzone": 0.5}, 0.75, 0.125),
        ({"curve": "linear", "expo": 0.3}, 0.5, 0.5),
        ({"scale": 4.0, "clamp": [-1.0, 2.0]}, 1.0, 2.0),
        ({"scale": 4.0, "clamp": [-1.0, 2.0]}, -1.0, -1.0),
        ({"scale": 40.0}, 1.0, 10.0),  # the field's limit
        ({"scale": 40.0, "clamp": [20.0, 30.0]}, 0.1, 10.0),  # a clamp outside the limits
        ({"scale": 0.0, "offset": 0.5}, 1.0, 0.5),
        ({"mode": "switch", "threshold": 0.5}, 0.5, 1.0),
        ({"mode": "switch", "threshold": 0.5}, 0.49, 0.0),
        ({"mode": "switch", "inverted": True}, -1.0, 1.0),
        ({"mode": "switch", "scale": 3.0, "offset": -1.0}, 1.0, 2.0),
    ],
)
def test_mapping_gives_the_value_worked_out_by_hand(
    settings: dict[str, Any], value: float, expected: float
) -> None:
    assert mapped(value, **settings) == pytest.approx(expected)


def test_deadzone_edge_is_continuous() -> None:
    assert mapped(0.1 + 1e-9, deadzone=0.1, scale=100.0, high=1e9) < 1e-6


@pytest.mark.parametrize("value", [3.4e38, -3.4e38])
def test_largest_float_stays_within_limits(value: float) -> None:
    settings = {"curve": "exponential", "expo": 0.5, "scale": 1e300, "deadzone": 0.9}
    assert abs(mapped(value, **settings)) == 10.0


@pytest.mark.parametrize("curve", ["linear", "exponential"])
def test_huge_scale_of_nothing_is_nothing(curve: str) -> None:
    assert mapped(0.05, deadzone=0.99, scale=1.7e308, curve=curve, expo=1.0) == 0.0


def test_unbounded_mapping_has_no_bounds() -> None:
    mapping = Mapping.model_validate({"from": "a", "to": "b", "scale": 50, "clamp": [0, 1]})
    assert unbounded(mapping)(1.0) == 50.0


def test_switch_inverted_is_on_below_threshold() -> None:
    mapping = Mapping.model_validate({"from": "a", "to": "estop", "mode": "switch"})
    low = mapping.model_copy(update={"inverted": True})
    assert [switch(mapping)(x) for x in (0.4, 0.5)] == [False, True]
    assert [switch(low)(x) for x in (0.4, 0.5)] == [True, False]
