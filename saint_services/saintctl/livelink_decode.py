"""`saintctl livelink decode`: what livelinkd's decoders find in a recording of datagrams."""

import json
from collections import defaultdict
from typing import Any, TextIO

from ..lib.errors import Code, SaintError
from ..livelinkd.logic import Loss
from ..livelinkd.protocols import Frame, Refused, decode_llf
from . import recordings

_LATER = ("json", "vmc", "ifacialmocap")


def livelink_decode(format: str, source: str, out: TextIO) -> int:
    """Write one JSON object per datagram and a summary; returns the exit code."""
    if format != "llf":
        told = "is not supported yet" if format in _LATER else "is not known"
        raise SaintError(Code.REQUEST_INVALID, f"format {format!r} {told}", fix="Choose llf.")
    frames = refused = 0
    streams: defaultdict[tuple[str, str], Loss] = defaultdict(Loss)
    with recordings.opened(source) as file:
        for number, line in recordings.lines(file, source):
            where = f"{source}, line {number}"
            recordings.time_us(line, where)
            outcome = decode_llf(recordings.payload(line, where))
            if isinstance(outcome, Refused):
                refused += 1
                shown: dict[str, Any] = {"kind": "refused", "reason": outcome.reason}
            else:
                frames += 1
                streams[outcome.subject, outcome.device].is_late(outcome)
                shown = described(outcome)
            out.write(json.dumps(shown) + "\n")
            if source == "-":
                out.flush()
    lost = sum(stream.lost for stream in streams.values())
    summary = {"kind": "summary", "frames": frames, "refused": refused, "lost": lost}
    out.write(json.dumps(summary) + "\n")
    out.flush()
    return 0


def described(frame: Frame) -> dict[str, Any]:
    """The frame as the line that people and scripts read."""
    line: dict[str, Any] = {
        "kind": "frame",
        "subject": frame.subject,
        "device": frame.device,
        "type": frame.type,
        "frame": frame.number,
        "subframe": frame.subframe,
        "rate": frame.rate,
        "face": frame.is_tracked,
    }
    if frame.is_tracked:
        line["values"] = dict(zip(frame.names, frame.values, strict=True))
    return line
