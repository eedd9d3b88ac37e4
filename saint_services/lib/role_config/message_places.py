"""Places of numbers in a command message, as a manifest writes them: "target_positions[0]"."""

import re
from typing import Any

from ..errors import Code, SaintError

_PLACE = re.compile(r"([a-z_]\w*)(?:\[(\d+)\])?")

Place = tuple[str | int, ...]


def place(path: str) -> Place:
    """Parse a path: "target_positions[0]" -> ("target_positions", 0)."""
    parts: list[str | int] = []
    for text in path.split("."):
        match = _PLACE.fullmatch(text)
        if match is None:
            raise SaintError(Code.CONFIG_INVALID, f"{path!r} is not a place in a message")
        parts.append(match[1])
        if match[2] is not None:
            parts.append(int(match[2]))
    return tuple(parts)


def get(message: Any, where: Place) -> float | None:
    """Return one number of a message; None if an array is too short."""
    owner = message
    for key in where:
        if isinstance(key, str):
            owner = getattr(owner, key)
        elif key < len(owner):
            owner = owner[key]
        else:
            return None
    return float(owner)
