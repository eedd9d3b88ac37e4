"""Decides which data of a room counts as what: only the configured participant operates, everybody
else may only watch, and stop. Pure.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import inf

COMMANDS, FIELDS, STATE = "commands", "fields", "state"  # topics, as the data channels are called
PRESS_S = 1.0  # between two stops of participants who do not operate
_LONGEST_NAME = 64


class Sender(StrEnum):
    """Who has sent a packet."""

    OPERATOR = "operator"
    OTHER = "other"  # a viewer, or a program of the server without an identity


def sender(identity: str | None, operator: str) -> Sender:
    """Return who a participant is; without a configured operator nobody operates."""
    is_operator = bool(operator) and identity == operator
    return Sender.OPERATOR if is_operator else Sender.OTHER


def channel(topic: str | None, data: bytes) -> str:
    """Return the data channel that a packet belongs to; empty: none. The topic `commands` takes
    both forms, as a sender of a room has no reason for two topics.
    """
    if topic == FIELDS or (topic == COMMANDS and data[:1] == b"{"):
        return FIELDS
    return COMMANDS if topic == COMMANDS else ""


def shown(identity: str | None) -> str:
    """Return a participant's name for logs and pages: the server's operators choose identities."""
    text = "".join(each if each.isprintable() else "?" for each in identity or "")
    return text[:_LONGEST_NAME] or "a program of the LiveKit server"


@dataclass(slots=True)
class PressRule:
    """Lets stops of others through, one in PRESS_S: one stop is enough, a flood fills the log."""

    _at_s: float = -inf

    def is_due(self, now_s: float) -> bool:
        """Return whether this stop is passed on."""
        if now_s - self._at_s < PRESS_S:
            return False
        self._at_s = now_s
        return True


def vp8_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height of a VP8 key picture (RFC 6386, 9.1); None for any other."""
    if len(data) < 10 or data[0] & 1 or data[3:6] != b"\x9d\x01\x2a":
        return None
    width, height = (int.from_bytes(data[at : at + 2], "little") & 0x3FFF for at in (6, 8))
    return (width, height) if width and height else None
