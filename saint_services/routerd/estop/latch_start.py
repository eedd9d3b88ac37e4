"""The e-stop latch at the start of the router: as it was stored, and active if that is in doubt.
Only the very first start of a robot, with an empty state folder, begins with an open latch. Not
here: the format of the file (latch_file.py).
"""

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path

from ...lib.errors import SaintError
from ...lib.state import write_atomic
from ..state import decode_latch
from . import latch_file
from .latch import Latch, raised
from .latch_file import LatchFile

SOURCE = "routerd"  # of the press when the stored e-stop is in doubt
MARKER = "estop.has-run"  # this robot has run; every press since the last start is above it
_OURS = (latch_file.NAME, f".{latch_file.NAME}.new")
# Above every generation since the last start: a lost latch must not begin below it.
_MARGIN = 1_000_000
_AHEAD = 1000  # more presses than one process publishes while its disk hangs


@dataclass(frozen=True, slots=True)
class LatchStart:
    """The latch to begin with, and why the stored one is in doubt; empty when it is not."""

    latch: Latch
    doubt: str = ""


def after_start(directory: Path, wall_s: int) -> LatchStart:
    """Read the stored latch; return an active one if the file is missing or damaged."""
    try:
        content = LatchFile(directory).read()
    except FileNotFoundError:
        traces = _traces(directory)
        if not traces:
            return LatchStart(Latch(generation=wall_s))
        names = ", ".join(sorted(each.name for each in traces)[:3])
        doubt = f"{latch_file.NAME} is missing, and this robot has run before ({names} is there)"
        return _stopped(Latch(generation=_lost(directory, wall_s)), doubt)
    if content.payload is None:
        return _stopped(Latch(generation=_lost(directory, wall_s)), content.problem)
    try:
        latch = decode_latch(content.payload)
    except SaintError as err:
        return _stopped(Latch(generation=_lost(directory, wall_s)), err.message)
    # Also above what the processes before published since the latch was stored last.
    before = max(0, _marked(directory) - latch.generation)
    latch = replace(latch, ahead=before + _AHEAD)
    return _stopped(latch, content.problem) if content.problem else LatchStart(latch)


def leave_marker(directory: Path, latch: Latch) -> None:
    """Record that this robot has run, and above which generation its presses are. Call it before
    any press is published. A full disk does not prevent the start: other files of the state folder
    prove the same.
    """
    with contextlib.suppress(OSError):
        write_atomic(directory / MARKER, f"{latch.generation + latch.ahead}\n".encode())


def _stopped(latch: Latch, doubt: str) -> LatchStart:
    reason = f"the stored e-stop is in doubt, so the robot starts stopped: {doubt}"
    return LatchStart(raised(latch, SOURCE, reason, is_repeat=True), doubt)


def _traces(directory: Path) -> list[Path]:
    """Return files that exist only if the robot has run before, or the folder itself if it cannot
    be read.
    """
    try:
        return [each for each in directory.iterdir() if each.name not in _OURS]
    except FileNotFoundError:
        return []
    except OSError:
        return [directory]


def _lost(directory: Path, wall_s: int) -> int:
    """Return a generation above every one that roles may remember, even if the clock is wrong."""
    known = [wall_s, _marked(directory)]
    for each in (*_traces(directory), directory / latch_file.NAME):
        with contextlib.suppress(OSError):
            known.append(int(each.stat().st_mtime))
    return max(known) + _MARGIN


def _marked(directory: Path) -> int:
    try:
        return min(int((directory / MARKER).read_bytes()[:20]), 2**62)
    except (OSError, ValueError):
        return 0
