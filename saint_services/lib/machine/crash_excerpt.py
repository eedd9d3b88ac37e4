"""Saves the last log lines of a unit that has failed: the journal is in memory and ends with the
power. Run by saint-crash@.service as `python3 -m saint_services.lib.machine.crash_excerpt UNIT`.
Not here: what the verdict on a release quotes (lib/update/checks.py).
"""

import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from .. import log
from ..clock import wall_s
from ..state import write_atomic

FOLDER = Path("/data/system/crashes")
LONGEST_BYTES = 64 << 10
MOST_FILES = 20
_LINES = 50
_LIMIT_S = 20.0
_UNIT = re.compile(r"saint-[A-Za-z0-9@_.:\\-]{1,100}")
_MODE = 0o640  # readable by the folder's group
_log = log.get("crash")


def keep(unit: str, folder: Path, now_s: float) -> Path:
    """Write the excerpt of one unit and delete the oldest files. Raises OSError."""
    moment = datetime.fromtimestamp(now_s, UTC).strftime("%Y%m%dT%H%M%SZ")
    path = folder / f"{moment}-{unit}.log"
    write_atomic(path, _tail(_logged(unit)), _MODE)
    for old in sorted(folder.glob("*.log"))[:-MOST_FILES]:
        old.unlink(missing_ok=True)
    return path


def _logged(unit: str) -> bytes:
    """Return the unit's last log lines, including how systemd says it ended."""
    command = ["journalctl", "--quiet", "--boot", "--no-pager", "--output=short-iso-precise"]
    command += [f"--lines={_LINES}", f"--unit={unit}.service"]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIMIT_S, check=True
        )
    except subprocess.SubprocessError as err:
        raise OSError(f"the journal cannot be read: {err}") from err
    return done.stdout


def _tail(text: bytes) -> bytes:
    """Return the last complete lines that fit, without terminal control characters."""
    if len(text) > LONGEST_BYTES:
        text = text[-LONGEST_BYTES:].partition(b"\n")[2]
    shown = text.decode("ascii", "replace").replace("\ufffd", "?")
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in shown).encode()


def main(words: list[str], folder: Path) -> int:
    """Save the excerpt of the named unit; return the exit code."""
    if len(words) != 1 or not _UNIT.fullmatch(words[0]):
        _log.error("expected the name of one saint unit", example="saint-webd")
        return 2
    try:
        path = keep(words[0], folder, wall_s())
    except OSError as err:
        _log.error("log excerpt of a failed unit cannot be saved", unit=words[0], error=err)
        return 1
    _log.info("log excerpt of a failed unit saved", unit=words[0], file=path)
    return 0


if __name__ == "__main__":
    log.setup("crash")
    os.umask(0o027)
    sys.exit(main(sys.argv[1:], FOLDER))
