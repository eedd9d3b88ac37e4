"""Makes the body (lib/role_config/body.py) of a robot's manifest, model and roles. What is no box
is surrounded: a cylinder by a capsule, which also covers it however it turns about its axis. A
mesh has no simple shape and is left out; only its link moves.
"""

from collections.abc import Mapping
from math import hypot

from ..role_config.body import Body, BodyLink, BodyRole, Hand, Shape
from ..role_config.model import RoleConfig
from .figure.figure import Figure
from .manifest import RobotDescription, RobotManifest
from .urdf import UrdfJoint, UrdfModel, UrdfShape


def load_body(robot: RobotDescription) -> Body:
    """Return the body of a robot. Pure: its model was parsed with the robot."""
    return body_of(robot.manifest, robot.figure.model, robot.roles, robot.figure)


def body_of(
    manifest: RobotManifest,
    model: UrdfModel,
    roles: Mapping[str, RoleConfig],
    figure: Figure | None = None,
) -> Body:
    """Return the body of a robot whose manifest was checked against its model and roles; with the
    joints of `figure`, else those of the manifest."""
    carried = {joint.child: joint for joint in model.joints.values()}
    below: dict[str, list[str]] = {}
    for joint in model.joints.values():
        below.setdefault(joint.parent, []).append(joint.child)
    order = [model.root]
    for link in order:
        order += below.get(link, ())
    joints = figure.joints if figure else {each.target: each.joints for each in manifest.roles}
    hands = {each.target: each.hand for each in manifest.roles}
    has_hands = not figure or not figure.is_generated
    return Body(
        margin_m=manifest.collision.margin_m,
        floor_m=manifest.collision.floor_m,
        links=[_link(name, carried.get(name), model.shapes.get(name, ())) for name in order],
        roles={
            target: _role(shown, roles[target], hands[target] if has_hands else None)
            for target, shown in joints.items()
            if shown
        },
    )


def _link(name: str, joint: UrdfJoint | None, shapes: tuple[UrdfShape, ...]) -> BodyLink:
    covers = [cover(shape) for shape in shapes if shape.kind != "mesh"]
    if joint is None:
        return BodyLink(name=name, shapes=covers)
    return BodyLink(
        name=name,
        parent=joint.parent,
        joint=joint.name,
        kind=joint.kind,  # type: ignore[arg-type]  # urdf.py knows the same kinds
        xyz=joint.xyz,
        rpy=joint.rpy,
        axis=joint.axis,
        limits=(joint.lower, joint.upper),
        velocity=joint.velocity,
        mimics=joint.mimics,
        multiplier=joint.multiplier,
        offset=joint.offset,
        shapes=covers,
    )


def cover(shape: UrdfShape) -> Shape:
    """Return a rounded box that contains a shape; a box, a sphere and a capsule are themselves."""
    if shape.kind == "box":
        x, y, z = (edge / 2.0 for edge in shape.size)
        return Shape(xyz=shape.xyz, rpy=shape.rpy, half=(x, y, z))
    if shape.kind == "sphere":
        return Shape(xyz=shape.xyz, radius=shape.size[0])
    radius, half = shape.size[0], shape.size[1] / 2.0
    if shape.kind == "capsule":
        return Shape(xyz=shape.xyz, rpy=shape.rpy, half=(0.0, 0.0, half), radius=radius)
    # The capsule whose surface passes through both rims; shortened, it is not wider than needed.
    shorter = min(half, radius / 2.0)
    return Shape(
        xyz=shape.xyz,
        rpy=shape.rpy,
        half=(0.0, 0.0, half - shorter),
        radius=hypot(radius, shorter),
    )


def _role(joints: Mapping[str, str], role: RoleConfig, hand: Hand | None) -> BodyRole:
    angles: dict[str, str] = {}
    shares: dict[str, str] = {}
    for name, joint in joints.items():
        field = role.fields.get(name)
        if field and field.kind == "position":
            (angles if field.unit == "deg" else shares)[name] = joint
    return BodyRole(angles=angles, shares=shares, hand=hand)
