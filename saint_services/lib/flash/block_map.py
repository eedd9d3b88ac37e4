"""Reads the block map (.bmap) beside an image: what of it a card need not get. Not here: writing
maps (tools/image).
"""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import Code, SaintError

_MOST_BYTES = 1 << 20
_SIZE = re.compile(r"<BlockSize>\s*(\d{1,9})\s*</BlockSize>")
_CHECKSUM = re.compile(r"<BmapFileChecksum>\s*([0-9a-f]{64})\s*</BmapFileChecksum>")
_RANGE = re.compile(r"<Range[^>]{0,200}>\s*(\d{1,12})(?:-(\d{1,12}))?\s*</Range>")
_PACKED = (".zst", ".xz", ".gz")


@dataclass(frozen=True, slots=True)
class BlockMap:
    """Parts of an image that must be written; without any, all of it must be."""

    mapped: tuple[range, ...] = field(default=())  # bytes

    def may_skip(self, offset: int, content: bytes) -> bool:
        """Whether a card may keep what it has there. Content other than zeros is written whatever
        the map says: it may be that of an older image.
        """
        end = offset + len(content)
        if not self.mapped or any(offset < part.stop and part.start < end for part in self.mapped):
            return False
        return not content.strip(b"\0")


def beside(image: Path) -> BlockMap:
    """Read the map of the image, saint.img.bmap for saint.img.zst. Raises for a damaged one."""
    plain = image.with_suffix("") if image.suffix in _PACKED else image
    path = plain.with_name(plain.name + ".bmap")
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode("utf-8", errors="replace")
    except FileNotFoundError:
        return BlockMap()
    except OSError as err:
        raise SaintError(Code.NOT_FOUND, f"{path} cannot be read: {err.strerror}") from err
    size, checksum = _SIZE.search(text), _CHECKSUM.search(text)
    ranges = [_bytes(found, int(size[1])) for found in _RANGE.finditer(text)] if size else []
    if not checksum or not ranges or _own_hash(text, checksum[1]) != checksum[1]:
        what = f"{path} is no block map, or is damaged"
        raise SaintError(Code.REQUEST_INVALID, what, fix="Remove it: all of the image is written.")
    return BlockMap(tuple(ranges))


def _bytes(found: re.Match[str], block_bytes: int) -> range:
    first, last = int(found[1]), int(found[2] or found[1])
    return range(first * block_bytes, (last + 1) * block_bytes)


def _own_hash(text: str, checksum: str) -> str:
    """The map's own hash is made with zeros in its place."""
    return hashlib.sha256(text.replace(checksum, "0" * 64).encode()).hexdigest()
