"""Blended contenders, and the cross-fade when control changes. Numbers worked out by hand."""

from typing import Any

import pytest

from saint_services.lib.api.routing import Blending
from tests.unit.routerd.rig import DIRECT, DRIVE, FACE, STOP, Rig, route

PAN = route("rc_pan", "rc", "head", [{"from": "x", "to": "pan"}])
LOOK = route("look", "livelink", "head", [{"from": "x", "to": "pan"}])
NUDGE = route("nudge", "autonomous", "head", [{"from": "x", "to": "pan"}])


def settled(rig: Rig, seconds: float = 0.6, **values: float) -> None:
    """Let each source repeat its value for a while; rc=10 means x of source rc."""
    for _ in range(round(seconds * 100)):
        for source, x in values.items():
            name = {"rc": "rc", "look": "livelink:a", "nudge": "autonomous:b"}[source]
            rig.send(name, x=x)
        rig.wait(0.01)


def test_blend_is_the_mean_by_priority() -> None:
    rig = Rig(PAN, LOOK, mode="blend")
    settled(rig, rc=40.0, look=-40.0)
    assert rig.value("head.pan") == pytest.approx(40 * 300 / 400 - 40 * 100 / 400)
    output = rig.output("head.pan")
    assert output.winner == "rc_pan"
    assert [(r.route, r.reason) for r in output.rivals] == [("look", "mixed in")]


def test_blend_weights_are_those_of_the_routes() -> None:
    weighed = [each.model_copy(update={"weight": w}) for each, w in ((PAN, 1.0), (LOOK, 3.0))]
    rig = Rig(*weighed, mode="blend")
    settled(rig, rc=40.0, look=0.0)
    assert rig.value("head.pan") == pytest.approx(10.0)


def test_blend_of_weights_that_are_all_0_is_the_plain_mean() -> None:
    weighed = [each.model_copy(update={"weight": 0.0}) for each in (PAN, LOOK)]
    rig = Rig(*weighed, mode="blend")
    settled(rig, rc=40.0, look=0.0)
    assert rig.value("head.pan") == pytest.approx(20.0)


def test_additive_is_the_sum_within_the_limits() -> None:
    rig = Rig(PAN, LOOK, NUDGE, mode="additive")
    settled(rig, rc=40.0, look=20.0, nudge=-5.0)
    assert rig.value("head.pan") == pytest.approx(55.0)
    settled(rig, rc=170.0, look=90.0, nudge=0.0)
    assert rig.value("head.pan") == 180.0


def test_additive_follows_each_part_at_once() -> None:
    rig = Rig(PAN, LOOK, mode="additive")
    settled(rig, rc=40.0, look=20.0)
    rig.send("livelink:a", x=20.5)
    assert rig.value("head.pan") == pytest.approx(60.5)
    rig.wait(0.01)
    rig.send("rc", x=42.0)
    assert rig.value("head.pan") == pytest.approx(62.5)


def test_field_may_have_a_mode_of_its_own() -> None:
    tilt = route("t", "rc", "head", [{"from": "x", "to": "tilt"}])
    low = route("l", "livelink", "head", [{"from": "x", "to": "tilt"}])
    rig = Rig(PAN, LOOK, tilt, low, fields={"head.pan": "additive"})
    settled(rig, rc=40.0, look=20.0)
    assert (rig.value("head.pan"), rig.value("head.tilt")) == (pytest.approx(60.0), 40.0)


def test_part_that_is_lost_leaves_the_mix() -> None:
    rig = Rig(PAN, LOOK, mode="additive")
    settled(rig, rc=40.0, look=20.0)
    settled(rig, 0.8, rc=40.0)
    assert rig.value("head.pan") == pytest.approx(40.0)
    assert rig.output("head.pan").rivals[0].reason == "timed out"
    settled(rig, 0.8, look=20.0)  # now the one in control
    assert rig.value("head.pan") == pytest.approx(20.0)
    assert rig.output("head.pan").winner == "look"
    rig.wait(2.0)
    assert rig.output("head.pan").policy == "hold"


def test_part_of_several_inputs_is_mixed_as_a_whole() -> None:
    two = route("two", "rc", "head", [{"from": "x", "to": "pan"}, {"from": "y", "to": "pan"}])
    rig = Rig(two, LOOK, mode="additive")
    for y in (1.0, 2.0):
        for _ in range(60):
            rig.send("rc", x=10.0, y=y)
            rig.send("livelink:a", x=5.0)
            rig.wait(0.01)
        assert rig.value("head.pan") == pytest.approx(15.0 + y)


def test_safety_priority_is_never_mixed() -> None:
    guard = PAN.model_copy(update={"priority": 1000})
    rig = Rig(guard, LOOK, mode="blend")
    settled(rig, rc=40.0, look=-40.0)
    assert rig.value("head.pan") == 40.0
    assert rig.output("head.pan").rivals[0].reason == "lower priority"


