"""OSC packets: bundles to messages to arguments. Not here: what an address means (vmc.py).

The messages are read by python-osc; the bundles are not: its reader of bundles goes back by a
negative size for ever and recurses as deep as the sender wishes. It also fills up numbers that are
cut off, which sizes that are multiples of four exclude.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from .frames import WrongError

_BUNDLE = b"#bundle\0"
_HEADER = len(_BUNDLE) + 8  # with the time tag
_SIZE = struct.Struct(">i")
_DEEPEST = 4  # bundles in bundles
MAX_MESSAGES = 1024  # in one packet
_MAX_ARGUMENTS = 32
_KNOWN = frozenset("ifsdhTFN")

Argument = int | float | str | bool | None


@dataclass(frozen=True, slots=True)
class Message:
    """One message."""

    address: str
    arguments: tuple[Argument, ...]


def messages(packet: bytes, prefix: bytes) -> list[Message]:
    """All messages whose address begins with `prefix`, in order. Raises WrongError."""
    found = []
    for count, raw in enumerate(_raw_messages(packet, 0)):
        if count >= MAX_MESSAGES:
            raise WrongError("it has too many messages")
        if raw.startswith(prefix):
            found.append(_message(raw))
    return found


def _raw_messages(packet: bytes, depth: int) -> Iterator[bytes]:
    if len(packet) % 4:
        raise WrongError("its length is not that of an OSC packet")
    if packet.startswith(b"/"):
        yield packet
        return
    if not packet.startswith(_BUNDLE) or len(packet) < _HEADER:
        raise WrongError("it is not an OSC packet")
    if depth >= _DEEPEST:
        raise WrongError("its bundles are nested too deep")
    position = _HEADER
    while position < len(packet):
        size = _SIZE.unpack_from(packet, position)[0]
        position += _SIZE.size
        if not 0 < size <= len(packet) - position:
            raise WrongError("a size in its bundle is not valid")
        yield from _raw_messages(packet[position : position + size], depth + 1)
        position += size


def _message(raw: bytes) -> Message:
    from pythonosc.osc_message import OscMessage, ParseError  # only who gets OSC needs it

    _check_types(raw)
    try:
        message = OscMessage(raw)
    except (ParseError, ValueError):  # a text that is not UTF-8 comes as the latter
        raise WrongError("an OSC message is not valid") from None
    return Message(message.address, tuple(message.params))


def _check_types(raw: bytes) -> None:
    """The library logs each type that it does not know, and does not limit their number."""
    start = (raw.find(b"\0") // 4 + 1) * 4
    if b"\0" not in raw or start >= len(raw):
        return  # no arguments; the library judges the rest
    end = raw.find(b"\0", start)
    types = raw[start + 1 : end if end >= 0 else len(raw)].decode("ascii", "replace")
    if raw[start : start + 1] != b",":  # older versions of the library let that pass
        raise WrongError("an OSC message is not valid")
    if len(types) > _MAX_ARGUMENTS:
        raise WrongError("an OSC message has too many arguments")
    if not _KNOWN.issuperset(types):
        raise WrongError("an OSC message has an argument of an unknown type")
