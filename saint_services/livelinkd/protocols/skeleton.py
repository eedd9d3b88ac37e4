"""Bone rotations as named values: `Head.yaw`, `Head.pitch`, `Head.roll` in degrees, and the joints
of both arms, `LeftArm.shoulder` ... Not here: how a sender's format writes a bone.

All rotations are turned into REP 103 axes first (x forward, y left, z up, right-handed), each
relative to the bone's parent. The angles are yaw, then pitch, then roll, each about the axes that
the one before has turned: R = Rz(yaw) Ry(pitch) Rx(roll), as ROS has it. Positive yaw turns left,
positive pitch down, positive roll to the right side. Pitch stays within -90 to 90; at its ends yaw
and roll are the same motion, so roll is 0 there and yaw has all of it.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

Quaternion = tuple[float, float, float, float]  # x, y, z, w
Euler = tuple[float, float, float]  # yaw, pitch, roll in degrees

MAX_BONES = 256
AXES = ("yaw", "pitch", "roll")
POSITION = ("x", "y", "z")
_POLE = 1.0 - 1e-9  # of sin(pitch)
_SHORTEST = 1e-3  # of a quaternion, which should be 1 long

# Each joint of an arm: which bone, which of its angles. In a T-pose the arm lies along y: yaw
# swings it forward, roll lifts it, pitch twists it.
_JOINTS = (
    ("shoulder", "upper", 0), ("upper", "upper", 2), ("elbow", "lower", 0),
    ("forearm", "lower", 1), ("wrist", "hand", 2), ("hand", "hand", 0),
)  # fmt: skip
# How skeletons of VRM and Unity, Unreal and Mixamo call the bones of an arm; {s} is the side.
_ARM = {
    "upper": ("{side}upperarm", "upperarm{s}", "{side}arm"),
    "lower": ("{side}lowerarm", "lowerarm{s}", "{side}forearm"),
    "hand": ("{side}hand", "hand{s}"),
}
_TRUNK = (
    "root", "hips", "pelvis", "spine", "spine01", "spine02", "spine03", "spine04", "spine05",
    "spine1", "spine2", "chest", "upperchest", "neck", "neck01", "neck02", "head",
)  # fmt: skip
_LIMBS = (
    "{side}shoulder", "clavicle{s}", "{side}upperleg", "{side}upleg", "thigh{s}",
    "{side}lowerleg", "{side}leg", "calf{s}", "{side}foot", "foot{s}",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Layout:
    """Names of a skeleton's values, and the source of each."""

    bones: tuple[str, ...]
    names: tuple[str, ...]
    pick: Callable[[Sequence[float]], tuple[float, ...]]  # parameters, angles, position -> values


@dataclass(slots=True)
class Pose:
    """Pose of a skeleton. `position` is the root's in metres, or empty."""

    layout: Layout
    rotations: Sequence[Quaternion]
    parameters: tuple[float, ...] = ()
    position: tuple[float, ...] = ()

    def values(self, eulers: Iterable[Euler] | None = None) -> tuple[float, ...]:
        """Return the values of `layout.names`; `eulers` may be passed where they are known."""
        turned = map(euler, self.rotations) if eulers is None else eulers
        flat = [*self.parameters]
        for angles in turned:
            flat += angles
        flat += self.position
        return self.layout.pick(flat)


@lru_cache(maxsize=64)  # bone names come from the network
def layout(bones: tuple[str, ...], parameters: tuple[str, ...] = (), root: str = "") -> Layout:
    """Lay out the values; `root` is the bone with a position. The most important come first, as
    the router limits the names of one input.
    """
    places: dict[str, int] = {}
    for name, place in _named(bones, parameters, root):
        places.setdefault(name, place)  # a name counts once; a parameter before a bone's angle
    order = tuple(places.values())
    pick: Callable[[Sequence[float]], tuple[float, ...]] = lambda flat: ()  # noqa: E731
    if len(order) == 1:
        pick = lambda flat: (flat[order[0]],)  # noqa: E731
    elif order:
        pick = itemgetter(*order)
    return Layout(bones, tuple(places), pick)


def _named(
    bones: tuple[str, ...], parameters: tuple[str, ...], root: str
) -> Iterator[tuple[str, int]]:
    for place, name in enumerate(parameters):
        yield name, place
    start = len(parameters)
    found = {_plain(bone): index for index, bone in reversed(list(enumerate(bones)))}
    for side in ("Left", "Right"):
        for joint, part, axis in _JOINTS:
            for form in _ARM[part]:
                if (index := found.get(_sided(form, side))) is not None:
                    yield f"{side}Arm.{joint}", start + 3 * index + axis
                    break
    ranked = sorted(range(len(bones)), key=lambda index: _plain(bones[index]) not in _MAIN)
    for index in ranked:
        for axis, what in enumerate(AXES):
            yield f"{bones[index]}.{what}", start + 3 * index + axis
    if root:
        for axis, what in enumerate(POSITION):
            yield f"{root}.{what}", start + 3 * len(bones) + axis
    for index in ranked:  # "Head" alone is how far it is turned
        yield bones[index], start + 3 * index


def _plain(bone: str) -> str:
    """Normalize the name of a bone: "mixamorig:LeftArm", "upperarm_l"."""
    return bone.rpartition(":")[2].lower().replace("_", "").replace(" ", "")


def _sided(form: str, side: str) -> str:
    return form.format(side=side.lower(), s=side[0].lower())


_MAIN = frozenset(_TRUNK) | {
    _sided(form, side)
    for side in ("Left", "Right")
    for form in (*_LIMBS, *(form for forms in _ARM.values() for form in forms))
}


def euler(rotation: Quaternion) -> Euler:
    """Return yaw, pitch, roll (degrees) of a unit quaternion."""
    x, y, z, w = rotation
    sine = 2.0 * (w * y - z * x)
    if abs(sine) >= _POLE:
        yaw = -2.0 * math.copysign(1.0, sine) * math.atan2(x, w)
        return _wrapped(math.degrees(yaw)), math.copysign(90.0, sine), 0.0
    return (
        math.degrees(math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))),
        math.degrees(math.asin(sine)),
        math.degrees(math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))),
    )


def _wrapped(angle: float) -> float:
    return (angle + 180.0) % 360.0 - 180.0


def quaternion(angles: Euler) -> Quaternion:
    """Return the rotation with these angles (degrees)."""
    (cy, sy), (cp, sp), (cr, sr) = (
        (math.cos(half), math.sin(half)) for half in (math.radians(a) / 2.0 for a in angles)
    )
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )


def unit(x: float, y: float, z: float, w: float) -> Quaternion | None:
    """Normalize four finite numbers to a rotation; None when they are none."""
    length = math.hypot(x, y, z, w)
    if not _SHORTEST < length < 1.0 / _SHORTEST:
        return None
    return x / length, y / length, z / length, w / length


def relative(rest: Quaternion, now: Quaternion) -> Quaternion:
    """Return the rotation of `now` relative to `rest`: rest^-1 now."""
    ax, ay, az, aw = -rest[0], -rest[1], -rest[2], rest[3]
    bx, by, bz, bw = now
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def from_unreal(rotation: Quaternion) -> Quaternion:
    """Convert from Unreal: x forward, y right, z up, left-handed."""
    x, y, z, w = rotation
    return -x, y, -z, w


def from_unity(rotation: Quaternion) -> Quaternion:
    """Convert from Unity: x right, y up, z forward, left-handed."""
    x, y, z, w = rotation
    return -z, x, -y, w
