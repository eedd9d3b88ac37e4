"""`saintctl rc decode`: prints the frames that rcd's parsers find in a recording."""

import dataclasses
import json
from collections.abc import Iterator
from typing import Any, TextIO

from ...lib.errors import Code, SaintError
from ...rcd.protocols import PARSERS, CrsfFrame, Frame, LinkFrame, Parser, RcFrame
from ...rcd.protocols.crsf_telemetry import KINDS, telemetry
from ...rcd.protocols.ibus import IbusParser
from .. import recordings


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """Protocol and form of a recording."""

    protocol: str
    timed: bool = False
    ibus_18: bool = False
    ibus_ia6: bool = False

    def parser(self) -> Parser:
        """Return the parser. Raises request_invalid for options that do not fit."""
        if self.protocol not in PARSERS:
            raise _misuse(
                f"protocol {self.protocol!r} cannot be decoded",
                f"Choose one of {', '.join(PARSERS)}.",
            )
        if not (self.ibus_18 or self.ibus_ia6):
            return PARSERS[self.protocol]()
        if self.protocol != "ibus":
            raise _misuse(
                f"--ibus-18 and --ibus-ia6 do not apply to {self.protocol}",
                "Leave them out, or choose --protocol ibus.",
            )
        if self.ibus_18 and self.ibus_ia6:
            raise _misuse("an IA6 receiver has no 18 channels", "Leave one of the two out.")
        return IbusParser("ia6" if self.ibus_ia6 else "ia6b", self.ibus_18)


def rc_decode(options: Options, source: str, out: TextIO) -> int:
    """Write one JSON object per frame and a summary. Return the exit code."""
    parser = options.parser()
    read = _timed if options.timed else _at_once
    for frames in read(parser, source):
        for frame in frames:
            out.write(json.dumps(described(frame, options.protocol)) + "\n")
        if frames and source == "-":
            out.flush()
    summary = {
        "kind": "summary",
        "frames": parser.frames,
        "rejected": parser.rejected,
        "discarded_bytes": parser.discarded_bytes,
    }
    out.write(json.dumps(summary) + "\n")
    out.flush()
    return 0


def _at_once(parser: Parser, source: str) -> Iterator[list[Frame]]:
    """Parse all bytes without a pause; start and end count as pauses."""
    with recordings.opened(source) as file:
        for data in recordings.chunks(file, source):
            yield parser.feed(data, 0)
    yield parser.flush()


def _timed(parser: Parser, source: str) -> Iterator[list[Frame]]:
    """Parse lines: each is one read from the port at its time, or a reopening of the port."""
    with recordings.opened(source) as file:
        for number, line in recordings.lines(file, source):
            where = f"{source}, line {number}"
            now_us = recordings.time_us(line, where)
            if line.get("reset") is True:
                yield parser.flush()
                parser.reset()
                if "hex" not in line:
                    continue
            yield parser.feed(recordings.payload(line, where), now_us)
    yield parser.flush()


def described(frame: Frame, protocol: str) -> dict[str, Any]:
    """Return the output line of a frame."""
    if isinstance(frame, LinkFrame):
        return {"kind": "link"} | dataclasses.asdict(frame)
    return _channels(frame, protocol) if isinstance(frame, RcFrame) else _other(frame)


def _channels(frame: RcFrame, protocol: str) -> dict[str, Any]:
    line: dict[str, Any] = {
        "kind": "rc",
        "protocol": protocol,
        "t_us": frame.t_us,
        "raw": frame.raw,
        "us": frame.us,
        "failsafe": frame.failsafe,
        "frame_lost": frame.frame_lost,
    }
    if frame.digital is not None:
        line["digital"] = frame.digital
    if frame.first_channel is not None:
        line["first_channel"] = frame.first_channel
    if frame.address is not None:
        line |= {"address": frame.address, "type": frame.type}
    return line


def _other(frame: CrsfFrame) -> dict[str, Any]:
    content = telemetry(frame)
    if content is None:
        length = len(frame.payload) + 2  # the frame's own length byte counts type and check sum
        return {"kind": "other", "address": frame.address, "type": frame.type, "length": length}
    head = {
        "kind": KINDS[type(content)],
        "t_us": frame.t_us,
        "address": frame.address,
        "type": frame.type,
    }
    return head | dataclasses.asdict(content)


def _misuse(sentence: str, fix: str) -> SaintError:
    return SaintError(Code.REQUEST_INVALID, sentence, fix=fix)
