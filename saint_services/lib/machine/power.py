"""Requests a restart or power-off of this machine, or a restart of its services. A daemon has no
privilege for that: it writes the reason to a file in a folder that a path unit watches
(saint-reboot.path, saint-poweroff.path, saint-restart.path). In a simulation the launcher watches.
"""

import os
from enum import StrEnum
from pathlib import Path

from ..errors import Code, SaintError
from ..state import write_atomic

_LONGEST_REASON = 200


class PowerAction(StrEnum):
    """Each value is the name of its request file."""

    REBOOT = "request"
    POWER_OFF = "poweroff"
    RESTART = "restart"  # the services of the server


def requests_folder() -> Path:
    """Return the folder for request files."""
    return Path(os.environ.get("SAINT_REBOOT_DIR", "/run/saint-reboot"))


def request(action: PowerAction, reason: str, requests: Path | None = None) -> None:
    """Write a request file. Raises SaintError if nothing could read it. Blocks."""
    path = (requests or requests_folder()) / action
    line = " ".join(reason.split())[:_LONGEST_REASON] + "\n"
    try:
        if not path.parent.is_dir():
            raise FileNotFoundError(2, "the folder does not exist")
        write_atomic(path, line.encode(), mode=0o640)
    except OSError as err:
        raise SaintError(
            Code.INTERNAL,
            f"{path} cannot be written: {err.strerror}",
            fix="Restart this machine by hand.",
        ) from err
