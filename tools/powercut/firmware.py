"""Does the firmware partition hold what the machine starts from. FAT has no journal: while the
first boot takes a secret out of the owner's settings there, a cut may lose that one file, which the
machine has copied before, and leave clusters that belong to nobody. While new boot files are
written, the chosen set stays whole. Not here: when (judge.py).
"""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from saint_services.setup.boot_files import CHOICE, FOLDERS, SUMS, listed

from ..vm.pi_loader import started
from .disks.disk import copy_sparse
from .disks.filesystems import FileSystems
from .facts import SETTINGS_FILE, claim_in, digest

# What a person, the first boot or an update writes; everything else must be there and as it was.
_WRITTEN = {SETTINGS_FILE, "user-data", "network-config", "meta-data", CHOICE}


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
        files = self._read(image)
        self._before = {name: digest(data) for name, data in files.items() if not _is_written(name)}

    def look(self, image: Path) -> Found:
        """What is wrong with it now, for the Pi's loader and after the repair of the initrd; and
        what the owner's settings on it say."""
        files = self._read(image)
        faults = [*self._faults(files)]
        is_untidy = bool(self._systems.check_fat(image))
        if is_untidy:
            faults += [f"{fault}, after the repair" for fault in self._repaired(image)]
        facts = claim_in(files.get(SETTINGS_FILE, b"").decode(errors="replace"))
        if SUMS in files:
            facts["boot-files"] = _chosen(files)
        return Found(tuple(faults), facts, is_untidy)

    def _read(self, image: Path) -> dict[str, bytes]:
        with tempfile.TemporaryDirectory() as folder:
            return self._systems.read_fat(image, Path(folder))

    def _repaired(self, image: Path) -> Iterator[str]:
        with tempfile.TemporaryDirectory(dir=image.parent) as folder:
            copy = Path(folder) / "fat"
            with image.open("rb") as file:
                copy_sparse(file.fileno(), copy)
            self._systems.repair_fat(copy)
            yield from self._faults(self._read(copy))
            if self._systems.check_fat(copy):
                yield "fsck.fat still finds something"

    def _faults(self, files: Mapping[str, bytes]) -> Iterator[str]:
        for name, before in self._before.items():
            if name not in files or digest(files[name]) != before:
                what = "damaged" if name in files else "missing"
                yield f"{name} on the firmware partition is {what}"
        yield from _mixed(files)


def _is_written(name: str) -> bool:
    return name in _WRITTEN or name.partition("/")[0] in FOLDERS


def _mixed(files: Mapping[str, bytes]) -> Iterator[str]:
    """Faults of what the boards start from: one whole set, whatever the board."""
    prefixes = {started(files, name).prefix for name in files if name.endswith(".dtb")}
    for prefix in sorted(prefixes):
        if prefix + SUMS not in files:
            if prefix:
                yield f"the boot files of {prefix} are chosen before they were whole"
            continue
        for name, wanted in listed(files[prefix + SUMS].decode()).items():
            if (data := files.get(prefix + name)) is None or not wanted.startswith(digest(data)):
                yield f"{prefix}{name} is chosen, and not as {SUMS} lists it"


def _chosen(files: Mapping[str, bytes]) -> str:
    tree = next(name for name in files if name.endswith(".dtb") and "/" not in name)
    return digest(files.get(started(files, tree).prefix + SUMS, b""))
