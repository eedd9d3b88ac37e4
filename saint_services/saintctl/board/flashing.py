"""Writes this release's firmware onto a board, with programs that the owner installs: mpremote for
our files, esptool for MicroPython itself. Never while the wagon is armed.
"""

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...lib.errors import Code, SaintError
from . import board_files
from .boards import read_status

_PACKAGES = {"mpremote": "mpremote", "esptool": "esptool"}
_LIMIT_S: Final = 300.0
_CHIP = "esp32s3"
_FATAL: Final = "A fatal error occurred: "  # esptool, before its reason
_FORGET = "import os; 'main.py' in os.listdir() and os.remove('main.py')"


@dataclass(frozen=True, slots=True)
class WrittenBoard:
    """What was written, and the firmware that was there before; "" where none replied."""

    version: str
    before: str


def check_at_rest(device: str, board: str, *, is_blank: bool) -> str:
    """Check that the board is the one meant, and not armed; return its firmware's version, or "".
    Raises SaintError.

    `is_blank`: it has no firmware of ours, so no reply is expected; one that does reply counts.
    """
    try:
        status = read_status(device).status
    except SaintError as err:
        if is_blank and err.code is Code.HARDWARE_MISSING:
            return ""
        raise
    if status is None or status.board != board:
        other = status.board if status else "unknown"
        raise SaintError(
            Code.REFUSED,
            f"{device} is the {other} board, not {board}",
            fix="Check which cable goes where: saintctl board list",
        )
    if status.armed:
        raise SaintError(
            Code.REFUSED,
            f"the wagon is armed, so the {board} board is not written",
            fix="Disarm it: the pilot's switch to DISARM, or DISARM on the console.",
        )
    return status.version


def check_not_newer(board: str, before: str) -> None:
    """Check that this release is not older than the board. Raises SaintError."""
    found = board_files.compared(board, before) if before else ""
    if found.startswith("newer"):
        raise SaintError(
            Code.REFUSED,
            f"the {board} board has {before}, which is {found}",
            fix="Update this computer, or say --downgrade to write the older firmware.",
        )


def flash(
    device: str,
    board: str,
    *,
    is_blank: bool = False,
    may_downgrade: bool = False,
    firmware: Path | None = None,
) -> WrittenBoard:
    """Write MicroPython if an image is given, then our files. Blocks for a minute. Raises
    SaintError.

    main.py is removed first and written last: after an interruption the board starts nothing.
    """
    mpremote = program("mpremote")
    esptool = program("esptool") if firmware else ""
    before = check_at_rest(device, board, is_blank=is_blank)
    if not may_downgrade:
        check_not_newer(board, before)
    if firmware:
        run([esptool, "--chip", _CHIP, "--port", device, "write_flash", "0", str(firmware)])
    with tempfile.TemporaryDirectory(prefix="saint-board-") as made:
        folder = Path(made)
        for name, content in board_files.files(board).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        connect = [mpremote, "connect", device]
        run([*connect, "exec", _FORGET])
        run([*connect, "fs", "cp", "-r", str(folder / "boards"), ":"])
        run([*connect, "fs", "cp", str(folder / "main.py"), ":main.py", "+", "reset"])
    return WrittenBoard(board_files.version(board), before)


def program(name: str) -> str:
    """Return the path of an optional program. Raises not_found."""
    found = shutil.which(name)
    if found is None:
        raise SaintError(
            Code.NOT_FOUND,
            f"writing a board needs the program {name}, which is not installed",
            fix=f"Install it on this computer: pip install {_PACKAGES[name]}",
        )
    return found


def run(command: list[str]) -> None:
    """Run a program. Raises hardware_fault with what it says of its failure."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as err:
        raise _failed(command, str(err)) from err
    if done.returncode:
        said = _reason((done.stderr.strip() or done.stdout.strip()).splitlines())
        raise _failed(command, said or f"exit code {done.returncode}")


def _reason(lines: list[str]) -> str:
    """Return the line that names the failure: esptool says more after it, mpremote nothing."""
    named = [line.partition(_FATAL)[2] for line in lines if _FATAL in line]
    return (named or lines or [""])[-1]


def _failed(command: list[str], reason: str) -> SaintError:
    return SaintError(
        Code.HARDWARE_FAULT,
        f"{Path(command[0]).name} failed: {reason}",
        fix="Check the cable and try again; a board without main.py starts nothing.",
    )
