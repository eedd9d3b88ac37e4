"""Joints that do not collide with each other."""

import math
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from saint_services.lib.generated.saint_msgs import ArmCommand
from saint_services.lib.generated.topics import ARM_CMD
from saint_services.lib.role.motion.collisions import Fences
from saint_services.lib.role.motion.positions import PositionSession
from saint_services.lib.role_config.model import CollisionLimit, RoleConfig
from tests.unit.role.role_rig import Rig, load_role

ELBOW = CollisionLimit(when={"joint_1": (60.0, 90.0)}, then={"joint_2": (-45.0, 45.0)})
BOX = CollisionLimit(when={"joint_1": (-90.0, -10.0), "joint_2": (-98.0, 61.0)})
LIMITS = [
    ELBOW,
    BOX,
    CollisionLimit(when={"joint_1": (-90.0, -50.0)}, then={"joint_0": (-30.0, 170.0)}),
    CollisionLimit(
        when={"joint_0": (100.0, 170.0), "joint_2": (0.0, 135.0)}, then={"joint_1": (-20.0, 20.0)}
    ),
]
CMD = ARM_CMD.at(instance="left")


def rig_with(folder: Path, limits: list[CollisionLimit]) -> Rig:
    return Rig(folder, "arms_left", load_role("arms_left", collision_limits=limits))


def places(rig: Rig) -> dict[str, float]:
    session = rig.session
    assert isinstance(session, PositionSession)
    return {name: joint.axis.applied for name, joint in session.joints.by_name.items()}


angles = st.floats(-170.0, 170.0)
steps = st.lists(st.tuples(st.sampled_from(["joint_0", "joint_1", "joint_2"]), angles), max_size=30)


INF = math.inf
TWO = CollisionLimit(when={"a": (10.0, 20.0), "b": (30.0, 40.0)}, then={"c": (0.0, 5.0)})
BOTH = CollisionLimit(when={"a": (10.0, 20.0), "b": (30.0, 40.0)})


@pytest.mark.parametrize(
    ("joint", "at", "room"),
    [
        ("c", (10.0, 30.0, 9.0), (0.0, 5.0)),  # the edges belong to a range
        ("c", (20.0, 40.0, 9.0), (0.0, 5.0)),
        ("c", (9.9, 30.0, 9.0), (-INF, INF)),
        ("c", (20.1, 30.0, 9.0), (-INF, INF)),
        ("c", (10.0, 29.9, 9.0), (-INF, INF)),
        ("c", (10.0, 40.1, 9.0), (-INF, INF)),
        ("a", (9.0, 35.0, 9.0), (-INF, 9.999)),
        ("a", (21.0, 35.0, 9.0), (20.001, INF)),
        ("a", (10.0, 35.0, 9.0), (-INF, INF)),  # already there: c comes back
        ("a", (20.0, 35.0, 9.0), (-INF, INF)),
        ("a", (9.0, 29.0, 9.0), (-INF, INF)),  # b is not there
        ("a", (9.0, 35.0, 5.0), (-INF, INF)),  # c keeps to its room
        ("a", (9.0, 35.0, 0.0), (-INF, INF)),
        ("a", (9.0, 35.0, -0.1), (-INF, 9.999)),
        ("a", (9.9995, 35.0, 9.0), (-INF, 9.9995)),  # nearer already: it may stay
        ("a", (20.0005, 35.0, 9.0), (20.0005, INF)),
        ("b", (15.0, 29.0, 9.0), (-INF, 29.999)),
        ("d", (15.0, 35.0, 9.0), (-INF, INF)),
    ],
)
def test_room_is_exact_to_a_thousandth(
    joint: str, at: tuple[float, float, float], room: tuple[float, float]
) -> None:
    found = Fences([TWO]).room(joint, dict(zip("abc", at, strict=True)))
    assert found == pytest.approx(room, abs=1e-9)


