"""Lists the disks of this computer, and why one must not be overwritten. Reads /sys and /proc only.
A disk is offered when it is removable (a card, a stick) and not in use. Not here: opening it, where
the kernel is queried once more (writer.py).
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import Code, SaintError

_VIRTUAL = re.compile(r"^(ram|zram|dm-|md|sr|fd|nbd)|boot\d+$|rpmb$")  # never a card
_SECTOR_BYTES = 512  # the unit of /sys, whatever the disk uses


@dataclass(frozen=True, slots=True)
class Disk:
    """One whole disk."""

    name: str
    size_bytes: int
    model: str
    connection: str  # "USB", "SD", "internal", "loop"
    is_read_only: bool
    uses: tuple[str, ...]  # "/dev/sdb1 is mounted on /media/card"

    @property
    def path(self) -> Path:
        """The device file."""
        return Path("/dev") / self.name

    @property
    def refusal(self) -> str:
        """Why it must not be overwritten; empty when it may be."""
        if self.connection == "internal":
            return f"{self.path} ({self.model}) is built into this computer"
        if self.is_read_only:
            return f"{self.path} is write-protected: look for the card's slide switch"
        return self.uses[0] if self.uses else ""


class Disks:
    """The disks as the kernel lists them."""

    def __init__(self, sysfs: Path = Path("/sys"), proc: Path = Path("/proc")) -> None:
        self._block = sysfs / "block"
        self._proc = proc

    def find(self) -> list[Disk]:
        """Return all real disks with a medium in them, and loop devices."""
        if not self._block.is_dir():
            raise SaintError(
                Code.NOT_FOUND,
                "this computer does not list its disks in /sys: it does not run Linux",
                fix="Use Raspberry Pi Imager with the release's os_list.json.",
            )
        names = sorted(p.name for p in self._block.iterdir() if not _VIRTUAL.search(p.name))
        disks = [self._disk(name) for name in names]
        return [disk for disk in disks if disk.size_bytes]

    def named(self, path: Path) -> Disk:
        """Return the disk to overwrite. Raises SaintError with the reason when it must not be."""
        real = path.resolve()
        for disk in self.find():
            parts = {part.name for part in self._partitions(disk.name)}
            if real.name in parts:
                what = f"{path} is a partition of {disk.path}"
                raise SaintError(Code.DISK_REFUSED, what, fix=f"Name the disk: {disk.path}")
            if real.name == disk.name:
                if disk.refusal:
                    raise SaintError(Code.DISK_REFUSED, disk.refusal, fix=_fix(disk))
                return disk
        raise SaintError(
            Code.NOT_FOUND,
            f"the disk {path} does not exist",
            fix="saintctl image list shows the disks that may be overwritten.",
        )

    def _disk(self, name: str) -> Disk:
        folder = self._block / name
        vendor = _text(folder / "device/vendor")
        model = _text(folder / "device/model") or _text(folder / "device/name")
        return Disk(
            name=name,
            size_bytes=int(_text(folder / "size") or 0) * _SECTOR_BYTES,
            model=" ".join(f"{vendor} {model}".split()) or "no name",
            connection=self._connection(folder),
            is_read_only=_text(folder / "ro") == "1",
            uses=tuple(self._uses(name)),
        )

    def _connection(self, folder: Path) -> str:
        if folder.name.startswith("loop"):
            return "loop"
        if re.search(r"/usb\d+/", os.path.realpath(folder)):
            return "USB"
        if _text(folder / "device/type") == "SD":
            return "SD"
        return "removable" if _text(folder / "removable") == "1" else "internal"

    def _partitions(self, name: str) -> list[Path]:
        return sorted(p for p in (self._block / name).glob(f"{name}*") if p.is_dir())

    def _uses(self, name: str) -> Iterator[str]:
        """Return a sentence for each use of this disk."""
        for part in [self._block / name, *self._partitions(name)]:
            number = _text(part / "dev")
            for place in self._mounts(number, f"/dev/{part.name}"):
                yield f"/dev/{part.name} is mounted on {place}"
            if f"/dev/{part.name}" in self._swaps():
                yield f"/dev/{part.name} is this computer's swap space"
            holders = part / "holders"
            for holder in sorted(holders.iterdir()) if holders.is_dir() else []:
                yield f"/dev/{part.name} is a part of {_text(holder / 'dm/name') or holder.name}"

    def _mounts(self, number: str, device: str) -> list[str]:
        """Return the mount points of a device, by its number or, for btrfs and the like, by its
        name."""
        lines = _text(self._proc / "self/mountinfo").splitlines()
        rows = [line.split() for line in lines]
        found = [row for row in rows if row[2] == number or device in row[row.index("-") :]]
        return [row[4].replace(r"\040", " ") for row in found]

    def _swaps(self) -> list[str]:
        return [line.split()[0] for line in _text(self._proc / "swaps").splitlines()[1:]]


def _fix(disk: Disk) -> str:
    if disk.connection != "internal" and disk.uses and " is mounted on " in disk.uses[0]:
        return f"Unmount it first: umount {disk.uses[0].split()[0]}"
    return "Choose another disk: saintctl image list shows the ones that may be overwritten."


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
