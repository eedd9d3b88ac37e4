"""Settings of the guard, from its environment: it imports no library that reads files."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..lib.guard.ports import header_chip
from ..lib.guard.will import Write, WriteKind

_LINE = re.compile(r"(?:(/[\w/.-]+):)?([0-9]{1,2})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Config:
    """`enable_line` is the line that toggles while every role is well; None for none."""

    enable_line: Write | None = None

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Config":
        """Read SAINT_ENABLE_LINE: a GPIO of the header ("24"), "<GPIO chip>:<line>", "sim:<pins
        file>:<pin>", or nothing. Raises ValueError and OSError."""
        text = environment.get("SAINT_ENABLE_LINE", "")
        if not text:
            return cls()
        kind = WriteKind.RECORD if text.startswith("sim:") else WriteKind.LINE
        match = _LINE.fullmatch(text.removeprefix("sim:"))
        if match is None or int(match[2]) > 27 or (kind is WriteKind.RECORD and not match[1]):
            raise ValueError(f"SAINT_ENABLE_LINE is {text!r}; write 24 for GPIO24")
        return cls(Write(kind, match[1] or header_chip(), int(match[2])))
