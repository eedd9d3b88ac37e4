"""Talks to the wagon's boards over their consoles: which are there, what they report, which
firmware they have. Blocks. Not here: writing firmware (flashing.py).
"""

import json
import select
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from ...lib.errors import Code, SaintError
from ...lib.hw.buses.serial import SerialPort, open_serial
from . import board_files

BAUD: Final = 115_200
REPLY_S: Final = 1.0
_ATTEMPTS = 2  # the first line may end one that another program began
_MOST_LINE = 4096
# The document's names, and the USB of an ESP32-S3; no other serial device is opened. The BALANCE
# board's bridge (CH343) is that of servo adapters too, so it needs its name, or --port.
_NAMED = ("esp32-balance", "esp32-io")
_CHIPS = ("303a", "espressif")

BoardName = Literal["balance", "io"]


class ReportedStatus(BaseModel):
    """What a board reports; fields that only one of them has are in `raw`."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    board: BoardName
    version: str
    armed: bool
    uptime_ms: int


@dataclass(frozen=True, slots=True)
class FoundBoard:
    """A board that answered, or why not."""

    port: str
    status: ReportedStatus | None = None
    raw: dict[str, Any] | None = None
    problem: str = ""

    @property
    def firmware(self) -> str:
        """Return how its firmware compares to that of this release, in words."""
        if self.status is None:
            return "-"
        return board_files.compared(self.status.board, self.status.version)


def ports(folder: Path = Path("/dev")) -> list[str]:
    """Return the serial devices that may be boards."""
    named = [folder / name for name in _NAMED if (folder / name).exists()]
    seen = {path.resolve() for path in named}
    by_id = folder / "serial" / "by-id"
    others = sorted(by_id.iterdir()) if by_id.is_dir() else []
    for path in others:
        is_chip = any(chip in path.name.lower() for chip in _CHIPS)
        if is_chip and path.resolve() not in seen:
            named.append(path)
    return [str(path) for path in named]


def found(devices: Iterable[str]) -> list[FoundBoard]:
    """Request the status of each device."""
    boards = []
    for device in devices:
        try:
            boards.append(read_status(device))
        except SaintError as err:
            boards.append(FoundBoard(device, problem=err.message))
    return boards


def read_status(device: str) -> FoundBoard:
    """Return what the board at a serial device reports. Raises SaintError."""
    port = open_serial(device, BAUD)
    try:
        for _ in range(_ATTEMPTS):
            port.write(b"\nSTATUS\n")
            if report := _report(port, device):
                return report
    finally:
        port.close()
    raise SaintError(
        Code.HARDWARE_MISSING,
        f"{device}: no board of the wagon answers",
        fix="Check the USB cable. A board without our firmware: saintctl board flash --blank.",
    )


def _report(port: SerialPort, device: str) -> FoundBoard | None:
    """Return the first status line that arrives in time."""
    end_s, held = time.monotonic() + REPLY_S, b""
    while (left_s := end_s - time.monotonic()) > 0:
        if not select.select([port.fileno()], [], [], left_s)[0]:
            break
        held += port.read()
        *lines, held = held.split(b"\n")
        for line in lines:
            if report := _parsed(line, device):
                return report
        held = held[-_MOST_LINE:]
    return None


def _parsed(line: bytes, device: str) -> FoundBoard | None:
    try:
        raw = json.loads(line)
        status = ReportedStatus.model_validate(raw, strict=True)
    except (ValueError, ValidationError):
        return None
    return FoundBoard(device, status, raw)


def the_port(name: str, folder: Path = Path("/dev")) -> str:
    """Return the device of "balance", "io" or a path. Raises not_found."""
    if "/" in name:
        return name
    path = folder / f"esp32-{name}"
    if name not in ("balance", "io") or not path.exists():
        raise SaintError(
            Code.NOT_FOUND,
            f"no board has the name {name}",
            fix="Name balance, io, or the path of its serial device (saintctl board list).",
        )
    return str(path)
