"""Seals a slot's file system: behind it one block that names its root hash, and the hash tree
(dm-verity) of which that is the root. What the initrd makes of it is in image/initrd.

The kernel and initrd that check the seal lie in the slot and are loaded unchecked: a seal shows a
worn card and whatever changed a slot by accident, not an attacker who holds the card.
"""

import re
import struct
from dataclasses import dataclass
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

from .tree import Tree

BLOCK_BYTES = 4096
_MIB_BLOCKS = (1 << 20) // BLOCK_BYTES
_HASHES_PER_BLOCK = BLOCK_BYTES // 32  # SHA-256
# Fixed, so that equal content gives an equal slot, and an unchanged part of it the same hashes.
_SALT = "5a1e7051" * 4
# Where ext4's superblock has its size (kernel: Documentation/filesystems/ext4).
_SUPERBLOCK_BYTES = 1024
_COUNT, _BLOCK_SIZE, _MAGIC = 4, 24, 56
_EXT4_MAGIC = 0xEF53
_ROOT_HASH = re.compile(r"^Root hash:\s*([0-9a-f]{64})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Seal:
    """What the first block behind the file system says."""

    data_blocks: int
    root_hash: str
    salt: str

    def block(self) -> bytes:
        """One line of text, filled up with zeros: the initrd's shell reads it."""
        line = f"saint-verity 1 {self.data_blocks} {self.root_hash} {self.salt}\n"
        return line.encode("ascii").ljust(BLOCK_BYTES, b"\0")


def sealed_mib(data_mib: int) -> int:
    """How large a file system of that size is with its seal."""
    return data_mib + -(-_added_blocks(data_mib * _MIB_BLOCKS) // _MIB_BLOCKS)


def apply(image: Path, tree: Tree) -> Seal:
    """Seal the file system in that file, again if it was sealed before and has been changed."""
    blocks = file_system_blocks(image)
    end = blocks * BLOCK_BYTES
    with image.open("r+b") as file:
        file.truncate(end)
    command: list[str | Path] = ["veritysetup", "format", "--no-superblock", "--format=1"]
    command += ["--hash=sha256", f"--salt={_SALT}", f"--data-blocks={blocks}"]
    command += [f"--data-block-size={BLOCK_BYTES}", f"--hash-block-size={BLOCK_BYTES}"]
    said = tree.run([*command, f"--hash-offset={end + BLOCK_BYTES}", image, image]).decode()
    found = _ROOT_HASH.search(said)
    if found is None:
        raise SaintError(Code.INTERNAL, f"veritysetup named no root hash for {image}:\n{said}")
    seal = Seal(blocks, found[1], _SALT)
    with image.open("r+b") as file:
        file.seek(end)
        file.write(seal.block())
        whole = -(-(blocks + _added_blocks(blocks)) // _MIB_BLOCKS) * _MIB_BLOCKS
        file.truncate(whole * BLOCK_BYTES)
    return seal


def file_system_blocks(image: Path) -> int:
    """The size of the ext4 at the beginning of that file, by its superblock."""
    with image.open("rb") as file:
        file.seek(_SUPERBLOCK_BYTES)
        found = file.read(_SUPERBLOCK_BYTES)
    is_ext4 = (
        len(found) == _SUPERBLOCK_BYTES
        and struct.unpack_from("<H", found, _MAGIC)[0] == _EXT4_MAGIC
        and 1024 << struct.unpack_from("<I", found, _BLOCK_SIZE)[0] == BLOCK_BYTES
    )
    if not is_ext4:
        raise SaintError(Code.INTERNAL, f"{image} has no ext4 with blocks of {BLOCK_BYTES} bytes")
    count: int = struct.unpack_from("<I", found, _COUNT)[0]
    return count


def _added_blocks(data_blocks: int) -> int:
    """The block of the root hash, and every level of the tree up to a single block."""
    added, level = 1, data_blocks
    while level > 1:
        level = -(-level // _HASHES_PER_BLOCK)
        added += level
    return added
