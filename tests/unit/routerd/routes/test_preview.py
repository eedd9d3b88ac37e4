"""What a route would do with inputs, and the line of one of its mappings. Numbers typed by hand."""

from typing import Any

import pytest

from saint_services.lib.api.routing import PreviewCurve, RoutePreview
from saint_services.lib.errors import Code, SaintError
from saint_services.routerd.routes.preview import curve, preview
from tests.unit.routerd.rig import robot, route

PAN = {"from": "a", "to": "pan", "scale": 100.0}
STOP = {"from": "s", "to": "estop", "mode": "switch", "threshold": 0.5}
Points = list[tuple[float, float]]


def shown(*mappings: dict[str, Any], **values: float) -> RoutePreview:
    return preview(robot(), route("r", "rc", "head", list(mappings)), values)


def line(
    mapping: dict[str, Any], *, low: float = -1.0, high: float = 1.0, steps: int = 4
) -> Points:
    made = route("r", "rc", "head", [mapping])
    return curve(robot(), PreviewCurve(route=made, index=0, low=low, high=high, steps=steps)).points


def test_preview_reports_value_limit_and_the_unbounded_value() -> None:
    (field,) = shown(PAN, a=3.0).fields
    assert (field.target, field.field, field.unit) == ("head", "pan", "deg")
    assert (field.value, field.asked, field.clamped) == (180.0, 300.0, True)
    (field,) = shown(PAN, a=0.5).fields
    assert (field.value, field.asked, field.clamped) == (50.0, 50.0, False)


@pytest.mark.parametrize(("a", "unbounded"), [(1e307, 1e300), (-1e307, -1e300)])
def test_preview_of_huge_numbers_has_a_bound(a: float, unbounded: float) -> None:
    (field,) = shown(PAN, a=a).fields
    assert (abs(field.value), field.asked) == (180.0, unbounded)


def test_preview_of_what_is_no_number_shows_the_value() -> None:
    there_and_back = [PAN | {"scale": sign * 1e308} for sign in (1, -1)]
    (field,) = shown(*there_and_back, a=1e10).fields
    assert field.asked == field.value


def test_preview_names_what_is_missing_once() -> None:
    assert shown(PAN, PAN | {"from": "b"}, PAN | {"from": "b"}, a=0.0).missing == ["b"]
    assert preview(robot(), route("r", "rc", "head"), {}).missing == []


@pytest.mark.parametrize(("s", "stops"), [(0.49, False), (0.5, True)])
def test_preview_reports_the_stop(s: float, stops: bool) -> None:
    assert shown(STOP | {"from": "other"}, STOP, s=s, other=0.0).estop is stops


def test_preview_is_of_any_subject_and_of_a_route_that_is_off() -> None:
    wanted = {"subject": "Ann", "type": "face"}
    off = route("r", "livelink", "head", [PAN], input=wanted, enabled=False)
    assert [each.value for each in preview(robot(), off, {"a": 0.5}).fields] == [50.0]


def test_preview_and_line_of_an_unsound_route_are_refused() -> None:
    unsound = route("r", "rc", "head", [PAN | {"to": "pam"}])
    for run in (
        lambda: preview(robot(), unsound, {}),
        lambda: curve(robot(), PreviewCurve(route=unsound, index=0)),
    ):
        with pytest.raises(SaintError, match="did you mean") as caught:
            run()
        assert caught.value.code is Code.REQUEST_INVALID


@pytest.mark.parametrize("index", [1, 2])
def test_line_of_a_mapping_that_is_not_there_is_refused(index: int) -> None:
    with pytest.raises(SaintError, match=rf"there is no mapping\[{index}\]") as caught:
        curve(robot(), PreviewCurve(route=route("r", "rc", "head", [PAN]), index=index))
    assert caught.value.code is Code.REQUEST_INVALID
    with pytest.raises(SaintError, match=r"there is no mapping\[0\]"):
        curve(robot(), PreviewCurve(route=route("r", "rc", "head"), index=0))


