"""Bounds the distance of two shapes of the body from below. Pure.

The bound is the widest gap between the shapes along sixteen directions: the normals of both boxes,
the products of their edges, and the line between two points that are nearest to each other, or
almost. Boxes that do not overlap have a bound above 0 (separating axes); along every direction the
gap is at most the distance, so an error is one to the safe side. Below 0 it says how deep they
overlap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, sqrt

from ..role_config.body import Shape
from .poses import Pose, Vector, compose, origin, place

_PARALLEL = 1e-9
_ROUNDS = 3  # of the search for nearest points; each brings the bound nearer to the distance


@dataclass(frozen=True, slots=True)
class Block:
    """A shape in the frame of its link, and the radius of a ball around it."""

    pose: Pose
    half: tuple[float, float, float]
    radius: float
    ball_m: float


def block(shape: Shape) -> Block:
    """Return the shape with what is computed once."""
    ball_m = hypot(*shape.half) + shape.radius
    return Block(origin(shape.xyz, shape.rpy), shape.half, shape.radius, ball_m)


def swept(shape: Block, axis: Sequence[float], first: float, last: float) -> Block:
    """Return a shape that covers another one wherever it is shifted along an axis of its link."""
    middle, reach = (first + last) / 2.0, abs(last - first) / 2.0
    pose, half = shape.pose, shape.half
    shift = [each * middle for each in axis]
    along = [abs(sum(pose[3 * k + i] * axis[k] for k in range(3))) * reach for i in range(3)]
    grown = (half[0] + along[0], half[1] + along[1], half[2] + along[2])
    moved = (*pose[:9], pose[9] + shift[0], pose[10] + shift[1], pose[11] + shift[2])
    return Block(moved, grown, shape.radius, hypot(*grown) + shape.radius)


def widened(shape: Block, by_m: float) -> Block:
    """Return a shape that covers another one after each of its points has moved that far."""
    return Block(shape.pose, shape.half, shape.radius + by_m, shape.ball_m + by_m)


def standing(shape: Block, link: Pose) -> Block:
    """Return the shape where its link is."""
    return Block(compose(link, shape.pose), shape.half, shape.radius, shape.ball_m)


def ball_gap(a: Block, b: Block) -> float:
    """Return a first bound: the gap between the balls around two shapes."""
    p, q = a.pose, b.pose
    x, y, z = q[9] - p[9], q[10] - p[10], q[11] - p[11]
    return sqrt(x * x + y * y + z * z) - a.ball_m - b.ball_m


def gap(a: Block, b: Block) -> float:
    """Return the bound of the distance of two shapes, both in the same frame."""
    p, q = a.pose, b.pose
    dx, dy, dz = q[9] - p[9], q[10] - p[10], q[11] - p[11]
    p0, p1, p2, p3, p4, p5, p6, p7, p8 = p[:9]
    q0, q1, q2, q3, q4, q5, q6, q7, q8 = q[:9]
    ax, ay, az = a.half
    bx, by, bz = b.half
    # The rotation of b as a sees it, column by column, and the way to b along the axes of a.
    r00, r01, r02 = (
        p0 * q0 + p3 * q3 + p6 * q6,
        p0 * q1 + p3 * q4 + p6 * q7,
        p0 * q2 + p3 * q5 + p6 * q8,
    )
    r10, r11, r12 = (
        p1 * q0 + p4 * q3 + p7 * q6,
        p1 * q1 + p4 * q4 + p7 * q7,
        p1 * q2 + p4 * q5 + p7 * q8,
    )
    r20, r21, r22 = (
        p2 * q0 + p5 * q3 + p8 * q6,
        p2 * q1 + p5 * q4 + p8 * q7,
        p2 * q2 + p5 * q5 + p8 * q8,
    )
    tx, ty, tz = (
        p0 * dx + p3 * dy + p6 * dz,
        p1 * dx + p4 * dy + p7 * dz,
        p2 * dx + p5 * dy + p8 * dz,
    )
    s00, s01, s02, s10, s11, s12, s20, s21, s22 = map(
        abs, (r00, r01, r02, r10, r11, r12, r20, r21, r22)
    )
    best = max(
        abs(tx) - ax - bx * s00 - by * s01 - bz * s02,
        abs(ty) - ay - bx * s10 - by * s11 - bz * s12,
        abs(tz) - az - bx * s20 - by * s21 - bz * s22,
        abs(tx * r00 + ty * r10 + tz * r20) - bx - ax * s00 - ay * s10 - az * s20,
        abs(tx * r01 + ty * r11 + tz * r21) - by - ax * s01 - ay * s11 - az * s21,
        abs(tx * r02 + ty * r12 + tz * r22) - bz - ax * s02 - ay * s12 - az * s22,
    )  # fmt: skip
    # Products of an edge of a with an edge of b; their length is the sine between the two.
    for way, reach, cosine in (
        (tz * r10 - ty * r20, ay * s20 + az * s10 + by * s02 + bz * s01, r00),
        (tz * r11 - ty * r21, ay * s21 + az * s11 + bx * s02 + bz * s00, r01),
        (tz * r12 - ty * r22, ay * s22 + az * s12 + bx * s01 + by * s00, r02),
        (tx * r20 - tz * r00, ax * s20 + az * s00 + by * s12 + bz * s11, r10),
        (tx * r21 - tz * r01, ax * s21 + az * s01 + bx * s12 + bz * s10, r11),
        (tx * r22 - tz * r02, ax * s22 + az * s02 + bx * s11 + by * s10, r12),
        (ty * r00 - tx * r10, ax * s10 + ay * s00 + by * s22 + bz * s21, r20),
        (ty * r01 - tx * r11, ax * s11 + ay * s01 + bx * s22 + bz * s20, r21),
        (ty * r02 - tx * r12, ax * s12 + ay * s02 + bx * s21 + by * s20, r22),
    ):
        square = 1.0 - cosine * cosine
        if square > _PARALLEL:
            along = (abs(way) - reach) / sqrt(square)
            if along > best:
                best = along
    if best > 0.0:
        best = max(best, _between_nearest(a, b))
    return best - a.radius - b.radius


def _between_nearest(a: Block, b: Block) -> float:
    """Return the gap of two boxes along the line between points of them that are nearly nearest."""
    q: Vector = b.pose[9:]
    for _ in range(_ROUNDS):
        p = _nearest(a, q)
        q = _nearest(b, p)
    x, y, z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    length = sqrt(x * x + y * y + z * z)
    if length < _PARALLEL:
        return 0.0
    x, y, z = x / length, y / length, z / length
    m, n = a.pose, b.pose
    found = x * (n[9] - m[9]) + y * (n[10] - m[10]) + z * (n[11] - m[11])
    for pose, half in ((m, a.half), (n, b.half)):
        for i in range(3):
            found -= half[i] * abs(x * pose[i] + y * pose[3 + i] + z * pose[6 + i])
    return found


def _nearest(shape: Block, point: Vector) -> Vector:
    """Return the point of the box that is nearest to a point."""
    pose = shape.pose
    x, y, z = point[0] - pose[9], point[1] - pose[10], point[2] - pose[11]
    at = []
    for i, half in enumerate(shape.half):
        along = x * pose[i] + y * pose[3 + i] + z * pose[6 + i]
        at.append(half if along > half else -half if along < -half else along)
    return place(pose, (at[0], at[1], at[2]))


def gap_to_plane(shape: Block, normal: Sequence[float], offset: float) -> float:
    """Return the distance of a shape from a plane: above 0 on the side of the normal."""
    pose, half = shape.pose, shape.half
    x, y, z = normal
    reach = shape.radius
    for i in range(3):
        reach += half[i] * abs(x * pose[i] + y * pose[3 + i] + z * pose[6 + i])
    return x * pose[9] + y * pose[10] + z * pose[11] - offset - reach
