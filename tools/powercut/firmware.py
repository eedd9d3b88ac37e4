"""Does the firmware partition hold what the machine starts from. FAT has no journal: while the
first boot takes a secret out of the owner's settings there, a cut may lose that one file, which the
machine has copied before, and leave clusters that belong to nobody. Not here: when (judge.py).
"""

import re
from dataclasses import dataclass
from pathlib import Path

from .disks.filesystems import FileSystems
from .facts import SETTINGS_FILE, claim_in, digest

# What a person or the first boot writes; everything else must be there and as it was.
_SETTINGS = {SETTINGS_FILE, "user-data", "network-config", "meta-data"}


@dataclass(frozen=True, slots=True)
class Found:
    """One state of the partition."""

    faults: tuple[str, ...]
    facts: dict[str, str]
    is_untidy: bool  # fsck.fat would have something to do


class Firmware:
    """The partition's files before, to compare with."""

    def __init__(self, systems: FileSystems, image: Path) -> None:
        self._systems = systems
        self._before = {
            name: digest(self._systems.read_fat(image, name) or b"")
            for name in systems.list_fat(image)
            if re.sub(r"^::/", "", name) not in _SETTINGS
        }

    def look(self, image: Path) -> Found:
        """What is wrong with it now, and what the owner's settings on it say."""
        faults = []
        for name, before in self._before.items():
            data = self._systems.read_fat(image, name)
            if data is None or digest(data) != before:
                what = "missing" if data is None else "damaged"
                faults.append(f"{name} on the firmware partition is {what}")
        settings = self._systems.read_fat(image, f"::/{SETTINGS_FILE}") or b""
        facts = claim_in(settings.decode(errors="replace"))
        return Found(tuple(faults), facts, bool(self._systems.check_fat(image)))
