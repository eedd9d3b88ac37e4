"""What filters and conditions must never do, with numbers typed by hand: leave the limits, hold up
a velocity on its way to rest, reach afterwards what was requested before a loss or a stop, let a
mapping drive whose condition is silent.
"""

import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.api.routing import Route
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.routerd.inputs.writers import AdmittedSource
from tests.unit.routerd.rig import DIRECT, Rig, route

SLOW = {"filter": "low_pass", "cutoff_hz": 0.5}
FILTERS: list[dict[str, Any]] = [
    SLOW,
    {"filter": "one_euro", "cutoff_hz": 0.5, "beta": 0.01},
    {"rate_limit": 0.5},
    {"filter": "low_pass", "cutoff_hz": 0.5, "rate_limit": 0.3},
]
CH7 = {"source": "rc", "input": "channel_7", "above": 0.5, "hysteresis": 0.1}


def drive(**more: Any) -> Route:
    return route("drive", "rc", "tracks", [{"from": "stick", "to": "linear", "scale": 1.5, **more}])


def pan(source: str = "rc", name: str = "pan", **more: Any) -> Route:
    return route(name, source, "head", [{"from": "stick", "to": "pan", "scale": 180, **more}])


def want(rig: Rig, target: str, field: str) -> float:
    """Return what the claim in control requests, before the field's own rate."""
    return rig.router.by_name[target, field].want


@pytest.mark.parametrize("more", FILTERS)
def test_filtered_velocity_rises_slowly_and_is_zero_at_once(more: dict[str, Any]) -> None:
    rig = Rig(drive(**more))
    rig.stream(0.2, "rc", stick=0.0)
    rig.stream(0.2, "rc", stick=1.0)
    assert 0.0 < want(rig, "tracks", "linear") < 1.0
    rig.send("rc", stick=0.0)
    assert want(rig, "tracks", "linear") == 0.0


@pytest.mark.parametrize("more", FILTERS)
def test_velocity_that_reverses_has_no_rest_of_the_old_direction(more: dict[str, Any]) -> None:
    rig = Rig(drive(**more))
    rig.stream(2.0, "rc", stick=1.0)
    rig.send("rc", stick=-1.0)
    assert -0.75 < want(rig, "tracks", "linear") <= 0.0
    rig.stream(0.01, "rc", stick=-1.0)
    rig.send("rc", stick=-0.01)
    assert -0.015 <= want(rig, "tracks", "linear") <= 0.0


@pytest.mark.parametrize("more", FILTERS)
def test_velocity_that_rose_again_starts_from_where_it_was_held(more: dict[str, Any]) -> None:
    rig = Rig(drive(**more))
    rig.stream(2.0, "rc", stick=1.0)
    rig.stream(0.05, "rc", stick=0.0)
    rig.stream(0.02, "rc", stick=1.0)
    assert want(rig, "tracks", "linear") < 0.2


def test_zero_of_two_filtered_inputs_together_is_zero_at_once() -> None:
    arrows = [
        {"from": "stick", "to": "linear", "scale": 1.5, **SLOW},
        {"from": "other", "to": "linear", "scale": 1.5, "filter": "low_pass", "cutoff_hz": 5},
    ]
    rig = Rig(route("drive", "rc", "tracks", arrows))
    rig.stream(0.3, "rc", stick=1.0, other=0.0)
    rig.send("rc", stick=1.0, other=-1.0)
    assert want(rig, "tracks", "linear") == 0.0


def test_zero_of_two_blended_filtered_claims_is_zero_at_once() -> None:
    other = route("other", "websocket", "tracks", [{"from": "y", "to": "linear", **SLOW}])
    rig = Rig(drive(filter="low_pass", cutoff_hz=5), other, mode="additive")
    for _ in range(50):
        rig.send("rc", stick=0.5)
        rig.send("websocket:a", y=0.0)
        rig.wait(0.01)
    assert want(rig, "tracks", "linear") > 0.5
    rig.send("websocket:a", y=-0.75)
    rig.send("rc", stick=0.5)
    assert want(rig, "tracks", "linear") == 0.0


@pytest.mark.parametrize("more", FILTERS)
def test_nothing_requested_before_a_stop_is_reached_after_it(more: dict[str, Any]) -> None:
    """The filter is on its way to 180 when the robot stops; then the stick requests -18."""
    rig = Rig(pan(**more))
    rig.stream(0.3, "rc", stick=0.0)
    rig.stream(0.3, "rc", stick=1.0)
    rig.router.raise_estop("test", "", rig.now)
    rig.stream(0.3, "rc", stick=1.0)
    rig.stream(0.3, "rc", stick=0.0)
    rig.clear("test", rig.now)
    rig.stream(0.1, "rc", stick=0.0)
    rig.send("rc", stick=-0.1)
    assert rig.is_driven("head.pan")
    assert want(rig, "head", "pan") == pytest.approx(-18.0)
    for _ in range(100):
        rig.stream(0.01, "rc", stick=-0.1)
        assert want(rig, "head", "pan") == pytest.approx(-18.0)