@pytest.mark.parametrize("mode", ["blend", "additive"])
def test_estop_and_clear_hold_for_mixed_fields(mode: str) -> None:
    rig = Rig(DRIVE, STOP, DIRECT, mode=mode)
    rig.stream(0.3, "rc", stick=0.5, switch=-1.0)
    rig.send("rc", stick=0.5, switch=1.0)
    assert rig.value("tracks.linear") == 0.0
    rig.stream(0.3, "rc", stick=0.0, switch=-1.0)
    rig.clear("test", rig.now)
    rig.stream(0.3, "rc", stick=0.0, switch=-1.0)
    assert rig.output("tracks.linear").winner == ""
    rig.stream(0.3, "rc", stick=0.5, switch=-1.0)
    assert rig.value("tracks.linear") == 0.75


def fading(
    rig: Rig, name: str, seconds: float, *samples: tuple[str, dict[str, float]]
) -> list[Any]:
    """Return the field every 10 ms, while the sources go on."""
    values = []
    for _ in range(round(seconds * 100)):
        for source, sent in samples:
            target = "head" if source.startswith("web") else ""
            rig.send(source, target, **sent)
        values.append(rig.value(name))
        rig.wait(0.01)
    return values


def test_takeover_fades_over_blend_time() -> None:
    rig = Rig(DIRECT, LOOK, blend_time_ms=100)
    fading(rig, "head.pan", 0.3, ("livelink:a", {"x": 0.0}))
    both = (("livelink:a", {"x": 0.0}), ("websocket:1", {"pan": 10.0}))
    path = fading(rig, "head.pan", 0.15, *both)
    assert path[0] == 0.0
    assert path[5] == pytest.approx(5.0, abs=0.2)
    assert path[9] == pytest.approx(9.0, abs=0.2)
    assert path[11] == 10.0


def test_fade_follows_the_newcomer_while_it_moves() -> None:
    rig = Rig(DIRECT, LOOK, blend_time_ms=100)
    fading(rig, "head.pan", 0.3, ("livelink:a", {"x": 0.0}))
    fading(rig, "head.pan", 0.05, ("livelink:a", {"x": 0.0}), ("websocket:1", {"pan": 10.0}))
    rig.send("websocket:1", "head", pan=12.0)
    rig.wait(0.01)
    assert rig.value("head.pan") == pytest.approx(7.2, abs=0.2)  # 6 tenths of the way to 12


def test_no_fade_when_blend_time_is_0() -> None:
    rig = Rig(DIRECT, LOOK, blend_time_ms=0)
    fading(rig, "head.pan", 0.3, ("livelink:a", {"x": 0.0}))
    rig.send("websocket:1", "head", pan=0.7)
    assert rig.value("head.pan") == pytest.approx(0.7)


def test_who_comes_while_nobody_is_in_control_is_not_faded() -> None:
    rig = Rig(DRIVE, blend_time_ms=1000)
    rig.stream(0.26, "rc", stick=1.0)
    assert rig.value("tracks.linear") == 1.5


def test_lost_velocity_does_not_outlive_its_source_in_a_fade() -> None:
    rig = Rig(DRIVE, DIRECT, blend_time_ms=10_000)
    for _ in range(60):
        rig.send("rc", stick=0.1)
        rig.send("websocket:1", "tracks", linear=0.0)
        rig.wait(0.01)
    assert rig.value("tracks.linear") == pytest.approx(0.15)
    for _ in range(17):  # 120 ms until it is lost, and 50 of fade
        rig.send("websocket:1", "tracks", linear=0.0)
        rig.wait(0.01)
    assert rig.value("tracks.linear") == 0.0


def test_edited_mapping_fades() -> None:
    rig = Rig(FACE, blend_time_ms=100)
    rig.stream(0.3, "livelink:a", headYaw=0.1)
    turned = route(
        "face", "livelink", "head", [{"from": "headYaw", "to": "pan", "scale": 157.2958}]
    )
    rig.router.set_routes([turned], rig.now)
    assert rig.value("head.pan") == pytest.approx(5.72958)
    path = fading(rig, "head.pan", 0.2, ("livelink:a", {"headYaw": 0.1}))
    assert path[5] == pytest.approx(5.72958 + 5.0, abs=0.2)
    assert path[-1] == pytest.approx(15.72958)


