"""`saintctl livelink decode`: prints the frames that livelinkd's decoders find in a recording."""

import json
from collections import defaultdict
from typing import Any, TextIO

from ...lib.errors import Code, SaintError
from ...livelinkd.loss import FrameLoss
from ...livelinkd.protocols import DECODERS, Frame, Refused, make_decoder
from .. import recordings


def livelink_decode(format: str, source: str, out: TextIO) -> int:
    """Write one JSON object per frame or refusal, and a summary. Return the exit code."""
    if format not in DECODERS:
        fix = f"Choose one of {', '.join(DECODERS)}."
        raise SaintError(Code.REQUEST_INVALID, f"format {format!r} is not known", fix=fix)
    decode = make_decoder(format)
    frames = refused = 0
    streams: defaultdict[tuple[str, str], FrameLoss] = defaultdict(FrameLoss)
    with recordings.opened(source) as file:
        for number, line in recordings.lines(file, source):
            where = f"{source}, line {number}"
            recordings.time_us(line, where)
            if line.get("format", format) != format:
                continue  # livelinkd's own recordings may have several formats
            for outcome in decode(recordings.payload(line, where), _sender(line)):
                if isinstance(outcome, Refused):
                    refused += 1
                else:
                    frames += 1
                    streams[outcome.subject, outcome.device].is_late(outcome)
                out.write(json.dumps(described(outcome)) + "\n")
            if source == "-":
                out.flush()
    lost = sum(stream.lost for stream in streams.values())
    summary = {"kind": "summary", "frames": frames, "refused": refused, "lost": lost}
    out.write(json.dumps(summary) + "\n")
    out.flush()
    return 0


def _sender(line: dict[str, Any]) -> str:
    """Return the sender, by which formats of several datagrams are assembled."""
    sender = line.get("from", "")
    return sender if isinstance(sender, str) else ""


def described(outcome: Frame | Refused) -> dict[str, Any]:
    """Return the output line of a frame or refusal."""
    if isinstance(outcome, Refused):
        return {"kind": "refused", "reason": outcome.reason}
    line: dict[str, Any] = {
        "kind": "frame",
        "subject": outcome.subject,
        "device": outcome.device,
        "type": outcome.type,
        "frame": outcome.number,
        "subframe": outcome.subframe,
        "rate": outcome.rate,
        "face": outcome.is_tracked,
    }
    if outcome.is_tracked:
        line["values"] = dict(zip(outcome.names, outcome.values, strict=True))
    return line
