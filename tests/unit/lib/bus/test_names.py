"""Conversion of names between ROS 2 and DDS."""

import pytest

from saint_services.lib.bus import NodeView, names
from saint_services.lib.errors import SaintError


def test_topic_service_and_type_have_their_dds_names() -> None:
    assert names.dds_topic("/saint/head/cmd") == "rt/saint/head/cmd"
    assert names.dds_request("/saint/nodes/adopt") == "rq/saint/nodes/adoptRequest"
    assert names.dds_reply("/saint/nodes/adopt") == "rr/saint/nodes/adoptReply"
    assert names.dds_type("geometry_msgs/msg/Twist") == "geometry_msgs::msg::dds_::Twist_"


def test_dds_names_lead_back() -> None:
    assert names.ros_topic("rt/saint/head/cmd") == "/saint/head/cmd"
    assert names.ros_topic("DCPSTopic") == ""
    assert names.ros_service("rr/saint/nodes/adoptReply") == "/saint/nodes/adopt"
    assert names.ros_service("rq/saint/nodes/adoptRequest") == ""
    assert names.ros_type("geometry_msgs::msg::dds_::Twist_") == "geometry_msgs/msg/Twist"
    assert names.ros_type("a::srv::dds_::Adopt_Response_") == "a/srv/Adopt"
    assert names.ros_type("HelloWorld") == ""


@pytest.mark.parametrize(
    ("given", "view"),
    [
        ("routerd", NodeView("/", "routerd")),
        ("role-headd", NodeView("/", "role_headd")),
        ("/saint/pi_1/noded", NodeView("/saint/pi_1", "noded")),
    ],
)
def test_node_name_becomes_legal(given: str, view: NodeView) -> None:
    assert names.node_view(given) == view


@pytest.mark.parametrize(
    "name", ["", "1abc", "/a//b", "/a/", "/saint/7a/cmd", "/ä", "/a b", "a" * 300]
)
def test_illegal_name_is_refused(name: str) -> None:
    with pytest.raises(SaintError):
        names.check(name, "topic")


def test_relative_topic_is_refused() -> None:
    with pytest.raises(SaintError, match="does not start with /"):
        names.dds_topic("saint/head/cmd")


def test_namespace_of_the_robot_stands_before_every_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(names.NAMESPACE, "robot1")
    assert names.dds_topic("/saint/head/cmd") == "rt/robot1/saint/head/cmd"
    assert names.dds_topic("/tf") == "rt/robot1/tf"
    assert names.dds_request("/saint/nodes/adopt") == "rq/robot1/saint/nodes/adoptRequest"
    assert names.node_view("routerd") == NodeView("/robot1", "routerd")
    assert names.frame("base_link") == "robot1/base_link"


def test_names_of_another_robot_are_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(names.NAMESPACE, "robot1")
    assert names.ros_topic("rt/robot1/saint/head/cmd") == "/saint/head/cmd"
    assert names.ros_topic("rt/robot2/saint/head/cmd") == ""
    assert names.ros_topic("rt/robot10/saint/head/cmd") == ""
    assert names.ros_topic("rt/saint/head/cmd") == ""
    assert names.ros_service("rr/robot1/saint/nodes/adoptReply") == "/saint/nodes/adopt"


@pytest.mark.parametrize("name", ["1robot", "a b", "a-b", "a//b"])
def test_namespace_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(names.NAMESPACE, name)
    with pytest.raises(SaintError, match="namespace"):
        names.dds_topic("/tf")


def test_without_namespace_names_and_frames_are_as_declared() -> None:
    assert names.frame("base_link") == "base_link"
    assert names.full("/tf") == "/tf"


def test_unreadable_call_of_a_service_names_the_remedy() -> None:
    name, reason = names.unreadable("rq/saint/nodes/adoptRequest")
    assert name == "/saint/nodes/adopt"
    assert "RMW_IMPLEMENTATION=rmw_cyclonedds_cpp" in reason
    assert names.unreadable("rt/saint/head/cmd") == (
        "/saint/head/cmd",
        "the library cannot read it",
    )
