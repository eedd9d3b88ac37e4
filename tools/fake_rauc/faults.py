"""Faults that a user or a test requests: one word in a file, taken by the next installation.
Not here: what a fault does (installer.py), releases that are broken (bundle_writer.py's `meta`).
"""

import contextlib
from enum import StrEnum
from pathlib import Path


class Fault(StrEnum):
    """What happens to the next installation."""

    TRANSIENT = "transient"  # fails once, and not when it is tried again
    SLOW = "slow"  # takes 20 s
    CUT = "cut"  # the power goes while the slot is half written


class Faults:
    """The file of one machine."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "fault"

    def ask_for(self, fault: Fault) -> None:
        """For the next installation."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(fault, encoding="ascii")

    def take(self) -> Fault | None:
        """Return the requested fault and remove the request."""
        with contextlib.suppress(FileNotFoundError, ValueError):
            word = self._path.read_text(encoding="ascii").strip()
            self._path.unlink()
            return Fault(word)
        return None
