"""The card in a virtual machine: a copy of the image, settings on its FAT, snapshots on top.

The card is a raw file (the image, longer, so that first boot has something to grow into); the
machine writes to a qcow2 file over it, so a card that was prepared once serves many machines.
"""

import struct
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .programs import Programs

_SECTOR_BYTES = 512
_TABLE_AT = 446  # the four entries of an MBR, 16 bytes each
MIB = 1 << 20


def partition(disk: Path, number: int) -> tuple[int, int]:
    """Start and length in bytes of a primary partition."""
    with disk.open("rb") as file:
        file.seek(_TABLE_AT + 16 * (number - 1))
        start, sectors = struct.unpack("<8xII", file.read(16))
    return start * _SECTOR_BYTES, sectors * _SECTOR_BYTES


def copy_sparse(source: Path, target: Path) -> None:
    """A copy that takes no room for zeroes."""
    subprocess.run(
        ["cp", "--sparse=always", "--reflink=auto", str(source), str(target)],
        check=True,
        timeout=300,
    )


class Card:
    """One raw disk file that is ours to change while no machine runs on it."""

    def __init__(self, path: Path, programs: Programs) -> None:
        self.path = path
        self.programs = programs

    @classmethod
    def copy(cls, image: Path, path: Path, programs: Programs, size_mib: int = 0) -> "Card":
        """Flash an image onto a new card of that size (that of the image when smaller)."""
        copy_sparse(image, path)
        if size_mib * MIB > path.stat().st_size:
            with path.open("r+b") as file:
                file.truncate(size_mib * MIB)
        return cls(path, programs)

    def _fat(self) -> str:
        return f"{self.path}@@{partition(self.path, 1)[0]}"

    def put(self, files: Mapping[str, str]) -> None:
        """Write text files into the FAT that the firmware and first boot read."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                source = Path(folder) / name
                source.write_text(text)
                self.programs.run("mcopy", "-o", "-i", self._fat(), str(source), f"::{name}")

    def get(self, name: str) -> str:
        return self.get_bytes(name).decode()

    def get_bytes(self, name: str) -> bytes:
        return self.programs.run("mtype", "-i", self._fat(), f"::{name}")

    def overlay(self, path: Path) -> "Overlay":
        """A layer for a machine's writes; what it had before is gone."""
        path.unlink(missing_ok=True)
        self.programs.run(
            "qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", str(self.path), str(path)
        )
        return Overlay(path, self.programs)


class Overlay:
    """What a machine wrote over its card; keeps snapshots, also of its memory."""

    def __init__(self, path: Path, programs: Programs) -> None:
        self.path = path
        self.programs = programs
