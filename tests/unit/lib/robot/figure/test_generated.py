"""A figure that is made of the parts: every part has a link, every link a place, and what moves
goes the way that its name says; for the shipped robots and for random ones.
"""

import math
import random
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saint_services.lib.kinematics.poses import Pose
from saint_services.lib.kinematics.tree import Tree
from saint_services.lib.robot import manifest, urdf
from saint_services.lib.robot.body import body_of
from saint_services.lib.robot.figure.bindings import misfit
from saint_services.lib.robot.figure.features import feature_of
from saint_services.lib.robot.figure.figure import Figure, generated_figure
from saint_services.lib.robot.figure.generated import WHEELS, GeneratedFigure, generate
from saint_services.lib.role_config.body import Body
from saint_services.lib.role_config.model import RoleConfig
from tests.examples import TRIED
from tests.unit.lib.kinematics.saint_body import turned, where
from tests.unit.lib.robot.figure.random_robots import robots

MANIFESTS = Path(__file__).resolve().parents[5] / "manifests"
ROVER = manifest.load(MANIFESTS, "rover").manifest.model_copy(update={"urdf": "", "roles": []})
Roles = Mapping[str, RoleConfig]


def figure_and_body(roles: Roles) -> tuple[Figure, Body]:
    figure = generated_figure(ROVER, roles)
    return figure, body_of(ROVER, figure.model, roles, figure)


def positions(body: Body, roles: Roles, target: str, field: str) -> tuple[str, float, float]:
    """Return a part's joint with its lower and upper limit."""
    role = body.roles[target]
    joint = role.angles.get(field) or role.shares[field]
    link = next(each for each in body.links if each.joint == joint)
    return joint, *link.limits


@given(robots())
@settings(max_examples=TRIED)
def test_every_part_has_a_link_and_every_link_a_place(roles: dict[str, RoleConfig]) -> None:
    made = generate("Robi", roles)
    model = urdf.parse(made.text.encode(), "figure.urdf")
    for target, role in roles.items():
        for name in role.fields:
            assert made.links[target, name] in model.links
    assert len(set(made.links.values())) == len(made.links)
    _, body = figure_and_body(roles)
    poses = Tree(body).poses({})
    assert len(poses) == len(model.links)
    assert all(map(math.isfinite, (number for pose in poses for number in pose)))


@given(robots())
@settings(max_examples=TRIED)
def test_joints_are_bound_and_their_limits_are_those_of_the_parts(
    roles: dict[str, RoleConfig],
) -> None:
    figure, _ = figure_and_body(roles)
    shown = [joint for joints in figure.joints.values() for joint in joints.values()]
    assert len(set(shown)) == len(shown)
    for target, role in roles.items():
        for name, spec in role.fields.items():
            joint = figure.joints.get(target, {}).get(name)
            assert (joint is not None) == (spec.kind == "position")
            if joint is None:
                continue
            assert not misfit(role, name, joint, figure.model, "", may_narrow=False)
            if spec.unit == "deg":
                found = figure.model.joints[joint]
                assert (found.lower, found.upper) == tuple(map(math.radians, spec.limits))


@given(robots())
@settings(max_examples=TRIED)
def test_same_robot_gives_the_same_text_without_collision_shapes(
    roles: dict[str, RoleConfig],
) -> None:
    first, second = generate("Robi", roles), generate("Robi", dict(roles))
    assert first == second
    assert "<collision" not in first.text


