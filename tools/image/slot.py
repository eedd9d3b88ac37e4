"""Makes the image of a slot from a finished tree: a file system and its seal (seal.py).

The order of the files in it matters: what came with the base lies first, our own files last, so
that a change of ours moves nothing else, and an update fetches only what changed.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

from . import seal
from .tree import Tree

_BLOCK = 4096
_MIB = 1 << 20
_STEP_MIB = 32  # sizes stay the same over many releases
# Fixed, so that equal content gives an equal image. Nothing finds a slot by them.
_UUID = "5a1e7051-0000-4000-8000-000000000001"
_HASH_SEED = "5a1e7051-0000-4000-8000-000000000002"
# U-Boot's reader knows none of these; nothing is ever written to a slot while it is mounted.
_FEATURES = "^has_journal,^metadata_csum_seed,^orphan_file,^resize_inode"


@dataclass(frozen=True, slots=True)
class Entry:
    """How a file of the base looked before our own came."""

    size: int
    changed_ns: int


def inventory(root: Path) -> dict[str, Entry]:
    """All files and folders below `root`."""
    return {name: _entry(root / name) for name in _names(root)}


def order(root: Path, base: Mapping[str, Entry]) -> list[str]:
    """What the base brought and nobody changed, sorted; then all else, sorted."""
    everything = sorted(_names(root))
    is_ours = {name: base.get(name) != _entry(root / name) for name in everything}
    return sorted(everything, key=lambda name: is_ours[name])


def make(
    root: Path, tree: Tree, names: list[str], *, target: Path, most_mib: int, epoch: int
) -> None:
    """Write the image. Raises where it would not fit."""
    listing, archive = target.with_suffix(".files"), target.with_suffix(".tar")
    listing.write_bytes(b"".join(name.encode() + b"\0" for name in names))
    pack: list[str | Path] = [
        "tar",
        "--create",
        "--format=gnu",
        "--numeric-owner",
        "--no-recursion",
    ]
    pack += [f"--directory={root}", "--null", f"--files-from={listing}", f"--file={archive}"]
    tree.run(pack)
    size = size_mib(root, names)
    if (needed := seal.sealed_mib(size)) > most_mib:
        raise SaintError(
            Code.CONFIG_INVALID,
            f"the slot needs {needed} MiB, but SAINT_SLOT_MIB={most_mib}",
            fix="Remove packages, or make slots larger: then every device must be flashed again.",
        )
    target.unlink(missing_ok=True)
    with target.open("wb") as image:
        image.truncate(size * _MIB)
    variables = {"E2FSPROGS_FAKE_TIME": str(epoch), "SOURCE_DATE_EPOCH": str(epoch)}
    make_fs: list[str | Path] = ["mke2fs", "-q", "-t", "ext4", "-b", str(_BLOCK), "-m", "0"]
    make_fs += ["-O", _FEATURES, "-U", _UUID, "-L", "rootfs", "-d", archive]
    extended = f"hash_seed={_HASH_SEED},lazy_itable_init=0,nodiscard,root_owner=0:0"
    tree.run([*make_fs, "-E", extended, target], variables=variables)
    # A computer into whose reader the card is put would mount it for writing, and break the seal.
    tree.run(["tune2fs", "-O", "read-only", target], variables=variables)
    tree.run(["e2fsck", "-fn", target])
    seal.apply(target, tree)
    archive.unlink()
    listing.unlink()


def size_mib(root: Path, names: list[str]) -> int:
    """Content in whole blocks, with room for the file system's own, in coarse steps."""
    blocks = 0
    for name in names:
        found = os.lstat(root / name)
        is_stored = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
        blocks += -(-found.st_size // _BLOCK) if is_stored else 0
    needed = blocks * _BLOCK * 21 // 20 + 16 * _MIB
    return -(-needed // (_STEP_MIB * _MIB)) * _STEP_MIB


def _names(root: Path) -> list[str]:
    names = []
    for folder, folders, files in os.walk(root):
        inside = os.path.relpath(folder, root)
        names += [os.path.normpath(os.path.join(inside, name)) for name in folders + files]  # noqa: PTH118
    return names


def _entry(path: Path) -> Entry:
    found = os.lstat(path)
    if stat.S_ISDIR(found.st_mode):
        return Entry(0, 0)
    return Entry(found.st_size, found.st_mtime_ns)
