"""Writes a robot model as URDF text: links of boxes, cylinders and spheres, joints with limits.
The same calls give the same text. Not here: what a robot looks like (generated.py).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..urdf import Vector

FORWARD, LEFT, UP = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)  # REP 103
BACKWARD, RIGHT = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)
HERE = (0.0, 0.0, 0.0)
_COLOURS = {
    "body": "0.20 0.24 0.29 1",
    "track": "0.08 0.08 0.09 1",
    "metal": "0.60 0.62 0.65 1",
    "face": "0.86 0.87 0.88 1",
    "eye": "0.10 0.45 0.85 1",
    "arm": "0.93 0.55 0.13 1",
    "light": "0.98 0.85 0.30 1",
}
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A shape that is drawn: a box by its edges, a cylinder by radius and length, a sphere by its
    radius. Metres and radians."""

    size: tuple[float, ...]
    colour: str
    xyz: Vector = HERE
    rpy: Vector = HERE


@dataclass(frozen=True, slots=True)
class JointMotion:
    """How a joint moves: rad or m, and each of them per second."""

    kind: str
    axis: Vector
    lower: float = 0.0
    upper: float = 0.0
    velocity: float = 1.0


class UrdfText:
    """A model in the making. Names are made unique."""

    def __init__(self, name: str) -> None:
        self._name = plain(name) or "robot"
        self._shapes: dict[str, list[Drawn]] = {}
        self._joints: dict[str, str] = {}

    def link(self, wanted: str, shapes: Iterable[Drawn] = ()) -> str:
        """Add a link; return its name."""
        name = _unique(plain(wanted), self._shapes)
        self._shapes[name] = list(shapes)
        return name

    def draw(self, link: str, *shapes: Drawn) -> None:
        """Add shapes to a link."""
        self._shapes[link].extend(shapes)

    def fix(self, child: str, parent: str, xyz: Vector) -> None:
        """Carry a link by another one."""
        name = _unique(f"{child}_mount", self._joints)
        self._joints[name] = _joint(name, JointMotion("fixed", FORWARD), child, parent, xyz, "")

    def move(
        self,
        wanted: str,
        motion: JointMotion,
        child: str,
        parent: str,
        xyz: Vector,
        mimics: str = "",
    ) -> str:
        """Carry a link by a joint, which may copy another one; return the joint's name."""
        name = _unique(plain(wanted), self._joints)
        self._joints[name] = _joint(name, motion, child, parent, xyz, mimics)
        return name

    def text(self) -> str:
        """Return the model."""
        used = {shape.colour for shapes in self._shapes.values() for shape in shapes}
        lines = [
            '<?xml version="1.0"?>',
            "<!-- Made from the parts of robot.yaml. Metres, radians; x forward, y left,",
            "     z up (REP 103). Sizes are invented, so it has no collision shapes. -->",
            f'<robot name="{self._name}">',
            *(
                f'  <material name="{name}"><color rgba="{rgba}"/></material>'
                for name, rgba in _COLOURS.items()
                if name in used
            ),
        ]
        for link, shapes in self._shapes.items():
            lines += [f'  <link name="{link}">', *map(_visual, shapes), "  </link>"]
        return "\n".join([*lines, *self._joints.values(), "</robot>", ""])


def plain(name: str) -> str:
    """Return a name of letters, digits and underscores, as ROS wants it."""
    return _NOT_IN_NAMES.sub("_", name).strip("_")


def _unique(wanted: str, taken: Iterable[str]) -> str:
    name, number = wanted or "part", 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name


def _visual(shape: Drawn) -> str:
    return (
        f"    <visual>{_origin(shape.xyz, shape.rpy)}<geometry>{_geometry(shape)}</geometry>"
        f'<material name="{shape.colour}"/></visual>'
    )


def _geometry(shape: Drawn) -> str:
    if len(shape.size) == 3:
        return f'<box size="{_numbers(shape.size)}"/>'
    if len(shape.size) == 2:
        radius, length = map(_number, shape.size)
        return f'<cylinder radius="{radius}" length="{length}"/>'
    return f'<sphere radius="{_number(shape.size[0])}"/>'


def _joint(
    name: str, motion: JointMotion, child: str, parent: str, xyz: Vector, mimics: str
) -> str:
    lines = [
        f'  <joint name="{name}" type="{motion.kind}">',
        f'    <parent link="{parent}"/><child link="{child}"/>{_origin(xyz, HERE)}',
    ]
    if motion.kind != "fixed":
        lines.append(f'    <axis xyz="{_numbers(motion.axis)}"/>')
    if motion.kind in ("revolute", "prismatic"):
        # In full: rounded limits could be narrower than those of the part.
        lines.append(
            f'    <limit lower="{motion.lower!r}" upper="{motion.upper!r}"'
            f' velocity="{motion.velocity!r}" effort="1"/>'
        )
    if mimics:
        lines.append(f'    <mimic joint="{mimics}"/>')
    return "\n".join([*lines, "  </joint>"])


def _origin(xyz: Vector, rpy: Vector) -> str:
    turned = f' rpy="{_numbers(rpy)}"' if any(rpy) else ""
    return f'<origin xyz="{_numbers(xyz)}"{turned}/>'


def _numbers(values: Iterable[float]) -> str:
    return " ".join(map(_number, values))


def _number(value: float) -> str:
    """Return a size or place to a tenth of a millimetre; never "-0"."""
    return f"{round(value, 4) + 0.0:g}"
