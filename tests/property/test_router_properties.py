"""Mappings against a second, plain implementation; rates and cross-fades without a jump; what an
input may do after a reset. The state machine over whole schedules is in tests/safety.
"""

import itertools
import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from saint_services.lib.api.mapping import Mapping
from saint_services.lib.errors import SaintError
from saint_services.routerd.routes.mapping import shape, unbounded
from tests.unit.routerd.rig import Rig, route

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
INPUT = st.floats(width=32, allow_nan=False, allow_infinity=False)
PLAIN = st.floats(-100, 100)


@st.composite
def mappings(draw: Any, number: Any = NUMBERS) -> dict[str, Any]:
    pair = sorted(draw(st.tuples(number, number)))
    return {
        "from": "a",
        "to": "pan",
        "mode": draw(st.sampled_from(("axis", "axis", "switch"))),
        "threshold": draw(st.floats(-1, 1)),
        "inverted": draw(st.booleans()),
        "deadzone": draw(st.one_of(st.just(0.0), st.floats(0, 0.99))),
        "curve": draw(st.sampled_from(("linear", "exponential"))),
        "expo": draw(st.floats(0, 1)),
        "scale": draw(number),
        "offset": draw(number),
        "clamp": draw(st.sampled_from((None, pair))),
    }


def plainly(mapping: dict[str, Any], x: float, low: float, high: float) -> float:
    """Apply the mapping one stage after the other, without compiling it."""
    if mapping["mode"] == "switch":
        is_on = x >= mapping["threshold"]
        if mapping["inverted"]:
            is_on = not is_on
        y = 1.0 if is_on else 0.0
    else:
        y = -x if mapping["inverted"] else x
        dead = mapping["deadzone"]
        y = 0.0 if abs(y) <= dead else math.copysign((abs(y) - dead) / (1 - dead), y)
        if mapping["curve"] == "exponential":
            y = (1 - mapping["expo"]) * y + mapping["expo"] * y**3
    y = y * mapping["scale"] + mapping["offset"]
    if mapping["clamp"] is not None:
        y = min(max(y, mapping["clamp"][0]), mapping["clamp"][1])
    return min(max(y, low), high)


@given(mappings(), INPUT)
def test_mapping_of_any_number_is_within_limits(mapping: dict[str, Any], value: float) -> None:
    assert -180.0 <= shape(Mapping.model_validate(mapping), -180.0, 180.0)(value) <= 180.0


@given(mappings(PLAIN), st.floats(-2, 2))
def test_mapping_is_that_of_the_plain_stages(mapping: dict[str, Any], value: float) -> None:
    mapped = shape(Mapping.model_validate(mapping), -90.0, 90.0)(value)
    assert mapped == pytest.approx(plainly(mapping, value, -90.0, 90.0), abs=1e-9)


@given(mappings(PLAIN), st.floats(-2, 2))
def test_unbounded_is_the_mapping_without_bounds(mapping: dict[str, Any], value: float) -> None:
    free = unbounded(Mapping.model_validate(mapping))(value)
    plain = plainly(mapping | {"clamp": None}, value, -math.inf, math.inf)
    assert free == pytest.approx(plain, abs=1e-9)


@given(mappings(PLAIN), st.floats(-1, 1), st.floats(0, 1e-6))
def test_axis_is_continuous(mapping: dict[str, Any], value: float, step: float) -> None:
    """At the edges of the deadzone too: a small step of the input is a small one of the output."""
    mapping |= {"mode": "axis", "deadzone": min(mapping["deadzone"], 0.9)}
    run = shape(Mapping.model_validate(mapping), -1e9, 1e9)
    assert abs(run(value + step) - run(value)) <= 100 * 10 * 4 * step + 1e-9


@given(mappings(PLAIN), st.lists(st.floats(-1, 1), min_size=2))
def test_axis_never_turns_back(mapping: dict[str, Any], values: list[float]) -> None:
    run = shape(Mapping.model_validate(mapping | {"mode": "axis"}), -1e9, 1e9)
    path = [run(value) for value in sorted(values)]
    rises = (mapping["scale"] > 0) is not mapping["inverted"]
    assert path == sorted(path, reverse=not rises)


@given(
    low=st.floats(-50, 50),
    high=st.floats(-50, 50),
    fade_ms=st.integers(20, 1000),
    priorities=st.permutations((10, 20)),
)
def test_change_of_control_has_no_step_beyond_its_fade(
    low: float, high: float, fade_ms: int, priorities: list[int]
) -> None:
    """Two sources request different values; the second one starts and ends again."""
    assume(abs(high - low) > 1)
    arrow = [{"from": "x", "to": "pan"}]
    rig = Rig(
        route("one", "livelink", "head", arrow, priority=priorities[0]),
        route("two", "autonomous", "head", arrow, priority=priorities[1]),
        blend_time_ms=fade_ms,
    )
    path: list[float] = []
    for tick in range(400):
        rig.send("livelink:a", x=low)
        if 20 <= tick < 200:
            rig.send("autonomous:b", x=high)
        rig.wait(0.01)
        path.append(rig.value("head.pan") or 0.0)
    allowed = min(3.6, 1.1 * abs(high - low) * 10 / fade_ms + 0.1)
    assert max(abs(b - a) for a, b in itertools.pairwise(path)) <= allowed + 1e-6
    assert path[-1] == pytest.approx(low)
    if priorities[1] > priorities[0]:
        assert path[199] == pytest.approx(high)


@given(st.lists(st.tuples(st.floats(-2, 2, width=32), st.floats(0.001, 0.2)), max_size=40))
def test_rate_of_a_position_is_kept(moves: list[tuple[float, float]]) -> None:
    """Over any time span a field moves by no more than its rate allows, plus one step."""
    rig = Rig(route("r", "rc", "head", [{"from": "x", "to": "pan", "scale": 180}], timeout_ms=500))
    path: list[tuple[float, float]] = []
    for value, pause in moves:
        rig.send("rc", x=value)
        path.append((rig.now, rig.value("head.pan") or 0.0))
        rig.wait(pause)
        path.append((rig.now, rig.value("head.pan") or 0.0))
    for index, (at, where) in enumerate(path):
        for later, there in path[index + 1 :]:
            assert abs(there - where) <= 360.0 * (later - at + 0.010) + 1e-6


@given(
    stick=st.floats(-1, 1),
    before=st.integers(0, 20),
    lost=st.booleans(),
)
def test_after_a_reset_an_input_that_stays_moves_nothing(
    stick: float, before: int, lost: bool
) -> None:
    drive = route("d", "rc", "tracks", [{"from": "x", "to": "linear", "scale": 1.5}])
    rig = Rig(drive)
    rig.stream(before / 100, "rc", x=stick)
    rig.router.raise_estop("test", "", rig.now)
    if lost:
        rig.wait(0.2)
    else:
        rig.stream(0.05, "rc", x=stick)
    try:
        rig.clear("test", rig.now)
    except SaintError:
        assert abs(stick) > 0.0199
        return
    rig.stream(0.3, "rc", x=stick)
    assert rig.value("tracks.linear") == 0.0
