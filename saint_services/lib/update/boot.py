"""Reads the running slot and whether it is on trial, disarms the dead-man timer of the initrd,
requests the restart. Not here: the restart itself (saint-reboot.service).
"""

import errno
import os
import re
from collections.abc import Mapping
from pathlib import Path

from ..machine import power

DEADMAN_S = 300.0  # as in image/boot/boot.cmd, and in the initrd without a word of the kernel line
_NO_TIMER = (errno.ENOENT, errno.ENXIO)  # this machine has none; it was disarmed before


# In release.env; the stage for Raspberry Pi OS (image/pi-gen) writes it.
SYSTEM_VARIABLE, RASPBERRY_PI_OS = "SAINT_SYSTEM", "raspberry-pi-os"


def is_without_slots(environment: Mapping[str, str] = os.environ) -> bool:
    """Return True where the release says that it lies on Raspberry Pi OS."""
    return environment.get(SYSTEM_VARIABLE) == RASPBERRY_PI_OS


def booted_slot(cmdline: Path = Path("/proc/cmdline")) -> str:
    """Return the letter that the boot script gave the kernel; empty on a machine without slots."""
    found = re.search(r"(?:^|\s)rauc\.slot=(\S{1,16})", _line(cmdline))
    return found[1] if found else ""


def deadman_s(cmdline: Path = Path("/proc/cmdline")) -> float | None:
    """Return after how many seconds of a trial the dead-man timer restarts this machine; None
    without slots. As for the initrd, the last word counts (boot.env stands behind the default), and
    one that is not a time from 100 to 999999 s stands for the default."""
    if not booted_slot(cmdline):
        return None
    words = re.findall(r"(?:^|\s)saint\.deadman=(\S*)", _line(cmdline))
    is_time = bool(words) and re.fullmatch("[1-9][0-9]{2,5}", words[-1])
    return float(words[-1]) if is_time else DEADMAN_S


def _line(cmdline: Path) -> str:
    try:
        return cmdline.read_text("ascii", "replace")
    except OSError:
        return ""


def is_on_trial(cmdline: Path = Path("/proc/cmdline"), run: Path = Path("/run")) -> bool:
    """Return whether the initrd found a slot that has not passed here. A machine without slots has
    no trials."""
    return bool(booted_slot(cmdline)) and not (run / "saint-proven").exists()


class Boot:
    """The dead-man timer and the restart of this machine."""

    def __init__(self, deadman: Path | None = None, requests: Path | None = None) -> None:
        environment = os.environ
        self._deadman = deadman or Path(environment.get("SAINT_DEADMAN", "/run/saint-deadman"))
        self._requests = requests or power.requests_folder()

    def disarm(self) -> str:
        """Disarm the dead-man timer; return why that failed, or an empty text. A machine without a
        timer is not a failure."""
        try:
            descriptor = os.open(self._deadman, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as err:
            if err.errno in _NO_TIMER:
                return ""
            return f"{self._deadman} cannot be written: {err.strerror}"
        try:
            os.write(descriptor, b"good\n")
        except OSError as err:
            return f"{self._deadman} cannot be written: {err.strerror}"
        finally:
            os.close(descriptor)
        return ""

    def flush(self) -> None:
        """Sync what the installer wrote without waiting for the card: its own record, the boot
        loader's list. Only on a machine with slots; a simulation would flush its host's disks."""
        if booted_slot():
            os.sync()

    def restart(self, reason: str) -> None:
        """Request a restart. Raises SaintError when no service would read the request."""
        power.request(power.PowerAction.REBOOT, reason, self._requests)
