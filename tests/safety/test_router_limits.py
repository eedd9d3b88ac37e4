"""No sample and no route drives a field past its limits or rate. The numbers are typed by hand."""

import pytest

from tests.unit.routerd.rig import DIRECT, Rig, route

LIMITS = {
    "head.pan": (-180.0, 180.0),
    "head.tilt": (-90.0, 90.0),
    "head.roll": (-45.0, 45.0),
    "head.jaw": (0.0, 1.0),
    "head.eye_pan": (-35.0, 35.0),
    "head.eye_tilt": (-25.0, 25.0),
    **{
        f"arms.{side}.{joint}": limits
        for side in ("left", "right")
        for joint, limits in {
            "joint_0": (-170.0, 170.0),
            "joint_1": (-90.0, 90.0),
            "joint_2": (-135.0, 135.0),
            "joint_3": (-170.0, 170.0),
            "joint_4": (-100.0, 100.0),
            "joint_5": (-170.0, 170.0),
            "gripper": (0.0, 1.0),
        }.items()
    },
    "tracks.linear": (-1.5, 1.5),
    "tracks.angular": (-3.0, 3.0),
}


def test_these_are_all_fields() -> None:
    names = {f"{output.target}.{output.field}" for output in Rig().router.outputs}
    assert names == set(LIMITS)


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("side", [0, 1])
def test_direct_command_stops_at_the_limit(name: str, side: int) -> None:
    target, _, field = name.rpartition(".")
    rig = Rig(DIRECT)
    rig.stream(1.0, "websocket:1", target, **{field: (-3e38, 3e38)[side]})
    assert rig.value(name) == LIMITS[name][side]
    assert rig.output(name).clamped


@pytest.mark.parametrize("name", LIMITS)
def test_mapping_cannot_widen_the_limit(name: str) -> None:
    target, _, field = name.rpartition(".")
    wide = [{"from": "x", "to": field, "scale": 1e6, "offset": 1e6, "clamp": [-1e9, 1e9]}]
    rig = Rig(route("wide", "rc", target, wide))
    rig.stream(1.0, "rc", x=1.0)
    assert rig.value(name) == LIMITS[name][1]


def test_sum_of_mappings_cannot_widen_the_limit() -> None:
    several = [{"from": x, "to": "linear", "scale": 1.5} for x in "abc"]
    rig = Rig(route("sum", "rc", "tracks", several))
    rig.stream(1.0, "rc", a=1.0, b=1.0, c=1.0)
    assert rig.value("tracks.linear") == 1.5


@pytest.mark.parametrize(
    ("source", "target", "loss_s"),
    [
        ("rc", "", 0.12),
        ("websocket:1", "tracks", 0.3),
        ("livelink:a", "", 0.5),
        ("autonomous:a", "tracks", 0.3),
    ],
)
def test_lost_source_is_at_rest_60_ms_after_its_timeout(
    source: str, target: str, loss_s: float
) -> None:
    kind = source.partition(":")[0]
    drives = [{"from": "linear", "to": "linear"}]
    rig = Rig(route("r", kind, "*" if target else "tracks", "passthrough" if target else drives))
    rig.stream(0.5, source, target, linear=1.5)
    rig.wait(loss_s - 0.011)
    assert rig.value("tracks.linear") == 1.5
    rig.wait(0.002 + 0.06)
    assert rig.value("tracks.linear") == 0.0


def test_full_reversal_takes_half_a_second() -> None:
    rig = Rig(DIRECT)
    rig.stream(0.5, "websocket:1", "tracks", linear=1.5)
    rig.stream(0.4, "websocket:1", "tracks", linear=-1.5)  # 3 m/s at 6 m/s2
    assert (rig.value("tracks.linear") or 0.0) > -1.0
    rig.stream(0.12, "websocket:1", "tracks", linear=-1.5)
    assert rig.value("tracks.linear") == -1.5
