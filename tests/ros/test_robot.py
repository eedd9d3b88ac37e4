"""A stock ROS 2 node sees and drives the whole simulated robot, over both backends. Over `dds` the
robot is the product as it is installed, beside a ROS 2 that it does not know of."""

import math
import os
import sys
from collections.abc import Iterator
from typing import Any
from unittest import mock
from xml.etree import ElementTree

import pytest

from tests.integration.robot import Robot, running_robot
from tests.integration.tracks import Tracks
from tests.ros.messages import LATCHED, STATE
from tests.ros.peers import Peer, product_environment, product_python, stock_node
from tests.waiting import block_until

pytestmark = pytest.mark.timeout(240)

CMD_VEL = {"topic": "/saint/tracks/cmd_vel", "type": "geometry_msgs/msg/Twist", "qos": {}}
INPUT = {"topic": "/saint/input/autonomous", "type": "saint_msgs/msg/InputSample", "qos": {}}
FORWARD = {"linear": {"x": 0.6}, "angular": {"z": 0.0}}
TURN = {"linear": {"x": 0.0}, "angular": {"z": 1.5}}
HZ = 20.0
STARTS_S = 10.0
STOPS_S = 0.6  # a source is given up after 0.3 s, then its value ramps down
# Of all nodes of a whole robot, those that a site looks for first.
NODES = {"routerd", "adoptiond", "webd", "role_tracksd_sim_tracks", "noded_sim_spare"}


@pytest.fixture(scope="module", params=["dds", "rclpy"])
def robot(request: pytest.FixtureRequest) -> Iterator[Robot]:
    is_product = request.param == "dds"
    python = product_python() if is_product else sys.executable
    environment = product_environment() if is_product else dict(os.environ)
    environment["SAINT_BUS"] = request.param
    if request.param == "rclpy":  # it does not name writers, so none can be proven
        environment["SAINT_UNPROVEN_BUS"] = "accept"
    with (
        mock.patch.object(sys, "executable", python),
        mock.patch.dict(os.environ, environment, clear=True),
    ):
        context = running_robot()
        running = context.__enter__()
    try:
        yield running
    finally:
        context.__exit__(None, None, None)


@pytest.fixture(scope="module")
def stock(robot: Robot) -> Iterator[Peer]:
    with stock_node(robot.domain, "driver") as peer:
        yield peer


@pytest.fixture
def tracks(robot: Robot) -> Iterator[Tracks]:
    watch = Tracks(robot)
    yield watch
    watch.close()


def driven(
    robot: Robot, stock: Peer, tracks: Tracks, channel: Any, value: Any
) -> tuple[float, ...]:
    """Publish until both tracks move, stop, and wait until they stand; the directions they had."""
    stock.do("repeat", **channel, value=value, hz=HZ)
    try:
        block_until(tracks.is_driving, STARTS_S, robot.diagnosis)
        directions = tracks.directions()
    finally:
        stock.do("stop", topic=channel["topic"])
    assert tracks.seconds_until_stopped(5.0) < STOPS_S
    return directions


def test_stock_node_sees_the_robots_nodes(robot: Robot, stock: Peer) -> None:
    def seen() -> set[str]:
        return {name for _, name in stock.do("graph")["nodes"]}

    block_until(lambda: seen() >= NODES, STARTS_S, lambda: f"{seen()}\n{robot.diagnosis()}")


def test_stock_node_sees_the_robots_topics_and_services(robot: Robot, stock: Peer) -> None:
    def has_all() -> bool:
        graph = stock.do("graph")
        return (
            graph["topics"].get("/saint/tracks/odom") == ["nav_msgs/msg/Odometry"]
            and graph["topics"].get("/saint/head/state") == ["saint_msgs/msg/HeadState"]
            and graph["services"].get("/saint/nodes/adopt") == ["saint_msgs/srv/AdoptNode"]
        )

    block_until(has_all, STARTS_S, robot.diagnosis)


