"""Curves by points against numbers worked out by hand; a smooth one never overshoots."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from saint_services.lib.api.mapping import Mapping
from saint_services.routerd.routes.curves import by_points, slopes
from saint_services.routerd.routes.mapping import shape

BENT = [(-1.0, 0.0), (0.0, 0.25), (1.0, 1.0)]
POINTS = st.lists(
    st.tuples(st.floats(0.001, 10), st.floats(-1e6, 1e6)), min_size=2, max_size=9
).map(lambda steps: [(sum(dx for dx, _ in steps[: i + 1]), y) for i, (_, y) in enumerate(steps)])


@pytest.mark.parametrize(
    ("x", "y"), [(-2, 0), (-1, 0), (-0.5, 0.125), (0, 0.25), (0.5, 0.625), (1, 1), (9, 1)]
)
def test_straight_lines_lead_through_the_points(x: float, y: float) -> None:
    assert by_points(BENT, is_smooth=False)(x) == y


def test_smooth_curve_is_fritsch_and_carlsons() -> None:
    """Secants 0.25 and 0.75, so slopes 0.25, 0.5, 0.75; none is beyond the circle of radius 3.

    At 0.5: (0.25 + 1) / 2 + (0.5 - 0.75) / 8. At -0.5: 0.125 + (0.25 - 0.5) / 8.
    """
    assert slopes([-1, 0, 1], [0, 0.25, 1]) == [0.25, 0.5, 0.75]
    run = by_points(BENT, is_smooth=True)
    assert [run(-0.5), run(0.0), run(0.5)] == [0.09375, 0.25, 0.59375]


def test_slope_is_limited_where_a_cubic_would_turn_back() -> None:
    """Secants 10 and 1: slopes 10, 5.5, 1. In the second part alpha 5.5, beta 1, length 5.590170:
    3 / 5.590170 of both.
    """
    assert slopes([0, 1, 2], [0, 10, 11]) == pytest.approx([10, 2.951609, 0.536656])


def test_slope_is_0_where_the_curve_turns_and_where_it_is_flat() -> None:
    assert slopes([0, 1, 2, 3], [0, 1, 0, 0]) == [1, 0, 0, 0]


@given(POINTS, st.lists(st.floats(-20, 120), min_size=2))
@example([(1.0, 1.0), (2.0, 0.0), (3.0, -2e-311)], [0.0, 2.0])
def test_smooth_curve_stays_between_its_neighbours(
    points: list[tuple[float, float]], inputs: list[float]
) -> None:
    run = by_points(points, is_smooth=True)
    for x in inputs:
        around = [y for (a, y1), (b, y2) in pairwise(points) if a <= x <= b for y in (y1, y2)]
        around = around or [points[0][1] if x < points[0][0] else points[-1][1]]
        assert min(around) <= run(x) <= max(around)


@given(POINTS, st.lists(st.floats(-20, 120), min_size=2))
def test_smooth_curve_of_rising_points_never_turns_back(
    points: list[tuple[float, float]], inputs: list[float]
) -> None:
    rising = [(x, y) for (x, _), y in zip(points, sorted(y for _, y in points), strict=True)]
    run = by_points(rising, is_smooth=True)
    path = [run(x) for x in sorted(inputs)]
    room = 1e-9 * max(1.0, *(abs(y) for _, y in rising))
    assert all(later >= before - room for before, later in pairwise(path))


@given(POINTS, st.floats(-1e6, 1e6), st.booleans())
def test_mapping_by_points_is_within_the_limits(
    points: list[tuple[float, float]], x: float, is_smooth: bool
) -> None:
    curve = "smooth" if is_smooth else "points"
    data = {"from": "a", "to": "pan", "curve": curve, "points": points, "scale": 1e3, "offset": -7}
    assert -180.0 <= shape(Mapping.model_validate(data), -180.0, 180.0)(x) <= 180.0


def test_points_come_after_deadzone_and_invert_and_before_scale_and_offset() -> None:
    """(0.6 - 0.2) / 0.8 = 0.5, inverted -0.5: 0.125; times 8, plus 1."""
    data = {"from": "a", "to": "pan", "curve": "points", "points": BENT, "inverted": True}
    more = {"deadzone": 0.2, "scale": 8, "offset": 1}
    assert shape(Mapping.model_validate(data | more), -180.0, 180.0)(0.6) == pytest.approx(2.0)
