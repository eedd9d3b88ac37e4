"""Decodes VMC: UDP 39539, OSC, an avatar's bones and blend shapes in many small messages.

The messages of one sender are combined into one subject: a frame has everything that is known,
and is complete when bones arrive or `/VMC/Ext/Blend/Apply` applies the collected shapes. Devices
with a serial number (headset, controllers, trackers) and the camera are subjects of their own.
A datagram counts whole or not at all.
"""

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from . import visemes
from .frames import Frame, Outcome, Refused, Transform, WrongError
from .names import LARGEST, folded, is_name
from .osc import Argument, OscMessage, messages
from .skeleton import (
    AXES,
    MAX_BONES,
    POSITION,
    Euler,
    Layout,
    Pose,
    Quaternion,
    euler,
    from_unity,
    layout,
    unit,
)

PREFIX: Final = b"/VMC/Ext/"
LARGEST_BYTES: Final = 65_507
MAX_SHAPES: Final = 256
MAX_SENDERS: Final = 16
_NO_RATE: Final = (0, 1)
_DEVICES: Final = ("Hmd", "Con", "Tra")  # with "/Pos" or "/Pos/Local" behind
_OBJECT: Final = (*POSITION, *AXES)
_CAMERA: Final = (*_OBJECT, "fov")


class VmcDecoder:
    """Decodes datagrams. `names` gives senders' avatars a name, as the protocol has none."""

    def __init__(self, subject: str = "VMC", names: Mapping[str, str] | None = None) -> None:
        self._subject = subject
        self._names = names or {}
        self._avatars: OrderedDict[str, Avatar] = OrderedDict()

    def __call__(self, data: bytes, sender: str) -> list[Outcome]:
        if not data:
            return [Refused("the datagram is empty")]
        if len(data) > LARGEST_BYTES:
            return [Refused("the datagram is too long")]
        try:
            found = messages(data, PREFIX)
            if not found:
                raise WrongError("the datagram has no message of VMC")
            avatar = self._avatars.get(sender) or Avatar(self._names.get(sender, self._subject))
            frames = avatar.take(found)
        except WrongError as err:
            return [Refused(str(err))]
        self._avatars[sender] = avatar
        self._avatars.move_to_end(sender)
        if len(self._avatars) > MAX_SENDERS:
            self._avatars.popitem(last=False)
        return frames


class VmcPart(NamedTuple):
    """Content of one message: kind, name, numbers."""

    kind: str
    name: str = ""
    values: tuple[float, ...] = ()
    rotation: Quaternion = (0.0, 0.0, 0.0, 1.0)


class Avatar:
    """Combined state of one sender."""

    def __init__(self, subject: str) -> None:
        self._subject = subject
        self._bones: dict[str, tuple[Quaternion, Euler]] = {}
        self._position: tuple[float, ...] = ()
        self._collected: dict[str, float] = {}
        self._shapes: dict[str, float] = {}
        self._is_tracked = True
        self._frames = 0
        self._layout: Layout | None = None

    def take(self, found: Sequence[OscMessage]) -> list[Outcome]:
        """Return the frames that these messages complete. Raises WrongError before any change."""
        parts = [part for message in found if (part := _part(message)) is not None]
        bones = {part.name for part in parts if part.kind == "bone"}
        shapes = {part.name for part in parts if part.kind == "shape"}
        if len(bones | self._bones.keys()) > MAX_BONES:
            raise WrongError("a subject has too many bones")
        if len(shapes | self._collected.keys() | self._shapes.keys()) > MAX_SHAPES:
            raise WrongError("a subject has too many parameters")
        changed = False
        frames: list[Outcome] = []
        for part in parts:
            if part.kind == "object":
                frames.append(_object(part))
            else:
                changed |= self._merge(part)
        if changed:
            frames.insert(0, self._frame())
        return frames

    def _merge(self, part: VmcPart) -> bool:
        """Apply one message; return True when a frame is complete."""
        kind, name, values, rotation = part
        if kind == "shape":
            self._collected[name] = values[0]
            return False
        if kind == "apply":
            new = self._collected.keys() - self._shapes.keys()
            self._shapes |= self._collected
            self._collected = {}
            self._layout = None if new else self._layout
            return bool(self._shapes)
        if kind == "tracked":
            was, self._is_tracked = self._is_tracked, bool(values[0])
            return was != self._is_tracked or not self._is_tracked
        if kind == "root":
            self._layout = self._layout if self._position else None
            self._position = _place(values)
            return bool(self._bones)
        if name not in self._bones:
            self._layout = None
        self._bones[name] = rotation, euler(rotation)
        return True

    def _frame(self) -> Frame:
        kind = "animation" if self._bones else "face"
        if self._is_tracked and (self._bones or self._shapes):
            shapes = visemes.completed(self._shapes)
            if self._layout is None:
                root = "Root" if self._position and self._bones else ""
                self._layout = layout(tuple(self._bones), tuple(shapes), root)
            rotations = [rotation for rotation, _ in self._bones.values()]
            position = self._position if self._bones else ()
            pose = Pose(self._layout, rotations, tuple(shapes.values()), position)
            values = pose.values(angles for _, angles in self._bones.values())
            frame = Frame(self._subject, "", kind, self._frames, 0.0, _NO_RATE,
                          self._layout.names, values, pose if rotations else None)  # fmt: skip
        else:
            frame = Frame(self._subject, "", kind, self._frames, 0.0, _NO_RATE, (), ())
        self._frames += 1
        return frame


