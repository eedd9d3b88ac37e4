"""Where links and hands are, against a second computation from the URDF."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saint_services.lib.kinematics import poses
from saint_services.lib.kinematics.chain import Chain
from saint_services.lib.kinematics.tree import Tree
from tests.unit.lib.kinematics.saint_body import saint, turned, where

TREE = Tree(saint())
ARMS = ["arms.left", "arms.right"]


def random_positions(seed: int) -> dict[str, float]:
    chance = random.Random(seed)
    return {
        link.joint: chance.uniform(*(link.limits if link.kind != "continuous" else (-9.0, 9.0)))
        for link in TREE.links
        if link.kind != "fixed"
    }


@pytest.mark.parametrize("seed", range(4))
def test_every_link_is_where_the_urdf_says(seed: int) -> None:
    positions = random_positions(seed)
    found = TREE.poses(positions)
    for link, pose in zip(TREE.links, found, strict=True):
        place, rotation = where(link.name, positions)
        assert pose[9:] == pytest.approx(place, abs=1e-9), link.name
        for direction in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)):
            wanted = turned(rotation, direction)
            assert poses.turn(pose, direction) == pytest.approx(wanted, abs=1e-9), link.name


def test_hand_points_forward_at_zero() -> None:
    hand = Chain(saint(), "arms.left").hand([0.0] * 6)
    # Shoulder at (0, 0.2, 0.65); 0.24 + 0.12 + 0.1 + 0.06 to the hand, 0.08 to between the fingers.
    assert hand[9:] == pytest.approx((0.6, 0.2, 0.65))
    assert poses.turn(hand, (1.0, 0.0, 0.0)) == pytest.approx((1.0, 0.0, 0.0))


@pytest.mark.parametrize("target", ARMS)
@settings(max_examples=15)
@given(st.lists(st.floats(-1.5, 1.5), min_size=6, max_size=6))
def test_jacobian_is_the_change_of_the_hand(target: str, angles: list[float]) -> None:
    chain = Chain(saint(), target)
    hand, columns = chain.solve(angles)
    for number, column in enumerate(columns):
        after = list(angles)
        after[number] += 1e-6
        moved = chain.hand(after)
        way = [(a - b) / 1e-6 for a, b in zip(moved[9:], hand[9:], strict=True)]
        rotation = [each / 1e-6 for each in poses.rotation_between(hand, moved)]
        assert (*way, *rotation) == pytest.approx(column, abs=1e-4)


@pytest.mark.parametrize("target", ARMS)
def test_no_hand_is_farther_than_its_reach(target: str) -> None:
    chain = Chain(saint(), target)
    chance = random.Random(1)
    for _ in range(100):
        angles = [chance.uniform(*limits) for limits in chain.limits]
        assert math.dist(chain.hand(angles)[9:], chain.base) <= chain.reach_m + 1e-9


def test_links_that_move_are_those_behind_the_joint_and_those_that_mimic() -> None:
    names = [TREE.links[number].name for number in TREE.moved_by(["arms_left_joint_4"])]
    wanted = ["wrist", "hand", "finger", "thumb"]
    assert sorted(names) == sorted(f"left_arm_{name}" for name in wanted)
    assert len(TREE.moved_by(["arms_left_gripper"])) == 2


small = st.floats(-3.1, 3.1)


@settings(max_examples=15)
@given(small, small, small)
def test_rotation_between_leads_from_one_to_the_other(r: float, p: float, y: float) -> None:
    a, b = poses.origin((0, 0, 0), (p, y, r)), poses.origin((0, 0, 0), (r, p, y))
    way = poses.rotation_between(a, b)
    angle = math.hypot(*way)
    if angle > 1e-6:
        axis = (way[0] / angle, way[1] / angle, way[2] / angle)
        a = poses.compose(poses.about(axis, angle), a)
    assert a == pytest.approx(b, abs=1e-5)


@settings(max_examples=15)
@given(small, small, small)
def test_quaternion_is_the_same_rotation(r: float, p: float, y: float) -> None:
    pose = poses.origin((0, 0, 0), (r, p, y))
    assert poses.of_quaternion(poses.quaternion(pose)) == pytest.approx(pose, abs=1e-5)


def test_half_a_turn_is_found_about_any_axis() -> None:
    for axis in ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.6, 0.0, 0.8), (0.0, 0.6, -0.8)):
        way = poses.rotation_between(poses.HERE, poses.about(axis, math.pi))
        assert math.hypot(*way) == pytest.approx(math.pi)
        along = sum(a * b for a, b in zip(way, axis, strict=True))
        assert abs(along) == pytest.approx(math.pi)


def test_quaternion_of_length_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="no orientation"):
        poses.of_quaternion((0.0, 0.0, 0.0, 0.0))
