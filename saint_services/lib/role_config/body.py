"""Models what a role has to know of the robot's body: links and joints of the robot's model with
their simple shapes, and which field of which role moves which joint. It travels inside the role's
configuration, so that a node needs no file of the robot. Not here: how it is made of a URDF
(lib/robot/body.py), what is computed with it (lib/kinematics).
"""

import json
from typing import Any, Literal

from pydantic import Field, model_validator

from ..strict import StrictModel

Numbers3 = tuple[float, float, float]


class Shape(StrictModel):
    """A box whose surface is moved outwards by `radius`: a sphere is a point with a radius, a
    capsule a line with one. In the frame of its link."""

    xyz: Numbers3 = (0.0, 0.0, 0.0)
    rpy: Numbers3 = (0.0, 0.0, 0.0)
    half: Numbers3 = (0.0, 0.0, 0.0)  # half of the box's edges, metres
    radius: float = Field(default=0.0, ge=0)


class BodyLink(StrictModel):
    """A link and the joint that carries it. Radians and metres."""

    name: str
    parent: str = ""  # a link before this one; empty: the root
    joint: str = ""
    kind: Literal["revolute", "continuous", "prismatic", "fixed"] = "fixed"
    xyz: Numbers3 = (0.0, 0.0, 0.0)
    rpy: Numbers3 = (0.0, 0.0, 0.0)
    axis: Numbers3 = (1.0, 0.0, 0.0)
    limits: tuple[float, float] = (0.0, 0.0)
    velocity: float = Field(default=0.0, ge=0)  # the top one
    mimics: str = ""  # joint whose value is copied, times `multiplier`, plus `offset`
    multiplier: float = 1.0
    offset: float = 0.0
    shapes: list[Shape] = []


class Hand(StrictModel):
    """The point of an arm that "move the hand there" moves."""

    link: str
    point: Numbers3 = (0.0, 0.0, 0.0)  # in the frame of the link, metres


class BodyRole(StrictModel):
    """The joints that one role moves, by field: those of fields in degrees, and those of fields
    from 0 to 1, which go through the joint's whole range."""

    angles: dict[str, str] = {}
    shares: dict[str, str] = {}
    hand: Hand | None = None


class Body(StrictModel):
    """The robot's body. `links` are in an order in which every parent comes before its children."""

    margin_m: float = Field(gt=0, le=0.2)  # no two shapes are commanded closer to each other
    floor_m: float | None = None  # height of the floor in the frame of the root; None: no floor
    links: list[BodyLink] = Field(min_length=1, max_length=1024)
    roles: dict[str, BodyRole] = {}  # by target

    @model_validator(mode="after")
    def _references_exist(self) -> "Body":
        known: set[str] = set()
        for link in self.links:
            if (link.parent and link.parent not in known) or (not link.parent and known):
                raise ValueError(f"links: {link.name} comes before its parent {link.parent!r}")
            if link.name in known:
                raise ValueError(f"links names {link.name} twice")
            known.add(link.name)
        joints = {link.joint for link in self.links if link.joint}
        for link in self.links:
            if link.mimics and link.mimics not in joints:
                raise ValueError(f"links: {link.joint} mimics {link.mimics}, unknown")
        for target, role in self.roles.items():
            for joint in (*role.angles.values(), *role.shares.values()):
                if joint not in joints:
                    raise ValueError(f"roles.{target} names the joint {joint}, unknown")
            if role.hand and role.hand.link not in known:
                raise ValueError(f"roles.{target}.hand names the link {role.hand.link}, unknown")
        return self


def unpacked(given: Any) -> Any:
    """Return the data of a body that stands in a configuration as one line of text."""
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def packed(body: Body) -> str:
    """Return a body as a text in quotes of YAML, on one line: as YAML of its own it would take much
    longer to parse, and no person reads it."""
    text = body.model_dump_json(exclude_defaults=True).replace("'", "''")
    return f"'{text}'"