def _object(part: VmcPart) -> Frame:
    """Decode a device or the camera, which also has a field of view."""
    _, name, values, rotation = part
    position = _place(values)
    names: tuple[str, ...] = _OBJECT
    shown: tuple[float, ...] = (*position, *euler(rotation))
    kind = "transform"
    if len(values) > 7:
        kind, names, shown = "camera", _CAMERA, (*shown, values[7])
    place = Transform(position, rotation)
    return Frame(name, "", kind, 0, 0.0, _NO_RATE, names, shown, None, place)


def _part(message: OscMessage) -> VmcPart | None:
    """Decode a message; None for one that is not used. Raises WrongError."""
    path, arguments = message.address[len(PREFIX) :], message.arguments
    if path == "Bone/Pos":
        return _turned("bone", arguments, 7)
    if path == "Blend/Val":
        return VmcPart("shape", folded(_name(arguments)), _numbers(arguments[1:2], 1))
    if path == "Blend/Apply":
        return VmcPart("apply")
    if path == "Root/Pos":
        return _turned("root", arguments, 7)
    if path == "Cam":
        return _turned("object", arguments, 8)
    if path.partition("/")[0] in _DEVICES and not path.endswith("/Local"):
        return _turned("object", arguments, 7)  # "Local" is the same again, as the device sees it
    if path == "OK" and arguments:
        loaded, *rest = _numbers(arguments, len(arguments))
        return VmcPart("tracked", "", (float(loaded > 0 and (len(rest) < 3 or rest[2] > 0)),))
    return None


def _turned(kind: str, arguments: tuple[Argument, ...], count: int) -> VmcPart:
    values = _numbers(arguments[1 : count + 1], count)
    rotation = unit(*values[3:7])
    if rotation is None:
        raise WrongError("a bone's Rotation is not a quaternion")
    return VmcPart(kind, _name(arguments), values, from_unity(rotation))


def _name(arguments: tuple[Argument, ...]) -> str:
    name = arguments[0] if arguments else None
    if not is_name(name):
        raise WrongError("a VMC message names nothing that is valid")
    return name


def _numbers(arguments: tuple[Argument, ...], count: int) -> tuple[float, ...]:
    if len(arguments) < count:
        raise WrongError("a VMC message lacks arguments")
    values: list[float] = []
    for each in arguments:
        if each.__class__ is not float and (isinstance(each, bool) or not isinstance(each, int)):
            raise WrongError("an argument of a VMC message is not a number")
        values.append(float(each))
    if not math.isfinite(sum(values)):
        raise WrongError("a value is not finite")
    if max(values) > LARGEST or min(values) < -LARGEST:
        raise WrongError("a value is out of range")
    return tuple(values)


def _place(values: tuple[float, ...]) -> tuple[float, float, float]:
    """Convert Unity's metres: x right, y up, z forward."""
    x, y, z = values[:3]
    return z, -x, y
