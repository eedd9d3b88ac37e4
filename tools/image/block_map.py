"""Writes the block map (.bmap, version 2.0) beside a disk image: what bmaptool must write.
The rest is the empty slot and the room behind the full one.

Zeros within a file system count as content: a card has been used before, and an inode table or
file allocation table of old bytes is no empty one. So does the beginning of the empty slot, or the
boot loader might find an earlier system there.
"""

import hashlib
from pathlib import Path

from .disk import Layout

_BLOCK_BYTES = 4096
_MIB = 1 << 20
_WIPED_MIB = 4
_NO_HASH = "0" * 64


def ranges(layout: Layout, slot_bytes: int) -> list[range]:
    """Blocks up to the end of the slot, the head of the empty one, and the data partition."""
    edges = (
        (0, layout.slot_a * _MIB + slot_bytes),
        (layout.slot_b * _MIB, (layout.slot_b + _WIPED_MIB) * _MIB),
        (layout.data * _MIB, layout.end * _MIB),
    )
    return [range(start // _BLOCK_BYTES, -(-end // _BLOCK_BYTES)) for start, end in edges]


def text(image: Path, mapped: list[range]) -> str:
    """The file's content; the hash of the file itself is made with zeros in its place."""
    size = image.stat().st_size
    lines = [f'<Range chksum="{_hash(image, part)}"> {_span(part)} </Range>' for part in mapped]
    head = f"""\
<?xml version="1.0" ?>
<bmap version="2.0">
    <ImageSize> {size} </ImageSize>
    <BlockSize> {_BLOCK_BYTES} </BlockSize>
    <BlocksCount> {-(-size // _BLOCK_BYTES)} </BlocksCount>
    <MappedBlocksCount> {sum(map(len, mapped))} </MappedBlocksCount>
    <ChecksumType> sha256 </ChecksumType>
    <BmapFileChecksum> {_NO_HASH} </BmapFileChecksum>
    <BlockMap>
"""
    whole = head + "\n".join(" " * 8 + line for line in lines) + "\n    </BlockMap>\n</bmap>\n"
    return whole.replace(_NO_HASH, hashlib.sha256(whole.encode()).hexdigest(), 1)


def _span(part: range) -> str:
    return f"{part.start}-{part.stop - 1}"


def _hash(image: Path, part: range) -> str:
    total = hashlib.sha256()
    with image.open("rb") as file:
        file.seek(part.start * _BLOCK_BYTES)
        missing = len(part) * _BLOCK_BYTES
        while missing and (chunk := file.read(min(missing, _MIB))):
            total.update(chunk)
            missing -= len(chunk)
    return total.hexdigest()
