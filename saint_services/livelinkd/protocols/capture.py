"""Decodes the newer mode of Live Link Face (phone as server), as its public sources describe it. No
capture of a real phone was available, so all of this is experimental. Three forms of messages:

    discovery, UDP    CPSDISCOVER 0, u16 version, u8 kind, payload           little-endian
    control, TCP      CPSCONTROL 0, u16 version, u32 size, UTF-8 JSON        little-endian
    stream, UDP       see CaptureDecoder, one frame of one subject           little-endian

Not here: which requests are sent when (capture/session.py).
"""

import json
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .frames import Frame, Outcome, Refused, WrongError
from .json_live_link import read_json
from .names import LARGEST, SHAPES, folded, is_name

DISCOVER = b"CPSDISCOVER\0"
CONTROL = b"CPSCONTROL\0"
LARGEST_BYTES = 8192  # of a stream datagram: twice what a MetaHuman needs
MAX_CONTROLS = 1024
MAX_SUBJECTS = 16
LARGEST_CONTROL_BYTES = 1 << 20  # of one message: the list of all subjects and their controls
DISCOVER_VERSION, CONTROL_VERSION = 2, 1
REQUEST, RESPONSE = 0, 1
_DISCOVER_HEADER = struct.Struct("<HB")
_CONTROL_HEADER = struct.Struct("<HI")
_PORT = struct.Struct("<H")
_SERVER_ID = 16
_LENGTH = struct.Struct("<H")
_TIME = struct.Struct("<ifii")
_POSE = struct.Struct("<6f")
_POSE_NAMES = ("headRoll", "headPitch", "headYaw", "headX", "headY", "headZ")
_ANGLES = 3  # of these are degrees
_FULL = 65535.0


def discovery() -> bytes:
    """Encode a discovery request for phones."""
    return DISCOVER + _DISCOVER_HEADER.pack(DISCOVER_VERSION, REQUEST)


def answered_port(data: bytes, default: int) -> int | None:
    """Return the control port of a phone that replies; None for other datagrams."""
    start = len(DISCOVER) + _DISCOVER_HEADER.size
    if not data.startswith(DISCOVER) or len(data) < start + _SERVER_ID + _PORT.size:
        return None
    _, kind = _DISCOVER_HEADER.unpack_from(data, len(DISCOVER))
    if kind != RESPONSE:
        return None
    port: int = _PORT.unpack_from(data, len(data) - _PORT.size)[0]  # it is the last field
    return port if port >= 1024 else default


def packed(message: dict[str, Any]) -> bytes:
    """Encode a control message."""
    text = json.dumps(message, ensure_ascii=False).encode()
    return CONTROL + _CONTROL_HEADER.pack(CONTROL_VERSION, len(text)) + text


