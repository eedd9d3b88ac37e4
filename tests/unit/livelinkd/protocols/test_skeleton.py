"""Which values a skeleton gets, and that its angles are the rotation."""

import math

import pytest

from saint_services.livelinkd.protocols.skeleton import (
    Pose,
    euler,
    from_unity,
    from_unreal,
    layout,
    quaternion,
    relative,
    unit,
)

S = math.sin(math.radians(15))
C = math.cos(math.radians(15))


@pytest.mark.parametrize(
    ("rotation", "angles"),
    [
        ((0, 0, 0, 1), (0, 0, 0)),
        ((0, 0, S, C), (30, 0, 0)),  # about z, up: to the left
        ((0, S, 0, C), (0, 30, 0)),  # about y, left: nose down
        ((S, 0, 0, C), (0, 0, 30)),  # about x, forward: to the right side
        ((0, 0, -S, -C), (30, 0, 0)),  # the same rotation with the other sign
        ((0, 0, 1, 0), (180, 0, 0)),
    ],
)
def test_angles_about_each_axis(
    rotation: tuple[float, float, float, float], angles: tuple[float, float, float]
) -> None:
    assert euler(rotation) == pytest.approx(angles)


def test_order_is_yaw_then_pitch_then_roll() -> None:
    """By hand: 90 left, then 30 down, then 10 to the side, of the axes as turned."""
    found = euler(quaternion((90, 30, 10)))
    assert found == pytest.approx((90, 30, 10))
    x, y, z, w = quaternion((90, 30, 10))
    forward = (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y))
    assert forward == pytest.approx((0, math.cos(math.pi / 6), -0.5), abs=1e-9)


@pytest.mark.parametrize("pitch", [90, -90])
def test_at_the_poles_yaw_has_it_all(pitch: float) -> None:
    assert euler(quaternion((40, pitch, 0))) == pytest.approx((40, pitch, 0), abs=1e-4)
    yaw, _, roll = euler(quaternion((40, pitch, 25)))
    assert roll == 0
    assert yaw == pytest.approx(40 - math.copysign(25, pitch), abs=1e-4)


def test_unreal_and_unity_turn_the_other_way() -> None:
    assert euler(from_unreal((0, 0, S, C))) == pytest.approx((-30, 0, 0))  # to the right
    assert euler(from_unreal((0, S, 0, C))) == pytest.approx((0, 30, 0))
    assert euler(from_unity((0, S, 0, C))) == pytest.approx((-30, 0, 0))  # Unity's up
    assert euler(from_unity((S, 0, 0, C))) == pytest.approx((0, 30, 0))  # Unity's right: nose down


def test_relative_is_seen_from_the_rest() -> None:
    rest, now = quaternion((50, 20, 0)), quaternion((50, 20, 0))
    assert euler(relative(rest, now)) == pytest.approx((0, 0, 0))
    assert euler(relative(quaternion((50, 0, 0)), quaternion((80, 0, 0)))) == pytest.approx(
        (30, 0, 0)
    )


def test_only_a_quaternion_is_one() -> None:
    assert unit(0, 0, 0, 0) is None and unit(1e9, 0, 0, 0) is None
    assert unit(0, 0, 0, 2) == (0, 0, 0, 1)


@pytest.mark.parametrize(
    "bones",
    [
        ("LeftUpperArm", "LeftLowerArm", "LeftHand"),
        ("upperarm_l", "lowerarm_l", "hand_l"),
        ("mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand"),
    ],
)
def test_arms_of_every_program_have_the_same_joints(bones: tuple[str, ...]) -> None:
    turns = [quaternion((10, 20, 30)), quaternion((40, 50, 60)), quaternion((7, 8, 9))]
    pose = Pose(layout(bones), turns)
    found = dict(zip(pose.layout.names, pose.values(), strict=True))
    joints = ("shoulder", "upper", "elbow", "forearm", "wrist", "hand")
    assert [round(found[f"LeftArm.{j}"], 6) for j in joints] == [10, 30, 40, 50, 9, 7]


def test_what_matters_comes_first() -> None:
    fingers = tuple(f"finger_{i}" for i in range(100))
    names = layout((*fingers, "head"), ("jawOpen",)).names
    assert names[:4] == ("jawOpen", "head.yaw", "head.pitch", "head.roll")


def test_a_name_counts_once() -> None:
    pose = Pose(layout(("Head",), ("Head.yaw",)), [quaternion((10, 0, 0))], (5.0,))
    found = dict(zip(pose.layout.names, pose.values(), strict=True))
    assert found["Head.yaw"] == 5.0 and found["Head"] == pytest.approx(10)
    assert len(set(pose.layout.names)) == len(pose.layout.names)
