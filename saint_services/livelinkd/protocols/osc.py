"""Decodes OSC packets: bundles, messages, arguments. Not here: what an address means (vmc.py).

Not done by a library: python-osc, whose messages the tests compare with ours, loops endlessly on a
negative size in a bundle, recurses without a limit, reads numbers that are cut off as zeros, and
needs four times as long, with thousands of messages a second.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .frames import WrongError

_BUNDLE = b"#bundle\0"
_HEADER = len(_BUNDLE) + 8  # with the time tag
_INT, _LONG = struct.Struct(">i"), struct.Struct(">q")
_FLOAT, _DOUBLE = struct.Struct(">f"), struct.Struct(">d")
_NUMBERS = {ord("i"): _INT, ord("f"): _FLOAT, ord("h"): _LONG, ord("d"): _DOUBLE}
_CONSTANTS = {ord("T"): True, ord("F"): False, ord("N"): None}
_TEXT = ord("s")
_CUT = "an OSC message is cut off or bytes follow it"
_DEEPEST = 4  # bundles in bundles
MAX_MESSAGES = 1024  # in one packet
_MAX_ARGUMENTS = 32

Argument = int | float | str | bool | None


@dataclass(slots=True)
class OscMessage:
    """One message."""

    address: str
    arguments: tuple[Argument, ...]


def messages(packet: bytes, prefix: bytes) -> list[OscMessage]:
    """Return all messages whose address begins with `prefix`, in order. Raises WrongError."""
    found = []
    for count, raw in enumerate(_raw_messages(packet, 0)):
        if count >= MAX_MESSAGES:
            raise WrongError("the datagram has too many messages")
        if raw.startswith(prefix):
            found.append(_message(raw))
    return found


def _raw_messages(packet: bytes, depth: int) -> Iterator[bytes]:
    if len(packet) % 4:
        raise WrongError("the length is not that of an OSC packet")
    if packet.startswith(b"/"):
        yield packet
        return
    if not packet.startswith(_BUNDLE) or len(packet) < _HEADER:
        raise WrongError("the datagram is not an OSC packet")
    if depth >= _DEEPEST:
        raise WrongError("bundles are nested too deep")
    position = _HEADER
    while position < len(packet):
        size = _INT.unpack_from(packet, position)[0]
        position += _INT.size
        if not 0 < size <= len(packet) - position:
            raise WrongError("a size in a bundle is not valid")
        yield from _raw_messages(packet[position : position + size], depth + 1)
        position += size


def _message(raw: bytes) -> OscMessage:
    address, position = _text(raw, 0)
    if position == len(raw):
        return OscMessage(address, ())  # so old senders write a message without arguments
    start = position
    end, position = _end_of_text(raw, start)
    types = raw[start:end]
    if (numbers := _name_and_numbers(types)) is not None:  # nearly all of an avatar's messages
        name, position = _text(raw, position)
        if len(raw) - position == numbers.size:
            return OscMessage(address, (name, *numbers.unpack_from(raw, position)))
        raise WrongError(_CUT)
    return OscMessage(address, _arguments(raw, types, position))


@lru_cache(maxsize=64)
def _name_and_numbers(types: bytes) -> struct.Struct | None:
    """Return the struct of the numbers where arguments are a text and numbers: ",sfffffff"."""
    if not types.startswith(b",s") or not 2 < len(types) <= _MAX_ARGUMENTS + 1:
        return None
    rest = types[2:]
    if not set(rest) <= _NUMBERS.keys():
        return None
    return struct.Struct(">" + "".join(_NUMBERS[kind].format[1:] for kind in rest))


def _arguments(raw: bytes, types: bytes, position: int) -> tuple[Argument, ...]:
    if not types.startswith(b","):
        raise WrongError("an OSC message is not valid")
    if len(types) > _MAX_ARGUMENTS + 1:
        raise WrongError("an OSC message has too many arguments")
    arguments: list[Argument] = []
    for kind in types[1:]:
        if (number := _NUMBERS.get(kind)) is not None:
            if len(raw) - position < number.size:
                raise WrongError(_CUT)
            arguments.append(number.unpack_from(raw, position)[0])
            position += number.size
        elif kind == _TEXT:
            text, position = _text(raw, position)
            arguments.append(text)
        elif kind in _CONSTANTS:
            arguments.append(_CONSTANTS[kind])
        else:
            raise WrongError("an OSC message has an argument of an unknown type")
    if position != len(raw):
        raise WrongError(_CUT)
    return tuple(arguments)


def _end_of_text(raw: bytes, start: int) -> tuple[int, int]:
    """Return the end of the text, without and with its padding to a multiple of four."""
    end = raw.find(b"\0", start)
    if end < 0:
        raise WrongError(_CUT)
    return end, (end // 4 + 1) * 4  # within the message: its length is such a multiple


def _text(raw: bytes, start: int) -> tuple[str, int]:
    end, after = _end_of_text(raw, start)
    try:
        return raw[start:end].decode(), after
    except UnicodeDecodeError:
        raise WrongError("an OSC message has a text that is not UTF-8") from None
