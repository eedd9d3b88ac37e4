"""`saintctl teleop decode` and `encode`: the structs of remote operation as lines of JSON."""

import json
from collections.abc import Mapping
from typing import Any, Final, TextIO

from ...lib.binary_layout import BinaryLayout, LayoutError
from ...lib.errors import Code, SaintError
from ...lib.teleop.structs import COMMAND, STATE
from .. import recordings

STRUCTS: Final[dict[str, BinaryLayout[Any]]] = {"command": COMMAND, "state": STATE}


def teleop_decode(struct: str, source: str, out: TextIO) -> int:
    """Write one JSON object per struct. Return the exit code."""
    if struct not in STRUCTS:
        sentence = f"struct {struct!r} is not known"
        raise SaintError(Code.REQUEST_INVALID, sentence, fix=f"Choose one of {', '.join(STRUCTS)}.")
    with recordings.opened(source) as file:
        for number, line in recordings.lines(file, source):
            where = f"{source}, line {number}"
            if "t_us" in line:
                recordings.time_us(line, where)
            out.write(json.dumps(described(struct, recordings.payload(line, where))) + "\n")
            if source == "-":
                out.flush()
    out.flush()
    return 0


def described(struct: str, data: bytes) -> dict[str, Any]:
    """Return the output line of a struct, or of its refusal."""
    layout = STRUCTS[struct]
    try:
        return {"kind": struct} | layout.values(layout.decode(data))
    except LayoutError as err:
        return {"kind": "refused", "reason": str(err)}


def teleop_encode(source: str, out: TextIO) -> int:
    """Write the bytes of one struct, or the reason of a refusal, per line. Return the exit code."""
    return recordings.encoded(source, out, hex_line)


def hex_line(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return the line with a struct's bytes. Raises LayoutError."""
    kind = line.get("kind")
    layout = STRUCTS.get(kind) if isinstance(kind, str) else None
    if layout is None:
        raise LayoutError(f"kind must be {' or '.join(STRUCTS)}")
    return {"hex": layout.encode(layout.of_values(line)).hex()}
