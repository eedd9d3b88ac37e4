"""JSONLiveLink: UDP 54321, one JSON object per datagram, each key a subject. A subject is a list of
bones, or an object with `Bone` and `Parameter` (the variant with faces), or a list of a `Type` and
a place (the variant with objects and cameras). Axes, order and units are Unreal's. What is wrong
with one subject does not touch the others.
"""

import json
import math
from collections import Counter
from typing import Any

from .frames import Frame, Outcome, Refused, Transform, WrongError
from .names import LARGEST, LONGEST_NAME, arkit, folded, is_clean, is_name, number
from .skeleton import AXES, MAX_BONES, POSITION, Pose, Quaternion, euler, from_unreal, layout, unit

LARGEST_BYTES = 65_507  # of a UDP datagram
MAX_SUBJECTS = 16  # in one datagram
MAX_PARAMETERS = 256
_CENTIMETRE = 0.01
_NO_RATE = (0, 1)
_OBJECT = (*POSITION, *AXES)
_PLAIN = frozenset({int, float})
_TYPES = {"TransformAnimation": "transform", "CameraAnimation": "camera"}
_FIELDS = ("Name", "Parent", "Location", "Rotation", "Scale")


def read_json(data: bytes) -> Any:
    """Parse a JSON text. It may contain NaN: each number is checked when it is used, so that one
    subject's error does not affect others. Raises WrongError.
    """
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise WrongError("the text is not UTF-8") from None
    except (ValueError, RecursionError):  # also whole numbers of thousands of digits
        raise WrongError("the text is not JSON") from None


def read_number(value: Any, refusal: str) -> float:
    """Check a number. Raises WrongError."""
    found = number(value)
    if found is None:
        is_float = isinstance(value, float) and not math.isfinite(value)
        raise WrongError("a value is not finite" if is_float else refusal)
    return found


class JsonLiveLinkDecoder:
    """Decodes datagrams; counts the frames of each subject, as the format has no numbers."""

    def __init__(self) -> None:
        self._frames: Counter[str] = Counter()

    def __call__(self, data: bytes, sender: str) -> list[Outcome]:
        try:
            subjects = _subjects(data)
        except WrongError as err:
            return [Refused(str(err))]
        return [self._decoded(name, body) for name, body in subjects.items()]

    def _decoded(self, name: str, body: Any) -> Outcome:
        try:
            _check_subject(name)
            placed = _placed(name, body)
            frame = _frame(name, body) if placed is None else placed
        except WrongError as err:
            return Refused(str(err))
        if len(self._frames) >= 1024 and name not in self._frames:
            self._frames.clear()  # names come from the network
        frame.number = self._frames[name]
        self._frames[name] += 1
        return frame


def _subjects(data: bytes) -> dict[str, Any]:
    if not data:
        raise WrongError("the datagram is empty")
    if len(data) > LARGEST_BYTES:
        raise WrongError("the datagram is too long")
    subjects = read_json(data.rstrip(b"\0"))  # senders in C include the terminating NUL
    if not isinstance(subjects, dict):
        raise WrongError("the datagram is not a JSON object")
    if not subjects:
        raise WrongError("the datagram names no subject")
    if len(subjects) > MAX_SUBJECTS:
        raise WrongError("the datagram names too many subjects")
    return subjects


def _check_subject(name: str) -> None:
    if not name:
        raise WrongError("a subject has no name")
    if len(name) > LONGEST_NAME:
        raise WrongError("a subject's name is too long")
    if not is_clean(name):
        raise WrongError("a subject's name has control characters")


def _frame(name: str, body: Any) -> Frame:
    bones, parameters = _parts(body)
    given = _parameters(parameters)
    names, rotations, position, root = _skeleton(bones)
    form = layout(names, tuple(given), root)
    pose = Pose(form, rotations, tuple(given.values()), position)
    has_face = any(arkit(each) for each in given)
    kind = "animation" if names and not has_face else "face"
    kept = pose if names else None
    return Frame(name, "", kind, 0, 0.0, _NO_RATE, form.names, pose.values(), kept)


def _placed(name: str, body: Any) -> Frame | None:
    """Decode an object's or a camera's frame; None for other subjects."""
    kind = body[0].get("Type") if isinstance(body, list) and body and _is(body[0]) else None
    if kind is None:
        return None
    if not isinstance(kind, str) or kind not in _TYPES or len(body) != 2 or not _is(body[1]):
        raise WrongError("a subject's Type is of no use here")
    place = body[1]
    if "Location" not in place or "Rotation" not in place:
        raise WrongError("an object lacks Location or Rotation")
    x, y, z = (axis * _CENTIMETRE for axis in _numbers(place["Location"], 3, "Location"))
    where = Transform((x, -y, z), _rotation(place["Rotation"]))
    values = (*where.position, *euler(where.rotation))
    return Frame(name, "", _TYPES[kind], 0, 0.0, _NO_RATE, _OBJECT, values, None, where)


