"""Builds a figure part by part: a link for each part, a joint for each that moves, and the table of
which joint shows which part. Not here: where parts are (generated.py, face.py, arm.py).
"""

import math
from dataclasses import dataclass

from ...role_config.fields import FieldSpec
from ..urdf import Vector
from .urdf_text import Drawn, JointMotion, UrdfText

_SLOWEST = 1e-6  # a URDF wants a velocity above 0
Joints = dict[str, dict[str, str]]  # target -> field -> joint


@dataclass(frozen=True, slots=True)
class FigurePart:
    """An output of a role; `spec` is None for a motor that no field drives by itself."""

    target: str
    name: str
    spec: FieldSpec | None = None

    @property
    def is_position(self) -> bool:
        """Whether a joint can show where it is."""
        return bool(self.spec and self.spec.kind == "position" and self.spec.unit in UNITS)

    @property
    def title(self) -> str:
        """Its name in the model, as the roles publish their joints."""
        return f"{self.target.replace('.', '_')}_{self.name}"


LABELLED = "part_"  # begins the names of links beside which pages write them
UNITS = ("deg", "ratio")  # of positions that a joint can show


@dataclass(frozen=True, slots=True)
class Share:
    """How far a part from 0 to 1 moves: m, or rad if it turns."""

    upper: float
    is_turn: bool = True
    axis: Vector | None = None  # None: that of the angle


class FigureBuilder:
    """A figure in the making."""

    def __init__(self, name: str) -> None:
        self.urdf = UrdfText(name)
        self.joints: Joints = {}
        self.links: dict[tuple[str, str], str] = {}  # by target and part

    def fixed(self, name: str, parent: str, xyz: Vector, *shapes: Drawn) -> str:
        """Add a link that does not move by itself; return its name."""
        link = self.urdf.link(name, shapes)
        self.urdf.fix(link, parent, xyz)
        return link

    def part(
        self,
        part: FigurePart,
        parent: str,
        xyz: Vector,
        motion: JointMotion | None,
        *shapes: Drawn,
        has_label: bool = False,
    ) -> str:
        """Add the link of a part, which moves if there is a motion; return its name. Pages write
        its name beside one that has a label."""
        link = self.urdf.link(f"{LABELLED}{part.title}" if has_label else part.title, shapes)
        if motion is None:
            self.urdf.fix(link, parent, xyz)
        else:
            joint = self.urdf.move(part.title, motion, link, parent, xyz)
            self.joints.setdefault(part.target, {})[part.name] = joint
        self.links[part.target, part.name] = link
        return link

    def copy(
        self, part: FigurePart, parent: str, xyz: Vector, motion: JointMotion, *shapes: Drawn
    ) -> str:
        """Add a second link that one part moves: the other of two eyes."""
        joint = self.joints[part.target][part.name]
        link = self.urdf.link(f"{part.title}_too", shapes)
        self.urdf.move(f"{part.title}_too", motion, link, parent, xyz, mimics=joint)
        return link


def motion_of(part: FigurePart, axis: Vector, share: Share) -> JointMotion | None:
    """Return how a part moves; None for one whose place no joint can show."""
    spec = part.spec
    if spec is None or not part.is_position:
        return None
    if spec.unit == "deg":
        low, high = map(math.radians, spec.limits)
        return JointMotion("revolute", axis, low, high, max(math.radians(spec.max_rate), _SLOWEST))
    kind = "revolute" if share.is_turn else "prismatic"
    velocity = max(min(spec.max_rate, 1e6) * share.upper, _SLOWEST)
    return JointMotion(kind, share.axis or axis, 0.0, share.upper, velocity)
