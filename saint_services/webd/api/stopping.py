"""Decides which messages request the e-stop, however malformed they are: in doubt the robot stops.
Only a valid message with `enable: false` requests its clear. Not here: what a stop does.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from ...lib.api.webd.system import EStop

GROUP, ACTION = "system", "estop"
UNREADABLE = "malformed stop message"
_PLACES = ("type", "target", "action")
_WORDS = {"estop", "emergencystop"}
_NO_LETTER = re.compile(r"[^a-z]")
_ADDRESS = re.compile(r"""\b(?:type|target|action)\W{0,8}?[:=]\s{0,8}["']?([\w -]{4,32})""")
_LONGEST_REASON = 200


def is_meant(message: Mapping[str, Any]) -> bool:
    """Return whether one of the words that address a message is the stop's."""
    return any(_is_word(message.get(place)) for place in _PLACES)


def is_named(text: str) -> bool:
    """Return whether the stop is addressed in a text that cannot be read as a message."""
    return _is_word(text) or any(_is_word(word) for word in _ADDRESS.findall(text))


def is_addressed(text: str) -> bool:
    """Return whether a message that is refused addresses the stop, however its JSON is written."""
    if is_named(text):
        return True
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and is_meant(found)


def of_unsound(given: object) -> EStop:
    """Return the stop for malformed parameters, with their reason where they have one."""
    reason = given.get("reason") if isinstance(given, Mapping) else None
    text = reason[:_LONGEST_REASON] if isinstance(reason, str) else ""
    return EStop(enable=True, reason=text.encode(errors="replace").decode() or UNREADABLE)


def _is_word(given: object) -> bool:
    return isinstance(given, str) and _NO_LETTER.sub("", given[:64].lower()) in _WORDS