@pytest.mark.parametrize("place", [-1e-300, -1e-16, -0.0009])
def test_joint_that_stands_just_outside_a_range_has_room_to_stay(place: float) -> None:
    at = {"joint_0": 100.0, "joint_1": 21.0, "joint_2": place}
    assert Fences(LIMITS).are_kept(at)
    assert Fences(LIMITS).room("joint_2", at)[1] == place


def test_room_of_several_limits_is_what_all_of_them_leave() -> None:
    other = CollisionLimit(when={"b": (30.0, 40.0)}, then={"c": (2.0, 9.0)})
    last = CollisionLimit(when={"a": (0.0, 1.0)}, then={"c": (7.0, 8.0)})  # does not apply
    fences = Fences([BOTH, TWO, other, last])
    assert fences.joints == {"a", "b", "c"}
    assert fences.room("c", {"a": 15.0, "b": 35.0, "c": 3.0}) == (2.0, 5.0)
    assert fences.room("a", {"a": 9.0, "b": 35.0, "c": 3.0}) == pytest.approx((1.001, 9.999))
    two = CollisionLimit(when={"a": (10.0, 20.0)}, then={"c": (0.0, 5.0), "d": (0.0, 5.0)})
    assert not Fences([two]).are_kept({"a": 15.0, "c": 3.0, "d": 9.0})


def test_one_broken_limit_of_several_is_enough() -> None:
    fences = Fences([TWO, BOTH])
    assert not fences.are_kept({"a": 15.0, "b": 35.0, "c": 3.0})
    assert fences.are_kept({"a": 15.0, "b": 41.0, "c": 9.0})
    assert not Fences([TWO, ELBOW]).are_kept(
        {"a": 15.0, "b": 35.0, "c": 9.0, "joint_1": 0.0, "joint_2": 0.0}
    )
    assert not Fences([TWO]).are_kept({"a": 15.0, "b": 35.0, "c": -0.1})
    assert Fences([TWO]).are_kept({"a": 15.0, "b": 35.0, "c": 0.0})
    assert Fences([TWO]).are_kept({"a": 15.0, "b": 35.0, "c": 5.0})


@given(steps)
def test_no_order_of_steps_breaks_a_limit(moves: list[tuple[str, float]]) -> None:
    fences, at = Fences(LIMITS), {"joint_0": 0.0, "joint_1": 0.0, "joint_2": 90.0}
    assert fences.are_kept(at)
    for joint, wanted in moves:
        low, high = fences.room(joint, at)
        assert low <= at[joint] <= high  # what holds leaves room to stay
        at[joint] = min(max(wanted, low), high)
        assert fences.are_kept(at)


