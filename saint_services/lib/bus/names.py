"""Checks ROS 2 names of nodes, topics, services and types, and converts them to DDS names and back.
The programs of a robot know its names without its namespace (SAINT_ROS_NAMESPACE), which is the
same on all its machines and keeps robots of one domain apart.

Source: ROS 2 design "topic and service names"; rmw_cyclonedds. Not here: quality of service."""

import os
import re

from ..errors import SaintError
from ..generated.errors import Code
from . import NodeView

_TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST = 255


NAMESPACE = "SAINT_ROS_NAMESPACE"
# What saint.yaml accepts as namespace: one token, which check() accepts too.
NAMESPACE_FORM = r"^([A-Za-z][A-Za-z0-9_]{0,31})?$"


def robot_namespace() -> str:
    """Return the robot's namespace as "/robot1"; empty without one. Raises SaintError."""
    name = os.environ.get(NAMESPACE, "").strip("/")
    return f"/{check(name, 'namespace')}" if name else ""


def full(name: str) -> str:
    """Return the name that other programs see: "/robot1/saint/head/cmd"."""
    return f"{robot_namespace()}{name}"


def own(name: str) -> str:
    """Return a name as this robot's programs know it; "" for a name outside its namespace."""
    space = robot_namespace()
    return name.removeprefix(space) if name.startswith(f"{space}/") else ""


def frame(name: str) -> str:
    """Return the name of a frame of this robot: "robot1/base_link"."""
    return f"{robot_namespace()}/{name}".removeprefix("/")


def node_view(name: str) -> NodeView:
    """Parse "/ns/name" or "name"; dashes, which ROS does not allow, become underscores."""
    namespace, _, base = check(name.replace("-", "_"), "node").rpartition("/")
    whole = f"{robot_namespace()}/{namespace.strip('/')}"
    return NodeView(whole.rstrip("/") or "/", base)


def check(name: str, what: str) -> str:
    """Return the name if ROS 2 allows it: tokens of letters, digits and _, no leading digit."""
    tokens = name.removeprefix("/").split("/")
    if len(name) <= _LONGEST and all(_TOKEN.fullmatch(token) for token in tokens):
        return name
    raise SaintError(
        Code.REQUEST_INVALID,
        f"{name!r} is not a legal ROS 2 {what} name",
        fix="Use letters, digits and _ between slashes; no part may start with a digit.",
    )


def dds_topic(name: str) -> str:
    """ "/saint/head/cmd" -> "rt/saint/head/cmd"."""
    return f"rt{_absolute(name, 'topic')}"


def dds_request(name: str) -> str:
    return f"rq{_absolute(name, 'service')}Request"


def dds_reply(name: str) -> str:
    return f"rr{_absolute(name, 'service')}Reply"


def dds_type(ros_type: str) -> str:
    """ "geometry_msgs/msg/Twist" -> "geometry_msgs::msg::dds_::Twist_"."""
    package, kind, name = ros_type.split("/")
    return f"{package}::{kind}::dds_::{name}_"


def ros_type(dds_name: str) -> str:
    """Convert a DDS type name; "" for a type outside ROS 2. Halves of services give the service."""
    parts = dds_name.split("::")
    if len(parts) != 4 or parts[2] != "dds_" or not parts[3].endswith("_"):
        return ""
    name = parts[3].removesuffix("_")
    if parts[1] == "srv":
        name = name.removesuffix("_Request").removesuffix("_Response")
    return f"{parts[0]}/{parts[1]}/{name}"


def ros_topic(dds_name: str) -> str:
    """ "rt/saint/head/cmd" -> "/saint/head/cmd"; "" if not a ROS 2 topic of ours."""
    return own(dds_name[2:]) if dds_name.startswith("rt/") else ""


def ros_service(dds_name: str) -> str:
    """Return the service of a reply topic; "" for any other topic."""
    is_reply = dds_name.startswith("rr/") and dds_name.endswith("Reply")
    return own(dds_name[2:].removesuffix("Reply")) if is_reply else ""


def unreadable(dds_name: str) -> tuple[str, str]:
    """Return the ROS name and the likely reason of a sample that the library could not read."""
    if dds_name.startswith("rq/") and dds_name.endswith("Request"):
        name = dds_name[2:].removesuffix("Request")
        return name, (
            "the call has the form of Fast DDS, which the library cannot read: call with "
            "RMW_IMPLEMENTATION=rmw_cyclonedds_cpp, or over HTTP"
        )
    name = ros_topic(dds_name) or ros_service(dds_name) or dds_name
    return name, "the library cannot read it"


def _absolute(name: str, what: str) -> str:
    if not name.startswith("/"):
        raise SaintError(Code.REQUEST_INVALID, f"{what} name {name!r} does not start with /")
    return check(full(name), what)
