"""Puts a disk image together: boot environment, firmware, slot A, an empty slot B, data.

Offsets are a contract with boot.cmd, initrd, RAUC's configuration and every disk in the field.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .boot import environment
from .names import Names
from .tree import Tree

_MIB = 1 << 20
_SECTORS_PER_MIB = 2048
_FIRST_MIB = 4  # before it: partition table, boot environment
_CHUNK = 1 << 20
_DATA_UUID = "5a1e7051-0000-4000-8000-000000000004"
_DATA_SEED = "5a1e7051-0000-4000-8000-000000000005"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where partitions begin, and where the disk ends, in MiB."""

    firmware: int
    slot_a: int
    slot_b: int
    data: int
    end: int

    @classmethod
    def of(cls, names: Names) -> "Layout":
        """The layout that pi-gen.conf describes."""
        slot_a = _FIRST_MIB + names.firmware_mib
        slot_b = slot_a + names.slot_mib
        data = slot_b + names.slot_mib
        return cls(_FIRST_MIB, slot_a, slot_b, data, data + names.data_mib)

    def table(self, disk_id: str) -> str:
        """What sfdisk reads."""
        starts = (self.firmware, self.slot_a, self.slot_b, self.data, self.end)
        kinds = ("c, bootable", "83", "83", "83")
        lines = ["label: dos", f"label-id: 0x{disk_id}"]
        for start, end, kind in zip(starts, starts[1:], kinds, strict=False):
            size = (end - start) * _SECTORS_PER_MIB
            lines.append(f"start={start * _SECTORS_PER_MIB}, size={size}, type={kind}")
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Parts:
    """What goes onto the disk."""

    firmware: Path  # a folder
    slot: Path  # a file system image
    carried: Path | None = None  # the bundle that a fresh server offers to its nodes


def make(parts: Parts, names: Names, tree: Tree, *, target: Path, epoch: int) -> None:
    """Write the disk image, sparse. No loop device and no mount is needed."""
    layout = Layout.of(names)
    target.unlink(missing_ok=True)
    with target.open("wb") as disk:
        disk.truncate(layout.end * _MIB)
    table = target.with_suffix(".sfdisk")
    table.write_text(layout.table(names.disk_id))
    tree.run(["bash", "-euc", 'sfdisk -q "$1" < "$2"', "bash", target, table])
    table.unlink()
    firmware = target.with_suffix(".fat")
    data = target.with_suffix(".data")
    _make_firmware(parts.firmware, names, tree, firmware, epoch)
    _make_data(names, tree, data, epoch, parts.carried)
    block = environment.encode(environment.FIRST)
    with target.open("r+b") as disk:
        for offset in environment.COPIES:
            disk.seek(offset)
            disk.write(block)
        for part, start in (
            (firmware, layout.firmware),
            (parts.slot, layout.slot_a),
            (data, layout.data),
        ):
            for offset, chunk in _filled(part):
                disk.seek(start * _MIB + offset)
                disk.write(chunk)
    firmware.unlink()
    data.unlink()


def _make_firmware(folder: Path, names: Names, tree: Tree, target: Path, epoch: int) -> None:
    """FAT32 whatever its size: the Pi's boot ROM reads no other."""
    variables = {"SOURCE_DATE_EPOCH": str(epoch)}
    target.write_bytes(b"")
    os.truncate(target, names.firmware_mib * _MIB)
    make_fs: list[str | Path] = ["mkfs.fat", "-F", "32", "-s", "1", "--invariant"]
    tree.run([*make_fs, "-i", names.disk_id, "-n", "FIRMWARE", target], variables=variables)
    content = sorted(folder.iterdir())
    tree.run(["mcopy", "-s", "-Q", "-i", target, *content, "::/"], variables=variables)


def _make_data(names: Names, tree: Tree, target: Path, epoch: int, carried: Path | None) -> None:
    """A file system with a journal and the carried bundle; the first boot makes it as large as the
    card."""
    target.write_bytes(b"")
    os.truncate(target, names.data_mib * _MIB)
    variables = {"E2FSPROGS_FAKE_TIME": str(epoch), "SOURCE_DATE_EPOCH": str(epoch)}
    make_fs: list[str | Path] = ["mke2fs", "-q", "-t", "ext4", "-b", "4096", "-m", "0"]
    make_fs += ["-U", _DATA_UUID, "-L", "data", "-J", "size=16"]  # it grows to a whole card
    extended = f"hash_seed={_DATA_SEED},lazy_itable_init=0,lazy_journal_init=0,nodiscard"
    make_fs += ["-E", f"{extended},root_owner=0:0"]
    if carried is not None:
        make_fs += ["-d", _content(carried, target.with_suffix(".content"), epoch)]
    tree.run([*make_fs, target], variables=variables)
    shutil.rmtree(target.with_suffix(".content"), ignore_errors=True)


def _content(carried: Path, folder: Path, epoch: int) -> Path:
    """A folder as the data partition begins. mke2fs takes owners over: the builder is root."""
    shutil.rmtree(folder, ignore_errors=True)
    shipped = folder / "shipped"
    shipped.mkdir(parents=True)
    shutil.copyfile(carried, shipped / carried.name)
    for path, mode in ((shipped / carried.name, 0o644), (shipped, 0o755), (folder, 0o755)):
        path.chmod(mode)
        os.utime(path, (epoch, epoch))
    return folder


def _filled(path: Path) -> Iterator[tuple[int, bytes]]:
    """The chunks that are not all zeros, so that the image stays sparse."""
    empty = bytes(_CHUNK)
    with path.open("rb") as part:
        offset = 0
        while chunk := part.read(_CHUNK):
            if chunk != empty[: len(chunk)]:
                yield offset, chunk
            offset += len(chunk)
