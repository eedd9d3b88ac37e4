"""SAINT's own body, and a second computation of where its links are, written from the URDF alone:
quaternions instead of matrices, recursion instead of an order of links."""

import math
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from saint_services.lib.robot import manifest, urdf
from saint_services.lib.robot.body import body_of
from saint_services.lib.role_config.body import Body

MANIFESTS = Path(__file__).resolve().parents[4] / "manifests"
URDF = MANIFESTS / "robots" / "saint.urdf"
V = tuple[float, ...]


@cache
def saint() -> Body:
    """The body that the nodes of SAINT get."""
    robot = manifest.load(MANIFESTS, "saint")
    return body_of(robot.manifest, urdf.load(URDF), robot.roles)


def times(a: V, b: V) -> V:
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def turned(q: V, v: V) -> V:
    return times(times(q, (0.0, *v)), (q[0], -q[1], -q[2], -q[3]))[1:]


def turn_of(axis: V, angle: float) -> V:
    return (math.cos(angle / 2), *(each * math.sin(angle / 2) for each in axis))


def numbers(element: ElementTree.Element | None, key: str, default: str) -> V:
    text = element.get(key, default) if element is not None else default
    return tuple(float(word) for word in text.split())


def where(
    link: str, positions: dict[str, float], robot: ElementTree.Element | None = None
) -> tuple[V, V]:
    """Return the place and the rotation (w first) of a link, by the file, or by another model."""
    if robot is None:
        robot = ElementTree.parse(URDF).getroot()
    for joint in robot.findall("joint"):
        child, parent = joint.find("child"), joint.find("parent")
        assert child is not None and parent is not None
        if child.get("link") != link:
            continue
        place, rotation = where(parent.get("link", ""), positions, robot)
        xyz = numbers(joint.find("origin"), "xyz", "0 0 0")
        roll, pitch, yaw = numbers(joint.find("origin"), "rpy", "0 0 0")
        fixed = times(
            turn_of((0, 0, 1), yaw), times(turn_of((0, 1, 0), pitch), turn_of((1, 0, 0), roll))
        )
        place = tuple(a + b for a, b in zip(place, turned(rotation, xyz), strict=True))
        rotation = times(rotation, fixed)
        mimic = joint.find("mimic")
        name = mimic.get("joint", "") if mimic is not None else joint.get("name", "")
        axis = numbers(joint.find("axis"), "xyz", "1 0 0")
        value = positions.get(name, 0.0)
        if joint.get("type") == "prismatic":
            shift = turned(rotation, tuple(each * value for each in axis))
            place = tuple(a + b for a, b in zip(place, shift, strict=True))
        elif joint.get("type") != "fixed":
            rotation = times(rotation, turn_of(axis, value))
        return place, rotation
    return (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