@given(robots(), st.randoms(use_true_random=False))
@settings(max_examples=max(10, TRIED // 4))
def test_every_link_is_where_a_second_computation_has_it(
    roles: dict[str, RoleConfig], chance: random.Random
) -> None:
    figure, body = figure_and_body(roles)
    root = ElementTree.fromstring(figure.text)
    tree = Tree(body)
    at = {
        link.joint: chance.uniform(*(link.limits if link.kind != "continuous" else (-9.0, 9.0)))
        for link in body.links
        if link.kind != "fixed" and not link.mimics
    }
    for link, pose in zip(tree.links, tree.poses(at), strict=True):
        place, rotation = where(link.name, at, root)
        assert pose[9:] == pytest.approx(place, abs=1e-6)
        assert (pose[0], pose[3], pose[6]) == pytest.approx(
            turned(rotation, (1.0, 0.0, 0.0)), abs=1e-6
        )


def forward(pose: Pose) -> tuple[float, float, float]:
    return pose[0], pose[3], pose[6]


def left(pose: Pose) -> tuple[float, float, float]:
    return pose[1], pose[4], pose[7]


LOOKS_LEFT, LOOKS_UP, LOOKS_DOWN, EAR_DOWN = "looks left", "looks up", "looks down", "ear down"
WAYS = {
    "pan": LOOKS_LEFT, "tilt": LOOKS_UP, "roll": EAR_DOWN, "jaw": LOOKS_DOWN,
    "eye_pan": LOOKS_LEFT, "eye_tilt": LOOKS_UP, "lid_upper": LOOKS_UP, "lid_lower": LOOKS_DOWN,
    "lip": LOOKS_UP,
}  # fmt: skip


def way_of(before: Pose, after: Pose) -> dict[str, float]:
    """Return how far a link went each way."""
    return {
        LOOKS_LEFT: forward(after)[1] - forward(before)[1],
        LOOKS_UP: forward(after)[2] - forward(before)[2],
        LOOKS_DOWN: forward(before)[2] - forward(after)[2],
        EAR_DOWN: left(after)[2] - left(before)[2],
    }


@given(robots())
@settings(max_examples=TRIED)
def test_parts_of_a_face_move_as_their_names_say(roles: dict[str, RoleConfig]) -> None:
    made = generate("Robi", roles)
    _, body = figure_and_body(roles)
    tree = Tree(body)
    for (target, name), link in made.links.items():
        what = feature_of(name, is_head=roles[target].role == "head").partition(".")[0]
        in_rows = link.startswith("part_")
        if what not in WAYS or in_rows or name not in made.joints.get(target, {}):
            continue
        if roles[target].role == "arms":
            continue
        joint, low, high = positions(body, roles, target, name)
        number = tree.index[link]
        zero = min(max(0.0, low), high)
        for step in (0.01, -0.01):
            if not low <= zero + step <= high:
                continue
            before, after = (tree.poses({joint: value})[number] for value in (zero, zero + step))
            # Turned about other axes by limits without 0, a way is judged in its parent's frame.
            if all(abs(each) < 1e-9 for each in before[:9:4]) or not _is_upright(before):
                continue
            assert way_of(before, after)[WAYS[what]] * step > 0.0, (target, name)


def _is_upright(pose: Pose) -> bool:
    return pose[0] > 0.99 and pose[4] > 0.99


@given(robots())
@settings(max_examples=TRIED)
def test_each_joint_moves_its_own_link(roles: dict[str, RoleConfig]) -> None:
    made = generate("Robi", roles)
    _, body = figure_and_body(roles)
    tree = Tree(body)
    for target, joints in made.joints.items():
        for name, joint in joints.items():
            link = tree.links[tree.by_joint[joint]]
            assert link.name == made.links[target, name]
            low, high = (-1.0, 1.0) if link.kind == "continuous" else link.limits
            middle = (max(low, -1.0) + min(high, max(low, -1.0) + 1.0)) / 2.0
            at = tree.index[link.name]
            first = tree.poses({joint: max(low, -1.0)})[at]
            assert first != tree.poses({joint: middle})[at]


def saint() -> tuple[Roles, GeneratedFigure]:
    roles = manifest.load(MANIFESTS, "saint").roles
    return roles, generate("SAINT-01", roles)


def test_brows_lift_their_outer_ends_and_both_follow_one_part() -> None:
    roles = manifest.load(MANIFESTS, "face").roles
    made = generate("FACE", roles)
    _, body = figure_and_body(roles)
    tree = Tree(body)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        joint = made.joints["parts.face"][f"brow_{side}"]
        pose = tree.poses({joint: 0.2})[tree.index[made.links["parts.face", f"brow_{side}"]]]
        assert left(pose)[2] * sign > 0.1
    joint = made.joints["parts.face"]["eye_pan"]
    copies = [link for link in body.links if link.mimics == joint]
    assert len(copies) == 1


def test_arm_reaches_forward_and_lifts_with_its_second_joint() -> None:
    roles, made = saint()
    _, body = figure_and_body(roles)
    tree = Tree(body)
    hand = tree.index[made.links["arms.left", "joint_5"]]
    neutral = tree.poses({})[hand][9:]
    lifted = tree.poses({made.joints["arms.left"]["joint_1"]: 0.3})[hand][9:]
    assert neutral[0] > 0.4 and neutral[1] > 0.1
    assert lifted[2] > neutral[2] + 0.1
    swung = tree.poses({made.joints["arms.left"]["joint_0"]: 0.3})[hand][9:]
    assert swung[1] > neutral[1] + 0.1


def test_tracks_have_the_geometry_of_their_role_and_forward_is_positive() -> None:
    roles, made = saint()
    model = urdf.parse(made.text.encode(), "saint")
    geometry = roles["tracks"].geometry
    assert geometry
    wheels = [model.joints[made.joints["tracks"][motor]] for motor in WHEELS]
    assert [wheel.axis for wheel in wheels] == [(0.0, 1.0, 0.0)] * 2
    assert wheels[0].xyz[1] - wheels[1].xyz[1] == pytest.approx(geometry.track_width_m)
    sprocket = ElementTree.fromstring(made.text).find(
        f"link[@name='{wheels[0].child}']/visual/geometry/cylinder"
    )
    assert sprocket is not None
    assert float(sprocket.get("radius", "")) == geometry.wheel_radius_m


def test_generated_joints_of_saint_have_the_names_of_the_shipped_model() -> None:
    shipped = manifest.load(MANIFESTS, "saint").figure.joints
    _, made = saint()
    assert made.joints == shipped


def test_robot_of_nothing_is_a_plinth() -> None:
    assert urdf.parse(generate("", {}).text.encode(), "x").links == {"base_link"}
