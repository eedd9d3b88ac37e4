"""Computes dm-verity's hash tree (kernel documentation, admin-guide/device-mapper/verity, version
1): SHA-256 over 4096-byte blocks, salt first. Blocks for seconds on a large file: run it in a
thread. Not here: where a bundle stores its tree (bundle.py).
"""

import hashlib
from dataclasses import dataclass
from typing import BinaryIO

BLOCK_BYTES = 4096
_DIGEST_BYTES = 32
_PER_BLOCK = BLOCK_BYTES // _DIGEST_BYTES
_READ_BYTES = 256 * BLOCK_BYTES


@dataclass(frozen=True, slots=True)
class HashTree:
    """A hash tree; `blocks` as on the disk, the highest level first."""

    root: bytes
    blocks: bytes


def hash_tree(data: BinaryIO, size_bytes: int, salt: bytes) -> HashTree:
    """Return the tree over the next `size_bytes` of `data`. Raises ValueError when bytes are
    missing."""
    if size_bytes <= 0 or size_bytes % BLOCK_BYTES:
        raise ValueError(f"{size_bytes} bytes are not a multiple of {BLOCK_BYTES}-byte blocks")
    salted = hashlib.sha256(salt)
    digests = _leaves(data, size_bytes, salted)
    levels: list[bytes] = []
    while len(digests) > _DIGEST_BYTES:
        level = b"".join(
            digests[at : at + BLOCK_BYTES].ljust(BLOCK_BYTES, b"\0")
            for at in range(0, len(digests), BLOCK_BYTES)
        )
        levels.append(level)
        digests = _digests(level, salted)
    return HashTree(root=digests, blocks=b"".join(reversed(levels)))


def tree_bytes(size_bytes: int) -> int:
    """Return the size of the tree over so many bytes."""
    blocks, total = -(-size_bytes // BLOCK_BYTES), 0
    while blocks > 1:
        blocks = -(-blocks // _PER_BLOCK)
        total += blocks
    return total * BLOCK_BYTES


def _leaves(data: BinaryIO, size_bytes: int, salted: "hashlib._Hash") -> bytes:
    found: list[bytes] = []
    rest = size_bytes
    while rest:
        chunk = data.read(min(rest, _READ_BYTES))
        if not chunk or len(chunk) % BLOCK_BYTES:
            raise ValueError(f"{rest - len(chunk)} bytes are missing")
        found.append(_digests(chunk, salted))
        rest -= len(chunk)
    return b"".join(found)


def _digests(blocks: bytes, salted: "hashlib._Hash") -> bytes:
    view = memoryview(blocks)
    found: list[bytes] = []
    for at in range(0, len(blocks), BLOCK_BYTES):
        digest = salted.copy()
        digest.update(view[at : at + BLOCK_BYTES])
        found.append(digest.digest())
    return b"".join(found)