class Unpacker:
    """Decodes control messages from a stream of bytes. After WrongError, close the connection."""

    def __init__(self) -> None:
        self._begun = b""

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Return the messages that are complete."""
        self._begun += data
        found = []
        while (message := self._next()) is not None:
            found.append(message)
        return found

    def _next(self) -> dict[str, Any] | None:
        start = len(CONTROL) + _CONTROL_HEADER.size
        if not CONTROL.startswith(self._begun[: len(CONTROL)]):
            raise WrongError("the message is not a control message")
        if len(self._begun) < start:
            return None
        _, size = _CONTROL_HEADER.unpack_from(self._begun, len(CONTROL))
        if size > LARGEST_CONTROL_BYTES:
            raise WrongError("a control message is too long")
        if len(self._begun) < start + size:
            return None
        text, self._begun = self._begun[start : start + size], self._begun[start + size :]
        message = read_json(text)
        if not isinstance(message, dict):
            raise WrongError("the message is not a JSON object")
        return message


@dataclass(frozen=True, slots=True)
class DescribedSubject:
    """A subject as the phone describes it."""

    name: str
    names: tuple[str, ...]  # of its values: the controls, then the head's pose


class CaptureDecoder:
    """Decodes stream datagrams: u16 version, u16 length and subject id, i32 frame, f32 sub-frame,
    i32 and i32 rate, u16 count, count x u16 (65535 is 1), 6 x f32 head pose (roll, pitch, yaw, x,
    y, z). The names of the values come from `learn`.
    """

    def __init__(self) -> None:
        self.on_discovery: Callable[[bytes, str], None] | None = None  # comes to the same port
        self._subjects: dict[tuple[str, str], DescribedSubject] = {}

    def learn(self, sender: str, subjects: dict[str, DescribedSubject]) -> None:
        """Replace the descriptions of this phone's subjects."""
        kept = {key: value for key, value in self._subjects.items() if key[0] != sender}
        added = {(sender, id_): each for id_, each in list(subjects.items())[:MAX_SUBJECTS]}
        self._subjects = kept | added

    def __call__(self, data: bytes, sender: str) -> list[Outcome]:
        if data.startswith(DISCOVER) and self.on_discovery is not None:
            self.on_discovery(data, sender)
            return []
        try:
            return [self._frame(data, sender)]
        except WrongError as err:
            return [Refused(str(err))]

    def _frame(self, data: bytes, sender: str) -> Frame:
        if len(data) > LARGEST_BYTES:
            raise WrongError("the datagram is too long")
        id_, position = _text(data)
        if len(data) < position + _TIME.size + _LENGTH.size:
            raise WrongError("the datagram ends inside the frame time")
        number, subframe, numerator, denominator = _TIME.unpack_from(data, position)
        if numerator <= 0 or denominator <= 0 or not math.isfinite(subframe):
            raise WrongError("the frame time is not valid")
        values = _values(data, position + _TIME.size)
        known = self._subjects.get((sender, id_))
        about = known or _guessed(id_, len(values) - len(_POSE_NAMES))
        if len(about.names) != len(values):
            raise WrongError("the number of values is not that of the subject's description")
        subframe = (subframe - math.floor(subframe)) % 1.0
        rate = numerator, denominator
        return Frame(about.name, id_, "face", number, subframe, rate, about.names, values)


def _text(data: bytes) -> tuple[str, int]:
    start = 2 * _LENGTH.size
    if len(data) < start:
        raise WrongError("the datagram ends inside the subject id")
    length = _LENGTH.unpack_from(data, _LENGTH.size)[0]
    if length > len(data) - start:
        raise WrongError("the datagram ends inside the subject id")
    try:
        text = data[start : start + length].decode()
    except UnicodeDecodeError:
        raise WrongError("the subject id is not UTF-8") from None
    if not is_name(text):
        raise WrongError("the subject id is not valid")
    return text, start + length


def _values(data: bytes, position: int) -> tuple[float, ...]:
    count = _LENGTH.unpack_from(data, position)[0]
    position += _LENGTH.size
    if count > MAX_CONTROLS:
        raise WrongError("the datagram has too many values")
    if len(data) - position != count * 2 + _POSE.size:
        raise WrongError("the length is not that of its values")
    controls = struct.unpack_from(f"<{count}H", data, position)
    pose = _POSE.unpack_from(data, position + count * 2)
    if not all(abs(value) <= LARGEST for value in pose):  # NaN is not
        raise WrongError("a value is not finite")
    turned = (math.radians(value) for value in pose[:_ANGLES])
    return (*(value / _FULL for value in controls), *turned, *pose[_ANGLES:])


@lru_cache(maxsize=64)
def _guessed(id_: str, count: int) -> DescribedSubject:
    """Assume ARKit's shapes when the number fits: a recording has no description."""
    if count == len(SHAPES):
        return DescribedSubject(id_, (*SHAPES, *_POSE_NAMES))
    return DescribedSubject(id_, (*(f"control_{index}" for index in range(count)), *_POSE_NAMES))


def described(body: Any) -> dict[str, DescribedSubject]:
    """Parse the phone's subjects, by id; skip invalid ones."""
    listed = body.get("subjects") if isinstance(body, dict) else body
    found: dict[str, DescribedSubject] = {}
    for each in listed if isinstance(listed, list) else []:
        if not isinstance(each, dict) or not is_name(each.get("id")):
            continue
        metadata = each.get("animationMetadata")
        controls = metadata.get("controls") if isinstance(metadata, dict) else None
        name = each.get("name")
        if not isinstance(controls, list) or not all(is_name(one) for one in controls):
            continue
        names = (*(folded(one) for one in controls), *_POSE_NAMES)
        if len(set(names)) != len(names) or len(controls) > MAX_CONTROLS:
            continue
        found[each["id"]] = DescribedSubject(name if is_name(name) else each["id"], names)
    return dict(list(found.items())[:MAX_SUBJECTS])
