"""Asks the machine below us to restart, to go off, or to start its services anew. No daemon may do
that itself: it puts a line with its reason into a folder that a path unit watches
(saint-reboot.path and its neighbours). In a simulation the launcher watches.
"""

import os
from enum import StrEnum
from pathlib import Path

from ..errors import Code, SaintError
from ..state import write_atomic

_LONGEST_REASON = 200


class Wish(StrEnum):
    """Each is the name of its file in the folder."""

    REBOOT = "request"
    POWER_OFF = "poweroff"
    RESTART = "restart"  # the services of the server


def folder() -> Path:
    """Where requests are put."""
    return Path(os.environ.get("SAINT_REBOOT_DIR", "/run/saint-reboot"))


def ask(wish: Wish, reason: str, requests: Path | None = None) -> None:
    """Raises SaintError when nobody could read the request. Blocks."""
    path = (requests or folder()) / wish
    line = " ".join(reason.split())[:_LONGEST_REASON] + "\n"
    try:
        if not path.parent.is_dir():
            raise FileNotFoundError(2, "there is no such folder")
        write_atomic(path, line.encode(), mode=0o640)
    except OSError as err:
        raise SaintError(
            Code.INTERNAL,
            f"{path} cannot be written: {err.strerror}",
            fix="Restart this machine by hand.",
        ) from err
