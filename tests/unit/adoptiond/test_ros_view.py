"""What usual ROS 2 programs read: model, joints and transforms of the whole robot, diagnostics."""

import math
from typing import Any
from xml.etree import ElementTree

import pytest

from saint_services.adoptiond.ros_view.joints import JointBook
from saint_services.adoptiond.ros_view.model import load_viewed
from saint_services.lib.bus import Subscription, Topic
from saint_services.lib.generated import topics
from saint_services.lib.generated.builtin_interfaces import Time
from saint_services.lib.generated.geometry_msgs import Twist, TwistWithCovariance, Vector3
from saint_services.lib.generated.nav_msgs import Odometry
from saint_services.lib.generated.saint_msgs import GripperState, HeadExpression
from saint_services.lib.generated.sensor_msgs import JointState
from saint_services.lib.generated.std_msgs import Header
from saint_services.lib.generated.tf2_msgs import TFMessage
from saint_services.lib.kinematics.poses import Pose, compose, of_quaternion, origin
from saint_services.lib.kinematics.tree import Tree
from saint_services.lib.robot.manifest import load
from tests.unit.adoptiond.adoption_rig import REPOSITORY, Robot
from tests.unit.adoptiond.test_daemon import adopt, known
from tests.waiting import turns, until

VIEWED = load_viewed(load(REPOSITORY / "manifests", "saint"))
URDF = ElementTree.fromstring(VIEWED.urdf)
NOW = Time(sec=7)


def book() -> JointBook:
    return JointBook(VIEWED.body, VIEWED.wheels)


def positions(state: JointState) -> dict[str, float]:
    return dict(zip(state.name, state.position, strict=True))


def test_every_movable_joint_of_the_model_has_a_position() -> None:
    movable = {j.get("name") for j in URDF.findall("joint") if j.get("type") != "fixed"}
    state = book().joint_state(NOW)
    assert set(state.name) == movable
    assert len(state.name) == len(state.position) == len(movable)
    assert all(math.isfinite(each) for each in state.position)


def test_roles_move_their_joints_and_those_that_mimic_them() -> None:
    joints = book()
    joints.see_angles("head", JointState(Header(), ("head_pan", "head_eye_pan"), (0.4, 0.1)))
    joints.see_angles("arms.left", JointState(Header(), ("arms_left_joint_2",), (-0.3,)))
    joints.see_share("head", "jaw", 1.0)
    joints.see_share("arms.left", "gripper", 0.5)
    joints.see_share("arms.right", "gripper", math.nan)
    found = positions(joints.joint_state(NOW))
    assert found["head_pan"] == 0.4
    assert found["head_eye_pan"] == found["head_eye_right_pan"] == 0.1
    assert found["arms_left_joint_2"] == -0.3
    jaw = next(j for j in URDF.findall("joint") if j.get("name") == "head_jaw").find("limit")
    assert jaw is not None
    assert found["head_jaw"] == float(jaw.get("upper", ""))
    assert found["arms_left_gripper"] == found["arms_left_thumb"] != 0.0


