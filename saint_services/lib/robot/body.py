"""Makes the body (lib/role_config/body.py) of a robot's manifest, model and roles. What is no box
is surrounded: a cylinder by a capsule, which also covers it however it turns about its axis. A
mesh has no simple shape and is left out; only its link moves.
"""

from collections.abc import Mapping
from math import hypot
from pathlib import Path

from ..role_config.body import Body, BodyLink, BodyRole, Shape
from ..role_config.model import RoleConfig
from .manifest import RobotManifest, RobotRole, checked_model
from .urdf import UrdfJoint, UrdfModel, UrdfShape, load


def load_body(
    manifests: Path, manifest: RobotManifest, roles: Mapping[str, RoleConfig]
) -> Body | None:
    """Load the body of a robot; None without a model. Raises config_invalid or config_missing.
    Blocks."""
    path = checked_model(manifests, manifest, roles)
    return body_of(manifest, load(path), roles) if path else None


def body_of(manifest: RobotManifest, model: UrdfModel, roles: Mapping[str, RoleConfig]) -> Body:
    """Return the body of a robot whose manifest was checked against its model and roles."""
    carried = {joint.child: joint for joint in model.joints.values()}
    order = [model.root]
    for link in order:
        order += [joint.child for joint in model.joints.values() if joint.parent == link]
    return Body(
        margin_m=manifest.collision.margin_m,
        floor_m=manifest.collision.floor_m,
        links=[_link(name, carried.get(name), model.shapes.get(name, ())) for name in order],
        roles={
            entry.target: _role(entry, roles[entry.target], model)
            for entry in manifest.roles
            if entry.joints
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


def _role(entry: RobotRole, role: RoleConfig, model: UrdfModel) -> BodyRole:
    angles: dict[str, str] = {}
    shares: dict[str, str] = {}
    for name, joint in entry.joints.items():
        field = role.fields.get(name)
        if field and field.kind == "position":
            (angles if field.unit == "deg" else shares)[name] = joint
    return BodyRole(angles=angles, shares=shares, hand=entry.hand)
