"""Reads and writes lines of candump's logs: `(0.000000) can0 0000090A#00003039FFCB036C`. Pure.

Three digits are an 11-bit identifier, eight a 29-bit one, or an error of the bus where bit 29 is
set (can-utils, lib.h; Linux uapi can.h).
"""

import re
from dataclasses import dataclass
from typing import Final

from .frame import CanFrame

ERROR_FLAG: Final = 1 << 29
_LINE: Final = re.compile(
    rb"\((?P<s>\d{1,12})\.(?P<us>\d{1,9})\)\s+(?P<bus>\S{1,32})\s+"
    rb"(?P<id>[0-9A-Fa-f]{3}|[0-9A-Fa-f]{8})(?P<mark>##?)(?P<data>[^\s]*)(?:\s+[RT])?"
)


@dataclass(frozen=True, slots=True)
class CanLogLine:
    """One line; `refused` says why it is no data frame of classic CAN; then `data` is empty."""

    t_us: int
    bus: str
    id: int
    is_extended: bool
    data: bytes = b""
    refused: str = ""


def parse(line: bytes) -> CanLogLine | None:
    """Return what a line says; None for text of another form."""
    found = _LINE.fullmatch(line.strip())
    if found is None:
        return None
    digits, data = found["id"], found["data"].decode(errors="replace")
    identifier = int(digits, 16)
    t_us = int(found["s"]) * 1_000_000 + int(found["us"].ljust(9, b"0")) // 1000
    bus = found["bus"].decode(errors="replace")
    is_extended = len(digits) == 8
    if refused := _no_data_frame(identifier, is_extended, found["mark"], data):
        return CanLogLine(t_us, bus, identifier, is_extended, refused=refused)
    try:
        return CanLogLine(t_us, bus, identifier, is_extended, bytes.fromhex(data))
    except ValueError:
        return None


def _no_data_frame(identifier: int, is_extended: bool, mark: bytes, data: str) -> str:
    if is_extended and identifier & ERROR_FLAG:
        return "the line reports an error of the bus, not a frame"
    if mark == b"##":
        return "a frame of CAN FD is not supported"
    if data[:1] in ("R", "r"):
        return "a remote frame has no data"
    return ""


def written(frame: CanFrame, t_us: int, bus: str) -> str:
    """Return the line of a frame."""
    identifier = f"{frame.id:08X}" if frame.is_extended else f"{frame.id:03X}"
    seconds, rest = divmod(t_us, 1_000_000)
    return f"({seconds}.{rest:06d}) {bus} {identifier}#{frame.data.hex().upper()}"