def test_mode_can_be_changed_while_driving() -> None:
    rig = Rig(PAN, LOOK)
    settled(rig, rc=40.0, look=20.0)
    assert rig.value("head.pan") == 40.0
    rig.router.set_routes([PAN, LOOK], rig.now, Blending(mode="additive"))
    assert rig.value("head.pan") == 40.0
    settled(rig, rc=40.0, look=20.0)
    assert rig.value("head.pan") == pytest.approx(60.0)
    rig.router.set_routes([PAN, LOOK], rig.now, Blending())
    settled(rig, rc=40.0, look=20.0)
    assert rig.value("head.pan") == 40.0


@pytest.mark.parametrize(
    ("wanted", "rc_s", "web_s"),
    [(None, 0.12, 0.3), (500, 0.5, 0.5), ({"rc": 60}, 0.06, 0.3), ({"websocket": 1000}, 0.12, 1.0)],
)
def test_source_timeout_is_by_class_or_for_all(wanted: Any, rc_s: float, web_s: float) -> None:
    for source, timeout_s in (("rc", rc_s), ("websocket:1", web_s)):
        rig = Rig(DRIVE, DIRECT, source_timeout_ms=wanted)
        rig.send(source, "" if source == "rc" else "tracks", stick=0.01, linear=0.01)
        rig.wait(timeout_s - 0.001)
        assert rig.output("tracks.linear").winner
        rig.wait(0.002)
        assert not rig.output("tracks.linear").winner


def test_timeout_of_a_route_is_above_that_of_its_class() -> None:
    rig = Rig(DRIVE.model_copy(update={"timeout_ms": 50}), source_timeout_ms=500)
    rig.send("rc", stick=0.01)
    rig.wait(0.051)
    assert not rig.output("tracks.linear").winner


def test_lost_part_of_a_mixed_velocity_is_gone_in_50_ms() -> None:
    rig = Rig(DRIVE, DIRECT, mode="additive")
    for _ in range(60):
        rig.send("rc", stick=0.1)
        rig.send("websocket:1", "tracks", linear=0.1)
        rig.wait(0.01)
    slow = Blending(mode="additive", blend_time_ms=5000)
    rig.router.set_routes([DRIVE, DIRECT], rig.now, slow)
    assert rig.value("tracks.linear") == pytest.approx(0.25)
    for _ in range(17):
        rig.send("websocket:1", "tracks", linear=0.1)
        rig.wait(0.01)
    assert rig.value("tracks.linear") == pytest.approx(0.1)


def test_part_that_joins_fades_in() -> None:
    rig = Rig(PAN, LOOK, mode="additive", blend_time_ms=100)
    settled(rig, rc=40.0)
    rig.send("livelink:a", x=10.0)
    assert rig.value("head.pan") == 40.0
    rig.wait(0.0501)
    assert rig.value("head.pan") == pytest.approx(45.0, abs=0.2)


def test_part_that_comes_back_joins_when_it_is_steady() -> None:
    rig = Rig(PAN, LOOK, mode="additive", blend_time_ms=0)
    settled(rig, rc=40.0, look=10.0)
    settled(rig, rc=40.0)
    settled(rig, 0.19, rc=40.0, look=10.0)
    assert rig.value("head.pan") == 40.0
    settled(rig, 0.05, rc=40.0, look=10.0)
    assert rig.value("head.pan") == 50.0


def test_locked_out_part_leaves_the_mix() -> None:
    rig = Rig(PAN, LOOK, mode="additive")
    settled(rig, rc=40.0, look=10.0)
    rig.router.take_control("head", "livelink:a", 5.0, rig.now)
    settled(rig, rc=40.0, look=10.0)
    assert rig.value("head.pan") == 10.0


def test_lost_position_fades_over_the_whole_blend_time() -> None:
    rig = Rig(DIRECT, LOOK, blend_time_ms=200)
    both = (("livelink:a", {"x": 0.0}), ("websocket:1", {"pan": 10.0}))
    fading(rig, "head.pan", 0.6, *both)
    path = fading(rig, "head.pan", 0.6, ("livelink:a", {"x": 0.0}))
    assert path[29] == 10.0
    assert path[40] == pytest.approx(5.0, abs=0.6)
    assert path[-1] == 0.0


def test_edit_that_changes_nothing_fades_nothing() -> None:
    rig = Rig(FACE, blend_time_ms=1000)
    rig.stream(0.3, "livelink:a", headYaw=0.1)
    rig.router.set_routes([FACE], rig.now)
    rig.wait(0.01)
    rig.send("livelink:a", headYaw=0.11)
    assert rig.value("head.pan") == pytest.approx(6.302538)


def test_sum_becomes_a_mean_when_the_mode_changes() -> None:
    rig = Rig(PAN, LOOK, mode="additive")
    settled(rig, rc=40.0, look=20.0)
    rig.router.set_routes([PAN, LOOK], rig.now, Blending(mode="blend"))
    settled(rig, rc=40.0, look=20.0)
    assert rig.value("head.pan") == pytest.approx(35.0)  # 3 parts to 1