@pytest.mark.parametrize("more", FILTERS)
def test_return_of_a_lost_source_goes_from_where_the_output_stands(more: dict[str, Any]) -> None:
    """180 was requested before the loss; the way to 0 begins where the joint was left."""
    rig = Rig(pan(**more), hysteresis_ms=0)
    rig.stream(0.3, "rc", stick=0.0)
    rig.stream(0.3, "rc", stick=1.0)
    rig.wait(1.0)
    before = rig.value("head.pan")
    assert before is not None
    path = [before]
    for _ in range(100):
        rig.stream(0.01, "rc", stick=0.0)
        path.append(want(rig, "head", "pan"))
    assert path == sorted(path, reverse=True)
    assert 0.0 <= path[-1] <= path[0]


def test_take_over_leaves_the_old_request_behind() -> None:
    rig = Rig(pan(**SLOW), pan("websocket", "web", **SLOW), blend_time_ms=0)
    rig.stream(1.0, "websocket:a", stick=0.0)
    rig.stream(0.3, "websocket:a", stick=1.0)
    before = want(rig, "head", "pan")
    assert 0.0 < before < 180.0
    for _ in range(30):
        rig.send("websocket:a", stick=1.0)
        rig.send("rc", stick=0.0)
        rig.wait(0.01)
        assert want(rig, "head", "pan") <= before
    rig.wait(0.5)
    rig.stream(0.1, "websocket:a", stick=-0.5)
    assert want(rig, "head", "pan") <= before


def test_a_pause_within_the_control_starts_the_filter_again() -> None:
    """No timer fired in the pause: the first sample after it counts as the first one."""
    rig = Rig(pan(**SLOW))
    rig.stream(0.3, "rc", stick=1.0)
    rig.now += 0.2
    rig.send("rc", stick=-1.0)
    assert want(rig, "head", "pan") == -180.0


@given(
    st.lists(
        st.tuples(st.floats(-1e6, 1e6, width=32), st.sampled_from((0.0, 1e-6, 0.004, 0.1, 0.3))),
        max_size=40,
    ),
    st.sampled_from(FILTERS),
    st.sampled_from(("sum", "mean", "greatest")),
)
def test_limits_are_never_left_whatever_comes_when(
    samples: list[tuple[float, float]], more: dict[str, Any], combine: str
) -> None:
    arrows = [
        {"from": "stick", "to": "linear", "scale": 1.5, **more},
        {"from": "other", "to": "linear", "scale": -7.0, "offset": 1.0, **SLOW},
    ]
    rig = Rig(route("drive", "rc", "tracks", arrows, combine=combine), pan("livelink", **more))
    for value, pause in samples:
        rig.send("rc", stick=value, other=-value / 3)
        rig.send("livelink:a", stick=value)
        rig.wait(pause)
        assert -1.5 <= want(rig, "tracks", "linear") <= 1.5
        assert -180.0 <= want(rig, "head", "pan") <= 180.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_refused_and_change_no_filter(value: float) -> None:
    rig = Rig(pan(**SLOW))
    rig.stream(0.1, "rc", stick=0.5)
    before = want(rig, "head", "pan")
    assert not rig.send("rc", stick=value)
    rig.send("rc", stick=0.5)
    assert want(rig, "head", "pan") == before


# Conditions


def test_mapping_drives_only_while_its_channel_is_up() -> None:
    rig = Rig(drive(only_while=[CH7]))
    rig.stream(0.3, "rc", stick=0.5, channel_7=-1.0)
    assert rig.value("tracks.linear") == 0.0
    rig.stream(0.3, "rc", stick=0.5, channel_7=0.5)
    assert rig.value("tracks.linear") == 0.75
    rig.stream(0.1, "rc", stick=0.5, channel_7=0.41)  # within the hysteresis of 0.1
    assert rig.value("tracks.linear") == 0.75
    rig.stream(0.07, "rc", stick=0.5, channel_7=0.39)
    assert rig.value("tracks.linear") == 0.0
    assert rig.output("tracks.linear").policy == "ramp_to_zero"
    (reason,) = [each.reason for each in rig.output("tracks.linear").rivals]
    assert reason == "only while rc channel_7 at or above 0.5"


def test_condition_of_another_source_ends_with_its_silence() -> None:
    rig = Rig(pan("livelink", only_while=[CH7]))
    for _ in range(30):
        rig.send("livelink:a", stick=0.5)
        rig.send("rc", channel_7=1.0)
        rig.wait(0.01)
    assert rig.output("head.pan").winner == "pan"
    for _ in range(13):  # 120 ms of RC
        rig.send("livelink:a", stick=0.5)
        rig.wait(0.01)
    assert rig.output("head.pan").winner == ""


