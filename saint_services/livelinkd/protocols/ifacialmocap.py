"""iFacialMocap: UDP 49983, one text per frame: `jawOpen-25|...|=head#rx,ry,rz,x,y,z|rightEye#x,y,z|
leftEye#x,y,z|`. Left of `=` a `-` (version 2: `&`) stands between name and value, right of it a `-`
is a minus. Shapes are percent, angles degrees; both become Live Link Face's units here.

MeowFace, on Android, sends the form of version 2 with spaces around the `&` and without
cheekSquint.

The phone sends to the address of a REQUEST. It does not report that it has lost the face, but then
repeats its last frame, to the last digit; a real face is never that still.

Not here: when to send a request (senders/phones.py).
"""

import math
import re
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping

from .frames import Frame, Outcome, Refused, WrongError
from .names import LARGEST, folded, is_name

PHONE_PORT = 49983  # where the phone receives requests; it sends to the port of the request
REQUEST = b"iFacialMocap_sahuasouryya9218sauhuiayeta91555dy3719"
LARGEST_BYTES = 8192
MAX_ITEMS = 256
MAX_SENDERS = 16
FROZEN = 30  # so many repeated frames, half a second, are no face
_NO_RATE = (0, 1)
_NUMBER = re.compile(r"[+-]?[0-9]{1,12}(\.[0-9]{0,20})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
# Euler angles as Unity counts them: about x, y, z.
_TURNS = {
    "head": ("headPitch", "headYaw", "headRoll", "headX", "headY", "headZ"),
    "rightEye": ("rightEyePitch", "rightEyeYaw", "rightEyeRoll"),
    "leftEye": ("leftEyePitch", "leftEyeYaw", "leftEyeRoll"),
}
_ANGLES = 3  # of these are angles, the rest a place
_TRACKING = "trackingStatus"  # 0: no face; some bridges send it
_END = "___"  # a last word that some versions add


class IFacialMocapDecoder:
    """Decodes datagrams. `names` gives senders' faces a name, as the protocol has none."""

    def __init__(
        self, subject: str = "iFacialMocap", names: Mapping[str, str] | None = None
    ) -> None:
        self._subject = subject
        self._names = names or {}
        self._frames: Counter[str] = Counter()
        self._last: OrderedDict[str, tuple[bytes, int]] = OrderedDict()  # and how often, by sender
        self._shared: dict[tuple[str, ...], tuple[str, ...]] = {}

    def __call__(self, data: bytes, sender: str) -> list[Outcome]:
        try:
            values = _values(data)
        except WrongError as err:
            return [Refused(str(err))]
        subject = self._names.get(sender, self._subject)
        number = self._frames[subject]
        self._frames[subject] += 1
        if not values.pop(_TRACKING, 1.0) or self._is_frozen(data, sender):
            return [Frame(subject, "", "face", number, 0.0, _NO_RATE, (), ())]
        if len(self._shared) > 64:
            self._shared.clear()
        names = tuple(values)
        names = self._shared.setdefault(names, names)
        found = tuple(values.values())
        return [Frame(subject, "", "face", number, 0.0, _NO_RATE, names, found)]

    def _is_frozen(self, data: bytes, sender: str) -> bool:
        last, times = self._last.pop(sender, (b"", 0))
        times = times + 1 if data == last else 1
        self._last[sender] = data, times
        if len(self._last) > MAX_SENDERS:
            self._last.popitem(last=False)
        return times >= FROZEN


def _values(data: bytes) -> dict[str, float]:
    if not data:
        raise WrongError("the datagram is empty")
    if len(data) > LARGEST_BYTES:
        raise WrongError("the datagram is too long")
    try:
        text = data.decode().rstrip("\0\r\n ")
    except UnicodeDecodeError:
        raise WrongError("the datagram is not UTF-8") from None
    shapes, equals, turns = text.partition("=")
    if not equals:
        raise WrongError("the datagram does not have a face and a head")
    values: dict[str, float] = {}
    for name, value in (*_shapes(shapes), *_turns(turns)):
        if name in values:
            raise WrongError("a name is given twice")
        values[name] = value
    if "headYaw" not in values:
        raise WrongError("the datagram does not have a face and a head")
    if not turns.endswith("|") and "leftEyeYaw" not in values:
        raise WrongError(
            "the datagram is cut off"
        )  # some versions have no bar behind the last part
    return values


def _shapes(text: str) -> Iterator[tuple[str, float]]:
    items = [item for item in text.split("|") if item]
    if len(items) > MAX_ITEMS:
        raise WrongError("the datagram has too many values")
    for item in items:
        # Bridges mix both versions in one text.
        name, found, value = item.partition("&" if "&" in item else "-")
        name = name.strip(" ")  # MeowFace writes " & "
        if not found or not is_name(name):
            raise WrongError("a shape's name is not valid")
        if name == _TRACKING:
            yield name, _number(value)
        else:
            yield folded(name), _number(value) / 100.0


def _turns(text: str) -> Iterator[tuple[str, float]]:
    items = [item for item in text.split("|") if item]
    if len(items) > MAX_ITEMS:
        raise WrongError("the datagram has too many values")
    for item in items:
        if item.startswith(_END):
            return
        what, found, rest = item.partition("#")
        names = _TURNS.get(what.strip(" "))
        if not found:
            raise WrongError("an angle's name is not valid")
        if names is None:
            continue  # of a newer version
        numbers = [_number(each) for each in rest.split(",")]
        if len(numbers) != len(names):
            raise WrongError(f"{what} does not have {len(names)} numbers")
        for index, (name, value) in enumerate(zip(names, numbers, strict=True)):
            yield name, math.radians(value) if index < _ANGLES else value


def _number(text: str) -> float:
    text = text.strip(" ")  # float() strips other characters too
    if not _NUMBER.fullmatch(text):
        raise WrongError("a value is not a number")
    value = float(text)
    if not abs(value) <= LARGEST:
        raise WrongError("a value is out of range")
    return value
