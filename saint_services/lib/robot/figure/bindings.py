"""Checks which joint of a model shows which part, and proposes it by likeness of the names. A
joint of the owner's model may narrow the range of its part, never widen it. Pure.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from ...errors import Code, SaintError
from ...role_config.body import Hand
from ...role_config.devices import MOTORS
from ...role_config.fields import FieldSpec
from ...role_config.model import RoleConfig
from ..urdf import UrdfJoint, UrdfModel
from .builder import FigurePart, Joints

SAME_RAD = 1e-3  # limits in a model have four digits
_LIKE_ENOUGH = 0.5
_WORD = re.compile(r"[a-z]+|\d+")
_SAME_WORDS = {
    "l": "left", "r": "right", "yaw": "pan", "pitch": "tilt", "nod": "tilt", "mouth": "jaw",
    "arms": "arm", "tracks": "track", "wheel": "track", "eyebrow": "brow", "eyelid": "lid",
    "head": "neck", "claw": "gripper", "finger": "gripper",
}  # fmt: skip
_SAY_NOTHING = {"joint", "link", "motor", "servo", "the", "of", "parts", "to", "saint"}


class ShownRole(Protocol):
    """An entry of the manifest, as far as its figure is concerned."""

    @property
    def target(self) -> str: ...

    @property
    def joints(self) -> Mapping[str, str]: ...

    @property
    def hand(self) -> Hand | None: ...


class ShownRobot(Protocol):
    """A manifest, as far as its figure is concerned."""

    @property
    def name(self) -> str: ...

    @property
    def urdf(self) -> str: ...

    @property
    def figure(self) -> str: ...

    @property
    def roles(self) -> Sequence[ShownRole]: ...


def check_joints(
    manifest: ShownRobot,
    roles: Mapping[str, RoleConfig],
    model: UrdfModel,
    name: str,
    *,
    may_narrow: bool = False,
) -> None:
    """Raise config_invalid unless every joint that the manifest names can show its part. `name`:
    of the model, in errors."""
    for entry in manifest.roles:
        role = roles[entry.target]
        if entry.hand and entry.hand.link not in model.links:
            raise _invalid(f"the hand of {entry.target} is {entry.hand.link}, which {name} has not")
        for field, joint in entry.joints.items():
            if problem := misfit(role, field, joint, model, name, may_narrow=may_narrow):
                raise _invalid(problem)


def misfit(
    role: RoleConfig, field: str, name: str, model: UrdfModel, of: str, *, may_narrow: bool
) -> str:
    """Return why a joint cannot show a part; empty when it can."""
    what, joint = f"{role.target}.{field}", model.joints.get(name)
    if joint is None:
        return f"{what} is shown by {name}, which {of} has not"
    if joint.mimics:
        return f"{what} is shown by {name}, which only mimics"
    spec = role.fields.get(field)
    if spec is None:
        if field not in role.gpio_mapping:
            return f"{what}: {role.target} has no such field and no such motor"
        if joint.kind != "continuous":
            return f"{what} is a motor; {name} must be continuous, not {joint.kind}"
        return ""
    if spec.unit == "ratio" and joint.kind in ("revolute", "prismatic"):
        return ""
    wanted = _in_model(spec)
    if may_narrow:
        is_fit = joint.kind == "continuous" or _have_room(joint, wanted)
    else:
        is_fit = joint.lower - SAME_RAD <= wanted[0] and wanted[1] <= joint.upper + SAME_RAD
    if joint.kind in ("revolute", *(("continuous",) if may_narrow else ())) and is_fit:
        return ""
    return (
        f"{what} may go from {wanted[0]:.4f} to {wanted[1]:.4f} rad; {name} is"
        f" {joint.kind} from {joint.lower:.4f} to {joint.upper:.4f}"
    )


def narrowing(spec: FieldSpec, joint: UrdfJoint) -> str:
    """Say how a joint narrows the range of its part; empty when it does not."""
    if spec.unit != "deg" or joint.kind != "revolute":
        return ""
    low, high = _in_model(spec)
    if joint.lower <= low + SAME_RAD and joint.upper >= high - SAME_RAD:
        return ""
    found = math.degrees(max(low, joint.lower)), math.degrees(min(high, joint.upper))
    return f"moves only from {found[0]:.1f} to {found[1]:.1f} deg: {joint.name} goes no further"


def _have_room(joint: UrdfJoint, wanted: tuple[float, float]) -> bool:
    return max(joint.lower, wanted[0]) + SAME_RAD < min(joint.upper, wanted[1])


def _in_model(spec: FieldSpec) -> tuple[float, float]:
    low, high = spec.limits
    return (math.radians(low), math.radians(high)) if spec.unit == "deg" else (low, high)


def bindable(roles: Mapping[str, RoleConfig]) -> Iterator[FigurePart]:
    """Yield what a joint can show: positions, and the motors of tracks."""
    for target, role in roles.items():
        for name, spec in role.fields.items():
            if (part := FigurePart(target, name, spec)).is_position:
                yield part
        for name, pin in role.gpio_mapping.items():
            if role.role == "tracks" and pin.type in MOTORS and name not in role.fields:
                yield FigurePart(target, name)


def proposed(model: UrdfModel, roles: Mapping[str, RoleConfig]) -> Joints:
    """Return the joint that is named most like each part, each joint once."""
    likely = [
        (-likeness(part, joint), place, part.target, part.name, joint)
        for place, part in enumerate(bindable(roles))
        for joint in model.joints
        if likeness(part, joint) >= _LIKE_ENOUGH
        and not misfit(roles[part.target], part.name, joint, model, "", may_narrow=True)
    ]
    found: Joints = {}
    taken: set[str] = set()
    for _, _, target, name, joint in sorted(likely):
        if joint not in taken and name not in found.get(target, {}):
            found.setdefault(target, {})[name] = joint
            taken.add(joint)
    return found


def likeness(part: FigurePart, joint: str) -> float:
    """Return how like a joint's name is to that of a part: 0 to 1. Another side or number is
    another joint."""
    wanted, given = _words(f"{part.target} {part.name}"), _words(joint)
    for kind in (lambda word: word in ("left", "right"), str.isdigit):
        mine, theirs = {w for w in wanted if kind(w)}, {w for w in given if kind(w)}
        if mine and theirs and mine != theirs:
            return 0.0
    own = _words(part.name)
    if not wanted or not given or not own & given:
        return 0.0
    both = len(wanted & given)
    return max(2.0 * both / (len(wanted) + len(given)), len(own & given) / len(own | given))


def _words(name: str) -> set[str]:
    found = (_SAME_WORDS.get(word, word) for word in _WORD.findall(name.lower()))
    return {word for word in found if word not in _SAY_NOTHING}


def _invalid(sentence: str) -> SaintError:
    return SaintError(Code.CONFIG_INVALID, sentence)