def _is(value: Any) -> bool:
    return isinstance(value, dict)


def _parts(body: Any) -> tuple[list[Any], list[Any]]:
    """Return bones and parameters, whichever form it is."""
    if isinstance(body, list):
        bones, parameters = body, []
    elif isinstance(body, dict):
        if "Bone" not in body and "Parameter" not in body:
            raise WrongError("a subject has neither Bone nor Parameter")
        bones, parameters = body.get("Bone", []), body.get("Parameter", [])
    else:
        raise WrongError("a subject is neither a list nor an object")
    if not isinstance(bones, list) or not isinstance(parameters, list):
        raise WrongError("Bone or Parameter is not a list")
    if not bones and not parameters:
        raise WrongError("a subject has no bone and no parameter")
    if len(bones) > MAX_BONES:
        raise WrongError("a subject has too many bones")
    if len(parameters) > MAX_PARAMETERS:
        raise WrongError("a subject has too many parameters")
    return bones, parameters


def _parameters(items: list[Any]) -> dict[str, float]:
    found: dict[str, float] = {}
    for item in items:
        if not isinstance(item, dict) or "Name" not in item or "Value" not in item:
            raise WrongError("a parameter has no Name or no Value")
        if not is_name(item["Name"]):
            raise WrongError("a parameter's Name is not valid")
        value = read_number(item["Value"], "a parameter's Value is not a number in range")
        name = folded(item["Name"])
        if name in found:
            raise WrongError("a parameter is given twice")
        found[name] = value
    return found


def _skeleton(
    bones: list[Any],
) -> tuple[tuple[str, ...], list[Quaternion], tuple[float, ...], str]:
    """Return names, rotations, and the first root's position and name."""
    for bone in bones:
        if not isinstance(bone, dict) or any(field not in bone for field in _FIELDS):
            raise WrongError("a bone lacks one of Name, Parent, Location, Rotation, Scale")
        if not is_name(bone["Name"]):
            raise WrongError("a bone's Name is not valid")
    names = tuple(bone["Name"] for bone in bones)
    if len(set(names)) != len(names):
        raise WrongError("a bone is given twice")
    parents = [_parent(bone["Parent"], len(bones)) for bone in bones]
    _check_chains(parents)
    rotations, places = [], []
    for bone in bones:
        rotations.append(_rotation(bone["Rotation"]))
        places.append(_numbers(bone["Location"], 3, "Location"))
        _numbers(bone["Scale"], 3, "Scale")
    if not bones:
        return (), [], (), ""
    root = parents.index(-1)
    x, y, z = (metre * _CENTIMETRE for metre in places[root])
    return names, rotations, (x, -y, z), names[root]


def _parent(value: Any, count: int) -> int:
    """Return the index of the parent, -1 for a root; some senders write it as -1.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise WrongError("a bone's Parent is not a whole number")
    if not -1 <= value < count:
        raise WrongError("a bone's Parent does not exist")
    return value


def _check_chains(parents: list[int]) -> None:
    """Check that every chain of parents ends at a root. Raises WrongError."""
    rooted: set[int] = {-1}
    for start in range(len(parents)):
        chain: list[int] = []
        bone = start
        while bone not in rooted:
            if len(chain) > len(parents):
                raise WrongError("bones are each other's Parent")
            chain.append(bone)
            bone = parents[bone]
        rooted.update(chain)


def _rotation(value: Any) -> Quaternion:
    given = unit(*_numbers(value, 4, "Rotation"))
    if given is None:
        raise WrongError("a bone's Rotation is not a quaternion")
    return from_unreal(given)


def _numbers(value: Any, count: int, what: str) -> list[float]:
    if not isinstance(value, list) or len(value) != count:
        raise WrongError(f"a bone's {what} does not have {count} numbers")
    # Nearly always valid; checking each number takes four times as long. The sum detects a NaN,
    # which has no order; it comes last, as whole numbers may be too large to add to floats.
    if _PLAIN.issuperset(map(type, value)):
        is_in_range = min(value) >= -LARGEST and max(value) <= LARGEST
        if is_in_range and math.isfinite(sum(value)):
            return value
    return [read_number(item, f"a bone's {what} is not numbers in range") for item in value]