def test_line_names_its_field_and_limits() -> None:
    second = PreviewCurve(route=route("r", "rc", "head", [STOP, PAN]), index=1)
    found = curve(robot(), second)
    assert (found.target, found.field, found.unit, found.limits) == (
        "head", "pan", "deg", (-180.0, 180.0),
    )  # fmt: skip


def test_line_has_its_grid_and_its_last_point() -> None:
    expected = [(-1.0, -100.0), (-0.5, -50.0), (0.0, 0.0), (0.5, 50.0), (1.0, 100.0)]
    assert line(PAN) == expected
    assert line(PAN, low=1.0, high=-1.0) == expected


def test_line_bends_at_the_deadzone() -> None:
    points = line(PAN | {"deadzone": 0.25}, steps=2)
    assert [x for x, _ in points] == [-1.0, -0.25, 0.0, 0.25, 1.0]
    assert [y for _, y in points] == [-100.0, 0.0, 0.0, 0.0, 100.0]
    assert [x for x, _ in line(PAN | {"deadzone": 0.25}, low=0.25, steps=2)] == [0.25, 0.625, 1.0]
    assert [x for x, _ in line(PAN | {"deadzone": 0.25}, high=-0.25, steps=2)] == [
        -1.0, -0.625, -0.25,
    ]  # fmt: skip


def test_line_of_a_switch_jumps_at_its_threshold() -> None:
    switched = PAN | {"mode": "switch", "threshold": 0.3}
    points = line(switched, steps=2)
    assert [y for _, y in points] == [0.0, 0.0, 0.0, 100.0, 100.0]
    assert points[3][0] == 0.3 and 0.3 - points[2][0] < 1e-15


def test_line_of_a_stop_is_0_and_1() -> None:
    stop = PreviewCurve(route=route("r", "rc", "head", [STOP]), index=0, steps=2)
    found = curve(robot(), stop)
    assert (found.target, found.field, found.unit, found.limits) == (
        "head", "estop", "", (0.0, 1.0),
    )  # fmt: skip
    assert [y for _, y in found.points] == [0.0, 0.0, 0.0, 1.0, 1.0]


def response(more: dict[str, Any]) -> list[tuple[float, float]]:
    made = route("r", "rc", "head", [PAN | more])
    return curve(robot(), PreviewCurve(route=made, index=0, low=0.0)).response


def test_line_of_a_filter_has_its_response_to_a_step() -> None:
    """100 deg at 50 deg/s takes 2 s; a low-pass begins half a step late and is at 1 - 1/e after
    1 / (2 pi 0.7958 Hz) = 0.2 s.
    """
    assert response({}) == []
    path = response({"rate_limit": 50})
    assert [at for at, _ in path] == [20.0 * step for step in range(101)]
    assert [path[step][1] for step in (0, 1, 50, 100)] == pytest.approx([0, 1, 50, 100])
    at = dict(response({"filter": "low_pass", "cutoff_hz": 0.795775}))
    assert at[200] < 63.21 < at[220]


def test_line_bends_at_the_points_of_its_curve() -> None:
    by_points = {"curve": "points", "points": [(-0.6, -1), (0.5, 0), (1, 1)]}
    assert [x for x, _ in line(PAN | by_points, steps=2)] == [-1.0, -0.6, 0.0, 0.5, 1.0]
    more = {"deadzone": 0.2, "inverted": True}
    found = [x for x, _ in line(PAN | by_points | more, steps=2)]
    assert found == pytest.approx([-1.0, -0.6, -0.2, 0.0, 0.2, 0.68, 1.0])


def test_conditions_do_not_keep_a_preview_from_its_value() -> None:
    closed = route("r", "rc", "head", [PAN | {"only_while": [{"source": "livelink:*"}]}])
    assert [each.value for each in preview(robot(), closed, {"a": 0.5}).fields] == [50.0]
