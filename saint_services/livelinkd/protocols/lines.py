"""Decodes our own format, for scripts: TCP 54322, one JSON object per line, as LiveLinkFrame.

    {"subject_name": "Puppet", "subject_type": "animation", "frame_number": 7,
     "property_names": ["LeftArm.shoulder"], "property_values": [12.5],
     "transform": {"translation": {"x": 0, "y": 0, "z": 1},
                   "rotation": {"x": 0, "y": 0, "z": 0, "w": 1}}}

Names and values arrive in the routes as they are sent; a transform adds x, y, z (metres, REP 103
axes), yaw, pitch and roll (degrees).
"""

from collections import Counter
from typing import Any

from .frames import Frame, Outcome, Refused, Transform, WrongError
from .json_live_link import read_json, read_number
from .names import LONGEST_NAME, folded, is_clean, is_name
from .skeleton import AXES, POSITION, euler, unit

LARGEST_BYTES = 65_536
MAX_VALUES = 1024
TYPES = ("face", "animation", "transform", "camera")
_FIELDS = frozenset(
    {
        "subject_name", "subject_type", "frame_number", "timestamp", "property_names",
        "property_values", "transform",
    }
)  # fmt: skip
_NO_RATE = (0, 1)
_OBJECT = (*POSITION, *AXES)
_LARGEST_NUMBER = (1 << 64) - 1  # as in the message


class LineDecoder:
    """Decodes lines, one frame each."""

    def __init__(self) -> None:
        self._frames: Counter[str] = Counter()
        self._shared: dict[tuple[str, ...], tuple[str, ...]] = {}

    def __call__(self, data: bytes, sender: str) -> list[Outcome]:
        try:
            return [self._frame(data)]
        except WrongError as err:
            return [Refused(str(err))]

    def _frame(self, data: bytes) -> Frame:
        if len(data) > LARGEST_BYTES:
            raise WrongError("the line is too long")
        line = read_json(data)
        if not isinstance(line, dict):
            raise WrongError("the line is not a JSON object")
        if not _FIELDS.issuperset(line):
            raise WrongError("the line has a field that LiveLinkFrame does not have")
        subject, kind = _subject(line), line.get("subject_type", "face")
        if kind not in TYPES:
            raise WrongError("the subject_type is not known")
        names, values = _properties(line)
        transform = _transform(line.get("transform"))
        if transform is not None:
            added = (*transform.position, *euler(transform.rotation))
            kept = [i for i, name in enumerate(_OBJECT) if name not in names]
            names = (*names, *(_OBJECT[i] for i in kept))
            values = (*values, *(added[i] for i in kept))
        if len(self._shared) > 256:
            self._shared.clear()
        names = self._shared.setdefault(names, names)
        given = self._number(line, subject)
        return Frame(subject, "", kind, given, 0.0, _NO_RATE, names, values, None, transform)

    def _number(self, line: dict[str, Any], subject: str) -> int:
        if len(self._frames) >= 1024 and subject not in self._frames:
            self._frames.clear()
        self._frames[subject] += 1
        given = line.get("frame_number", self._frames[subject] - 1)
        if isinstance(given, bool) or not isinstance(given, int):
            raise WrongError("the frame_number is not a whole number")
        if not 0 <= given <= _LARGEST_NUMBER:
            raise WrongError("the frame_number is out of range")
        return given


def _subject(line: dict[str, Any]) -> str:
    name = line.get("subject_name")
    if not isinstance(name, str) or not name:
        raise WrongError("a subject has no name")
    if len(name) > LONGEST_NAME:
        raise WrongError("a subject's name is too long")
    if not is_clean(name):
        raise WrongError("a subject's name has control characters")
    return name


def _properties(line: dict[str, Any]) -> tuple[tuple[str, ...], tuple[float, ...]]:
    names, values = line.get("property_names", []), line.get("property_values", [])
    if not isinstance(names, list) or not isinstance(values, list):
        raise WrongError("property_names or property_values is not a list")
    if len(names) != len(values):
        raise WrongError("names and values differ in number")
    if len(names) > MAX_VALUES:
        raise WrongError("the line has too many values")
    if not all(is_name(name) for name in names):
        raise WrongError("a name is not valid")
    known = tuple(folded(name) for name in names)
    if len(set(known)) != len(known):
        raise WrongError("a name is given twice")
    return known, tuple(read_number(value, "a value is not a number in range") for value in values)


def _transform(given: Any) -> Transform | None:
    if given is None:
        return None
    if not isinstance(given, dict):
        raise WrongError("the transform is not valid")
    place, turned = given.get("translation"), given.get("rotation")
    position = _axes(place, "xyz") if place is not None else [0.0, 0.0, 0.0]
    rotation = unit(*_axes(turned, "xyzw")) if turned is not None else (0.0, 0.0, 0.0, 1.0)
    if rotation is None:
        raise WrongError("the transform is not valid")
    return Transform((position[0], position[1], position[2]), rotation)


def _axes(given: Any, axes: str) -> list[float]:
    if not isinstance(given, dict) or given.keys() != set(axes):
        raise WrongError("the transform is not valid")
    return [read_number(given[axis], "the transform is not valid") for axis in axes]
