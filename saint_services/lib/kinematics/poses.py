"""Computes with poses: a rotation and a place, as twelve numbers. Rotations of the URDF are roll,
pitch, yaw about fixed axes (REP 103). Plain Python: one NumPy call costs more than these few
products, and the device has none. Pure.
"""

from math import atan2, cos, hypot, sin, sqrt

Vector = tuple[float, float, float]
# The rotation's three rows, then the place in metres.
Pose = tuple[
    float, float, float, float, float, float, float, float, float, float, float, float
]  # fmt: skip
Quaternion = tuple[float, float, float, float]  # x, y, z, w

HERE: Pose = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
_SMALLEST = 1e-12


def compose(a: Pose, b: Pose) -> Pose:
    """Return the pose of a part that stands at `b` in a frame that stands at `a`."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8, ax, ay, az = a
    b0, b1, b2, b3, b4, b5, b6, b7, b8, bx, by, bz = b
    return (
        a0 * b0 + a1 * b3 + a2 * b6, a0 * b1 + a1 * b4 + a2 * b7, a0 * b2 + a1 * b5 + a2 * b8,
        a3 * b0 + a4 * b3 + a5 * b6, a3 * b1 + a4 * b4 + a5 * b7, a3 * b2 + a4 * b5 + a5 * b8,
        a6 * b0 + a7 * b3 + a8 * b6, a6 * b1 + a7 * b4 + a8 * b7, a6 * b2 + a7 * b5 + a8 * b8,
        a0 * bx + a1 * by + a2 * bz + ax,
        a3 * bx + a4 * by + a5 * bz + ay,
        a6 * bx + a7 * by + a8 * bz + az,
    )  # fmt: skip


def place(pose: Pose, point: Vector) -> Vector:
    """Return where a point of a frame is."""
    x, y, z = point
    return (
        pose[0] * x + pose[1] * y + pose[2] * z + pose[9],
        pose[3] * x + pose[4] * y + pose[5] * z + pose[10],
        pose[6] * x + pose[7] * y + pose[8] * z + pose[11],
    )


def turn(pose: Pose, vector: Vector) -> Vector:
    """Return a direction of a frame in the frame outside."""
    x, y, z = vector
    return (
        pose[0] * x + pose[1] * y + pose[2] * z,
        pose[3] * x + pose[4] * y + pose[5] * z,
        pose[6] * x + pose[7] * y + pose[8] * z,
    )


def origin(xyz: Vector, rpy: Vector = (0.0, 0.0, 0.0)) -> Pose:
    """Return the pose of an `<origin>` of the URDF."""
    (cr, cp, cy), (sr, sp, sy) = (tuple(f(a) for a in rpy) for f in (cos, sin))
    return (
        cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,
        sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,
        -sp, cp * sr, cp * cr,
        *xyz,
    )  # fmt: skip


def about(axis: Vector, angle: float) -> Pose:
    """Return a rotation about an axis of length 1."""
    x, y, z = axis
    s, c = sin(angle), cos(angle)
    k = 1.0 - c
    return (
        x * x * k + c, x * y * k - z * s, x * z * k + y * s,
        y * x * k + z * s, y * y * k + c, y * z * k - x * s,
        z * x * k - y * s, z * y * k + x * s, z * z * k + c,
        0.0, 0.0, 0.0,
    )  # fmt: skip


def along(axis: Vector, way: float) -> Pose:
    """Return a shift along an axis of length 1."""
    return (*HERE[:9], axis[0] * way, axis[1] * way, axis[2] * way)


def rotation_between(a: Pose, b: Pose) -> Vector:
    """Return the rotation that leads from `a` to `b`: its axis, as long as its angle in radians."""
    # R = B A^T; half of its skew part is the axis times the sine of the angle.
    r = [sum(b[3 * i + k] * a[3 * j + k] for k in range(3)) for i in range(3) for j in range(3)]
    x, y, z = (r[7] - r[5]) / 2.0, (r[2] - r[6]) / 2.0, (r[3] - r[1]) / 2.0
    sine, cosine = hypot(x, y, z), (r[0] + r[4] + r[8] - 1.0) / 2.0
    angle = atan2(sine, cosine)
    if sine > 1e-6:
        scale = angle / sine
        return (x * scale, y * scale, z * scale)
    if cosine > 0.0:
        return (x, y, z)
    return _half_turn(r, angle)


def _half_turn(r: list[float], angle: float) -> Vector:
    """Return a rotation of half a turn, whose skew part says nothing about its axis."""
    longest = max(range(3), key=lambda i: r[4 * i])
    axis = [r[3 * i + longest] + (1.0 if i == longest else 0.0) for i in range(3)]
    length = hypot(*axis)
    return (axis[0] / length * angle, axis[1] / length * angle, axis[2] / length * angle)


def quaternion(pose: Pose) -> Quaternion:
    """Return the rotation as a quaternion with w of at least 0."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = pose[:9]
    w = sqrt(max(0.0, 1.0 + r0 + r4 + r8)) / 2.0
    if w > 0.1:
        return ((r7 - r5) / (4 * w), (r2 - r6) / (4 * w), (r3 - r1) / (4 * w), w)
    x, y, z = (angle / 2.0 for angle in rotation_between(HERE, pose))
    half = hypot(x, y, z)
    scale = sin(half) / half if half > _SMALLEST else 1.0
    return (x * scale, y * scale, z * scale, cos(half))


def of_quaternion(q: Quaternion) -> Pose:
    """Return the rotation of a quaternion. Raises ValueError for one of length 0."""
    length = hypot(*q)
    if length < _SMALLEST:
        raise ValueError("a quaternion of length 0 is no orientation")
    x, y, z, w = (each / length for each in q)
    return (
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
        2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y),
        0.0, 0.0, 0.0,
    )  # fmt: skip