@pytest.mark.parametrize("values", [{}, {"channel_7": 1.0}])
def test_condition_ends_with_the_signal_of_its_source(values: Mapping[str, float]) -> None:
    rig = Rig(pan("livelink", only_while=[CH7]))
    for _ in range(30):
        rig.send("livelink:a", stick=0.5)
        rig.send("rc", channel_7=1.0)
        rig.wait(0.01)
    rig.send("rc", failsafe=True, **values)
    assert rig.output("head.pan").winner == ""


def test_only_while_a_face_is_seen() -> None:
    rig = Rig(pan(only_while=[{"source": "livelink:*"}]))
    rig.stream(0.1, "rc", stick=0.5)
    assert rig.output("head.pan").winner == ""
    rig.send("livelink:Ann", jawOpen=0.0)
    rig.stream(0.49, "rc", stick=0.5)
    assert rig.output("head.pan").winner == "pan"
    rig.stream(0.02, "rc", stick=0.5)
    assert rig.output("head.pan").winner == ""


def test_not_while_the_mouth_is_open() -> None:
    mouth = {"source": "livelink:Ann", "input": "jawOpen", "below": 0.3, "hysteresis": 0.1}
    rig = Rig(pan(only_while=[mouth]))
    for jaw, is_driven in ((0.2, True), (0.39, True), (0.41, False), (0.35, False), (0.29, True)):
        rig.send("livelink:Ann", jawOpen=jaw)
        rig.stream(0.02, "rc", stick=0.5)
        assert (rig.output("head.pan").winner == "pan") is is_driven
    rig.send("livelink:Bob", jawOpen=0.9)  # another face
    rig.stream(0.02, "rc", stick=0.5)
    assert rig.output("head.pan").winner == "pan"


def test_all_conditions_of_a_mapping_must_hold() -> None:
    rig = Rig(pan(only_while=[CH7, {"source": "livelink:*"}]))
    rig.stream(0.1, "rc", stick=0.5, channel_7=1.0)
    assert rig.output("head.pan").winner == ""
    rig.send("livelink:a", jawOpen=0.0)
    rig.stream(0.1, "rc", stick=0.5, channel_7=1.0)
    assert rig.output("head.pan").winner == "pan"


def test_claim_whose_condition_ends_leaves_its_field_to_the_next() -> None:
    rig = Rig(pan(only_while=[CH7]), DIRECT)
    for channel, winner in ((1.0, "pan"), (-1.0, "web"), (1.0, "pan")):
        for _ in range(5):
            rig.send("websocket:a", "head", pan=10.0)
            rig.send("rc", stick=0.5, channel_7=channel)
            rig.wait(0.01)
        assert rig.output("head.pan").winner == winner


def test_condition_that_begins_does_not_release_what_must_move_first() -> None:
    """After a stop the stick has to move itself; flipping CH 7 is not that."""
    rig = Rig(drive(only_while=[CH7]))
    rig.stream(0.1, "rc", stick=0.5, channel_7=1.0)
    rig.router.raise_estop("test", "", rig.now)
    rig.stream(0.1, "rc", stick=0.5, channel_7=-1.0)
    rig.clear("test", rig.now)
    rig.stream(0.3, "rc", stick=0.5, channel_7=-1.0)
    rig.stream(0.3, "rc", stick=0.5, channel_7=1.0)
    assert rig.value("tracks.linear") == 0.0
    rig.stream(0.3, "rc", stick=0.6, channel_7=1.0)
    assert rig.value("tracks.linear") == pytest.approx(0.9)


def test_clear_is_refused_while_a_filtered_stick_requests_motion() -> None:
    """What counts is the stick, not the filter that follows it slowly."""
    rig = Rig(drive(**SLOW))
    rig.stream(0.1, "rc", stick=0.0)
    rig.router.raise_estop("test", "", rig.now)
    rig.send("rc", stick=0.5)
    with pytest.raises(SaintError, match=r"still requests 0\.75 m/s"):
        rig.clear("test", rig.now)


def test_unknown_safety_device_meets_no_condition() -> None:
    rig = Rig(pan(only_while=[{"source": "safety:*"}]))
    message = InputSample(source="safety:x", sequence=1, names=("ok",), values=(1.0,))
    unknown = AdmittedSource("safety:x", is_known=False)
    assert rig.router.sample(message, "b", rig.now, unknown)
    rig.stream(0.05, "rc", stick=0.5)
    assert rig.output("head.pan").winner == ""


def test_edit_of_another_route_leaves_the_way_of_a_filter() -> None:
    rig = Rig(pan(**SLOW))
    rig.stream(0.3, "rc", stick=0.0)
    rig.stream(0.2, "rc", stick=1.0)
    before = rig.value("head.pan")
    assert before is not None
    rig.router.set_routes([pan(**SLOW), DIRECT], rig.now)
    rig.stream(0.02, "rc", stick=1.0)
    after = rig.value("head.pan")
    assert after is not None
    assert before <= after < before + 20