@pytest.mark.parametrize(
    ("topic", "type", "qos"),
    [
        ("/saint/router/status", "saint_msgs/msg/RouteStatus", STATE),
        ("/saint/tracks/state", "saint_msgs/msg/TrackState", None),
        ("/saint/tracks/odom", "nav_msgs/msg/Odometry", None),
        ("/saint/system/status", "saint_msgs/msg/SystemStatus", None),
        ("/saint/estop", "saint_msgs/msg/EStop", LATCHED),
    ],
)
def test_stock_node_reads_the_robot(stock: Peer, topic: str, type: str, qos: Any) -> None:
    stock.do("subscribe", topic=topic, type=type, qos=qos)
    stock.wait(lambda: stock.values(topic))


def test_stock_node_drives_with_twist(robot: Robot, stock: Peer, tracks: Tracks) -> None:
    left, right = driven(robot, stock, tracks, CMD_VEL, FORWARD)
    assert left == right
    left, right = driven(robot, stock, tracks, CMD_VEL, TURN)
    assert left != right


def test_stock_node_drives_with_the_usual_cmd_vel(
    robot: Robot, stock: Peer, tracks: Tracks
) -> None:
    left, right = driven(robot, stock, tracks, {**CMD_VEL, "topic": "/cmd_vel"}, FORWARD)
    assert left == right


def test_joystick_of_stock_node_is_an_input(robot: Robot, stock: Peer) -> None:
    joy = {"axes": [0.0, 0.25], "buttons": [0, 1]}
    stock.do("repeat", topic="/joy", type="sensor_msgs/msg/Joy", qos={}, value=joy, hz=HZ)
    status = "/saint/router/status"
    stock.do("subscribe", topic=status, type="saint_msgs/msg/RouteStatus", qos=STATE)

    def is_seen() -> bool:
        return any("autonomous:ros" in str(each) for each in stock.values(status))

    try:
        stock.wait(is_seen)
    finally:
        stock.do("stop", topic="/joy")


def test_stock_node_finds_every_link_as_rviz_does(robot: Robot, stock: Peer) -> None:
    """From the model and the joints alone, as RViz and robot_state_publisher have them."""
    model, joints = "/robot_description", "/joint_states"
    stock.do("subscribe", topic=model, type="std_msgs/msg/String", qos=LATCHED)
    stock.do("subscribe", topic=joints, type="sensor_msgs/msg/JointState")
    stock.wait(lambda: stock.values(model) and stock.values(joints))
    urdf = ElementTree.fromstring(stock.values(model)[-1]["data"])
    state = stock.values(joints)[-1]
    positions = dict(zip(state["name"], state["position"], strict=True))
    movable = {j.get("name") for j in urdf.findall("joint") if j.get("type") != "fixed"}
    assert set(positions) == movable
    assert all(math.isfinite(each) for each in positions.values())
    parents = {_end(j, "child"): _end(j, "parent") for j in urdf.findall("joint")}
    for link in (each.get("name") for each in urdf.findall("link")):
        path = [link]
        while path[-1] in parents:
            path.append(parents[path[-1]])
        assert path[-1] == "base_link"


def _end(joint: ElementTree.Element, end: str) -> str | None:
    found = joint.find(end)
    return None if found is None else found.get("link")


def test_input_sample_of_stock_node_moves_the_pins(
    robot: Robot, stock: Peer, tracks: Tracks
) -> None:
    sample = {
        "source": "autonomous:stock",
        "target": "tracks",
        "names": ["linear", "angular"],
        "values": [0.6, 0.0],
    }
    left, right = driven(robot, stock, tracks, INPUT, sample)
    assert left == right


def test_stock_node_stops_the_tracks(robot: Robot, stock: Peer, tracks: Tracks) -> None:
    """Last: the robot stays stopped."""
    stock.do("repeat", **CMD_VEL, value=FORWARD, hz=HZ)
    block_until(tracks.is_driving, STARTS_S, robot.diagnosis)
    stop = {"topic": "/saint/tracks/estop", "type": "std_msgs/msg/Bool", "value": {"data": True}}
    stock.do("publish", **stop)
    stock.wait(lambda: stock.do("publish", **stop) or not tracks.is_driving())
    assert tracks.seconds_until_stopped(2.0) < STOPS_S
    assert not tracks.is_driving()
    stock.do("stop", topic=CMD_VEL["topic"])