def test_sprockets_turn_with_the_tracks() -> None:
    joints = book()
    for tenth in range(11):
        at = Header(stamp=Time(sec=10 + tenth // 10, nanosec=tenth % 10 * 100_000_000))
        speed = TwistWithCovariance(Twist(Vector3(0.5, 0.0, 0.0), Vector3()))
        joints.see_odometry(Odometry(header=at, twist=speed), VIEWED.track_width_m)
    found = positions(joints.joint_state(NOW))
    radius_m = VIEWED.wheels["left_motor"][1]
    assert found["tracks_left_motor"] == pytest.approx(0.5 / radius_m)
    assert found["tracks_right_motor"] == pytest.approx(0.5 / radius_m)


def placed(*messages: TFMessage) -> dict[str, Pose]:
    """Return where each link is, as a listener of tf2 computes it."""
    above = {
        each.child_frame_id: (each.header.frame_id, each.transform)
        for message in messages
        for each in message.transforms
    }

    def pose(link: str) -> Pose:
        if link not in above:
            return origin((0.0, 0.0, 0.0))
        parent, at = above[link]
        q, t = at.rotation, at.translation
        turned = of_quaternion((q.x, q.y, q.z, q.w))
        return compose(pose(parent), (*turned[:9], t.x, t.y, t.z))

    return {link: pose(link) for link in above}


def test_joints_by_their_own_names_move_those_of_the_model_alone() -> None:
    joints = book()
    joints.see_joints(JointState(Header(), ("arms_left_joint_2", "left_knee"), (-0.3, 1.0)))
    found = positions(joints.joint_state(NOW))
    assert found["arms_left_joint_2"] == -0.3
    assert "left_knee" not in found


def test_transforms_place_every_link_where_the_model_has_it() -> None:
    joints = book()
    angles = {"arms_left_joint_0": 0.7, "arms_left_joint_3": -1.1, "arms_left_joint_5": 0.2}
    joints.see_angles("arms.left", JointState(Header(), tuple(angles), tuple(angles.values())))
    links = {link.get("name") for link in URDF.findall("link")}
    found = placed(joints.fixed(NOW), joints.moving(NOW))
    assert set(found) == links - {"base_link"}
    tree = Tree(VIEWED.body)
    for link, wanted in zip(tree.links, tree.poses(angles), strict=True):
        if link.name != "base_link":
            assert found[link.name] == pytest.approx(wanted, abs=1e-9)


async def test_programs_get_the_model_late_and_joints_only_while_they_read(robot: Robot) -> None:
    async with robot.registry():
        late = robot.domain.bus("rviz")
        newest: dict[str, Any] = {}

        def read(topic: Topic[Any]) -> Subscription:
            return late.subscribe(topic, lambda got: newest.update({topic.name: got.message}))

        read(topics.ROBOT_DESCRIPTION)
        read(topics.TF_STATIC)
        await turns()
        assert ElementTree.fromstring(newest["/robot_description"].data).tag == "robot"
        fixed = {each.child_frame_id for each in newest["/tf_static"].transforms}
        assert {"torso", "head_imu", "head_camera"} <= fixed

        joints = read(topics.JOINT_STATES)
        heads = robot.domain.bus("head").publisher(topics.HEAD_JOINT_STATES)
        faces = robot.domain.bus("face").publisher(topics.HEAD_EXPRESSION_STATE)
        hands = robot.domain.bus("hand").publisher(topics.GRIPPER_STATE.at(instance="left"))

        async def is_shown() -> bool:
            heads.publish(JointState(Header(), ("head_tilt",), (0.25,), (), ()))
            faces.publish(HeadExpression(1.0, math.nan, math.nan))
            hands.publish(GripperState(1.0, math.nan, False, False))
            await turns()
            state = newest.get("/joint_states")
            return state is not None and positions(state)["head_tilt"] == 0.25

        assert await until(is_shown)
        moved = positions(newest["/joint_states"])
        assert moved["head_jaw"] != 0.0 and moved["arms_left_gripper"] != 0.0
        joints.close()
        newest.clear()

        async def is_over() -> bool:
            return not heads.has_readers

        assert await until(is_over)
        assert "/joint_states" not in newest


async def test_diagnostics_name_nodes_server_and_e_stop(robot: Robot) -> None:
    async with robot.registry() as client:
        node = robot.node("pi_1")
        await known(client, node)
        await adopt(client, "pi_1", "head")
        newest: list[Any] = []
        bus = robot.domain.bus("monitor")
        bus.subscribe(topics.DIAGNOSTICS, lambda sample: newest.append(sample.message))

        async def has_node() -> bool:
            found = newest[-1].status if newest else ()
            return any(each.name == "node: pi_1" for each in found)

        assert await until(has_node)
        by_name = {each.name: each for each in newest[-1].status}
        assert by_name["e-stop"].message == "clear"
        values = {each.key: each.value for each in by_name["server"].values}
        assert {"cpu_temp_c", "storage_used_percent", "release"} <= values.keys()