@pytest.mark.timeout(60)
@settings(max_examples=10)  # each is a motion of an arm
@given(
    st.lists(
        st.tuples(st.tuples(angles, angles, angles), st.sampled_from([0.02, 0.1, 0.3])), max_size=4
    )
)
def test_no_sequence_of_commands_breaks_a_limit(
    steps: list[tuple[tuple[float, ...], float]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rig = rig_with(Path(folder), LIMITS)
        fences = Fences(LIMITS)
        for targets, pause_s in steps:
            for _ in range(round(pause_s / 0.01)):
                rig.beat()
                rig.send(CMD, ArmCommand(targets, 1.0))
                rig.clock.advance(0.01)
                assert fences.are_kept(places(rig))
        rig.close()


def test_waiting_joint_goes_on_when_the_other_has_made_room(tmp_path: Path) -> None:
    rig = rig_with(tmp_path, [ELBOW])
    rig.live(1.0, lambda: rig.send(CMD, ArmCommand([0.0, 0.0, 120.0], 1.0)))
    # One command for both: joint_1 arrives at its fence before joint_2 has left its place.
    rig.live(2.0, lambda: rig.send(CMD, ArmCommand([0.0, 90.0, 0.0], 1.0)))
    found = places(rig)
    assert (found["joint_1"], found["joint_2"]) == (90.0, 0.0)
    rig.close()


def test_waiting_is_reported_and_is_no_fault(tmp_path: Path) -> None:
    rig = rig_with(tmp_path, [ELBOW])
    rig.live(1.5, lambda: rig.send(CMD, ArmCommand([0.0, 90.0, 120.0], 1.0)))
    state = rig.bus.sent["/saint/arms/left/state"][-1]
    assert not state.error_state
    assert not state.in_motion
    assert state.error_message.startswith("joint_1: stopped by collision_limits")
    rig.close()


def test_arm_that_was_left_inside_comes_out(tmp_path: Path) -> None:
    first = rig_with(tmp_path, [])
    first.live(1.5, lambda: first.send(CMD, ArmCommand([0.0, 90.0, 120.0], 1.0)))
    second = rig_with(tmp_path, [ELBOW])  # the first died, its pulses stayed
    second.live(0.5, lambda: second.send(CMD, ArmCommand([0.0, 90.0, 130.0], 1.0)))
    assert places(second)["joint_2"] < 121.0  # no deeper
    second.live(2.0, lambda: second.send(CMD, ArmCommand([0.0, 0.0, 130.0], 1.0)))
    assert places(second)["joint_1"] == 0.0
    second.close()
    first.board.close()


def test_box_is_passed_by_on_either_side(tmp_path: Path) -> None:
    rig = rig_with(tmp_path, [BOX])
    rig.live(2.0, lambda: rig.send(CMD, ArmCommand([0.0, -80.0, 0.0], 1.0)))
    assert -10.0 < places(rig)["joint_1"] < -9.9  # it waits before the box
    rig.live(3.0, lambda: rig.send(CMD, ArmCommand([0.0, -80.0, 90.0], 1.0)))
    assert (places(rig)["joint_1"], places(rig)["joint_2"]) == (-80.0, 90.0)
    rig.live(3.0, lambda: rig.send(CMD, ArmCommand([0.0, -80.0, -120.0], 1.0)))
    assert 61.0 < places(rig)["joint_2"] < 61.1
    rig.live(4.0, lambda: rig.send(CMD, ArmCommand([0.0, 0.0, -120.0], 1.0)))
    rig.live(4.0, lambda: rig.send(CMD, ArmCommand([0.0, -80.0, -120.0], 1.0)))
    assert (places(rig)["joint_1"], places(rig)["joint_2"]) == (-80.0, -120.0)
    rig.close()


@pytest.mark.parametrize("name", ["arms_left", "arms_right"])
def test_hand_never_comes_down_to_the_track_with_a_straight_wrist(name: str) -> None:
    """By the lengths of manifests/robots/saint.urdf: shoulder 0.65 m up, upper arm 0.24 m, from the
    elbow to the finger tips 0.39 m; the track is 0.16 m high, the hand 0.09 m wide.
    """
    fences = Fences(load_role(name).collision_limits)
    for upper in range(-90, 91, 2):
        for elbow in range(-135, 136, 2):
            raised = math.sin(math.radians(upper)), math.sin(math.radians(upper + elbow))
            elbow_m = 0.65 + 0.24 * raised[0]
            lowest_m = min(elbow_m, elbow_m + 0.39 * raised[1]) - 0.045
            if fences.are_kept({"joint_1": upper, "joint_2": elbow}):
                assert lowest_m > 0.16, (upper, elbow)


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        (
            {"when": {"elbow": [0, 1]}, "then": {"joint_2": [0, 1]}},
            "names .elbow., which is not in",
        ),
        ({"when": {"joint_1": [0, 1]}}, "one joint only"),
        ({"when": {"joint_1": [2, 1]}, "then": {"joint_2": [0, 1]}}, "must not fall"),
        ({"when": {"joint_1": [0, 1]}, "then": {"joint_1": [0, 1]}}, "joint_1 on both sides"),
    ],
)
def test_limit_that_makes_no_sense_is_refused_by_name(limit: dict[str, Any], says: str) -> None:
    data = load_role("arms_left").model_dump(mode="json") | {"collision_limits": [limit]}
    with pytest.raises(ValidationError, match=says):
        RoleConfig.model_validate(data)
