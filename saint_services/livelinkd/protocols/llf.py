"""Live Link Face, ARKit mode, version 6: UDP 11111, one big-endian datagram per frame.

Version, device id, subject name, qualified frame time, then 61 values, or nothing more when the
phone sees no face. Every length is checked before it is used; nothing is guessed.
"""

import math
import struct
from functools import cache

from .frames import Frame, Refused
from .names import FACE, is_clean

VERSION = 6
LONGEST = 774  # bytes; as Unreal has it. A device id is usually a UUID, a name is typed by hand
NAMES = FACE
_LENGTH = struct.Struct(">i")
_TIME = struct.Struct(">ifii")
_VALUES = struct.Struct(f">{len(NAMES)}f")
_NO_VALUES: tuple[float, ...] = ()


def decode(data: bytes) -> Frame | Refused:
    """Decode a datagram into its frame, or the reason for none."""
    if not data:
        return Refused("the datagram is empty")
    if len(data) > LONGEST:
        return Refused("the datagram is too long")
    if data[0] != VERSION:
        return _wrong_version(data[0])
    device, position = _text(data, 1, "device id")
    if isinstance(device, Refused):
        return device
    subject, position = _text(data, position, "subject name")
    if isinstance(subject, Refused):
        return subject
    values_at = position + _TIME.size
    if values_at > len(data):
        return Refused("the datagram ends inside the frame time")
    number, subframe, numerator, denominator = _TIME.unpack_from(data, position)
    if numerator <= 0 or denominator <= 0 or not math.isfinite(subframe):
        return Refused("the frame time is not valid")
    values = _values(data, values_at)
    if isinstance(values, Refused):
        return values
    subframe = (subframe - math.floor(subframe)) % 1.0  # recordings reach 1.26; -1e-40 gives 1
    rate, names = (numerator, denominator), NAMES if values else ()
    return Frame(subject, device, "face", number, subframe, rate, names, values)


@cache
def _wrong_version(version: int) -> Refused:
    return Refused(f"version {version} is not supported")


def _text(data: bytes, position: int, what: str) -> tuple[str | Refused, int]:
    """Return a text with its length in front, and its end."""
    start = position + _LENGTH.size
    if start > len(data):
        return Refused(f"the datagram ends inside the {what}"), position
    length = _LENGTH.unpack_from(data, position)[0]
    end = start + length
    if not 0 <= length <= len(data) - start:
        return Refused(f"the length of the {what} is not valid"), position
    try:
        text = data[start:end].decode()
    except UnicodeDecodeError:
        return Refused(f"the {what} is not UTF-8"), position
    if not is_clean(text):
        return Refused(f"the {what} has control characters"), position
    return text, end


def _values(data: bytes, position: int) -> tuple[float, ...] | Refused:
    if position == len(data):
        return _NO_VALUES  # connected, no face
    if data[position] != len(NAMES):
        return Refused(f"the number of values is not {len(NAMES)}")
    rest = len(data) - position - 1
    if rest != _VALUES.size:
        return Refused(
            "the datagram ends inside the values"
            if rest < _VALUES.size
            else "bytes follow the values"
        )
    values = _VALUES.unpack_from(data, position + 1)
    # One sum is finite when all are: infinities and NaN survive addition, and 61 floats of 32
    # bits cannot overflow one of 64.
    if not math.isfinite(sum(values)):
        return Refused("a value is not finite")
    return values
