"""`saintctl can decode` and `can encode`: recorded frames to messages, and messages to frames."""

import json
from typing import Any, TextIO

from ...lib.errors import Code, SaintError
from ...lib.hw.can import log_line
from ...lib.hw.can.frame import CanFrame
from .. import recordings
from .lines import described, frame_line, frame_of, refused


def can_decode(source: str, out: TextIO) -> int:
    """Write one JSON object per frame and a summary. Return the exit code."""
    frames = refusals = 0
    with recordings.opened(source) as file:
        for number, raw in recordings.raw_lines(file, source):
            line = decoded_line(raw, f"{source}, line {number}")
            if line["kind"] == "refused":
                refusals += 1
            else:
                frames += 1
            out.write(json.dumps(line) + "\n")
            if source == "-":
                out.flush()
    out.write(json.dumps({"kind": "summary", "frames": frames, "refused": refusals}) + "\n")
    out.flush()
    return 0


def can_encode(source: str, out: TextIO) -> int:
    """Write one frame, or the reason of a refusal, per line. Return the exit code."""
    return recordings.encoded(source, out, lambda line: frame_line(frame_of(line)))


def decoded_line(raw: bytes, where: str) -> dict[str, Any]:
    """Return the output of a recording's line. Raises request_invalid for other text."""
    logged = log_line.parse(raw)
    if logged is not None:
        if logged.refused:
            return refused(logged.id, logged.refused)
        return _of(logged.id, logged.is_extended, logged.data)
    line = recordings.parsed(raw, where)
    if "t_us" in line:
        recordings.time_us(line, where)
    identifier, is_extended = line.get("id"), line.get("extended", False)
    if type(identifier) is not int or not isinstance(is_extended, bool):
        sentence = f"{where}: id must be a whole number, and extended true or false"
        raise SaintError(Code.REQUEST_INVALID, sentence, fix="See saintctl can decode --help.")
    return _of(identifier, is_extended, recordings.payload(line, where))


def _of(identifier: int, is_extended: bool, data: bytes) -> dict[str, Any]:
    try:
        frame = CanFrame(identifier, data, is_extended)
    except ValueError as err:
        return refused(identifier, str(err))
    return described(frame)
