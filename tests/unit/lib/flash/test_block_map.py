"""The block map beside an image: what is left out of a card, and what never is."""

import hashlib
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.flash.block_map import BlockMap, beside
from saint_services.lib.flash.compare import compare
from saint_services.lib.flash.writer import Target

from .flash_images import MIB, disk_image

pytestmark = pytest.mark.slow

HEAD = disk_image(small=True)
TAIL = b"\7" * (4 * MIB)
# Content, then twelve empty mebibytes, then content again.
IMAGE = HEAD.ljust(-(-len(HEAD) // (4 * MIB)) * 4 * MIB, b"\0") + bytes(12 * MIB) + TAIL
EMPTY = range(len(IMAGE) - 16 * MIB, len(IMAGE) - 4 * MIB)
MAP = BlockMap((range(EMPTY.start), range(EMPTY.stop, len(IMAGE))))


def text(*ranges: str, block: int = 4096) -> str:
    lines = "".join(f'<Range chksum="{"ab" * 32}"> {each} </Range>\n' for each in ranges)
    zeros = "0" * 64
    whole = (
        f'<?xml version="1.0" ?>\n<bmap version="2.0">\n<BlockSize> {block} </BlockSize>\n'
        f"<BmapFileChecksum> {zeros} </BmapFileChecksum>\n<BlockMap>\n{lines}</BlockMap>\n</bmap>\n"
    )
    return whole.replace(zeros, hashlib.sha256(whole.encode()).hexdigest())


def test_map_is_found_beside_the_packed_image(tmp_path: Path) -> None:
    (tmp_path / "saint-os-1.0.img.bmap").write_text(text("0-1", "7"))
    found = beside(tmp_path / "saint-os-1.0.img.zst")
    assert found == beside(tmp_path / "saint-os-1.0.img")
    assert found.mapped == (range(8192), range(7 * 4096, 8 * 4096))


def test_image_without_a_map_is_written_whole(tmp_path: Path) -> None:
    assert not beside(tmp_path / "saint.img.zst").may_skip(1 << 30, bytes(4096))


@pytest.mark.parametrize("damage", ["0-1", "4096", "</Range>", "<BlockSize>"])
def test_damaged_map_is_refused(tmp_path: Path, damage: str) -> None:
    (tmp_path / "saint.img.bmap").write_text(text("0-1", "7").replace(damage, "0-2"))
    with pytest.raises(SaintError, match="is no block map") as caught:
        beside(tmp_path / "saint.img")
    assert "Remove it" in caught.value.fix


def test_random_bytes_are_no_map(tmp_path: Path) -> None:
    (tmp_path / "saint.img.bmap").write_bytes(bytes(range(256)) * 100)
    with pytest.raises(SaintError, match="is no block map"):
        beside(tmp_path / "saint.img")


def test_only_zeros_outside_of_every_range_are_left_out() -> None:
    assert MAP.may_skip(EMPTY.start, bytes(4 * MIB))
    assert not MAP.may_skip(EMPTY.start, bytes(4 * MIB - 1) + b"\1")  # the map of another image
    assert not MAP.may_skip(EMPTY.start - 1, bytes(4 * MIB))
    assert not MAP.may_skip(EMPTY.stop - 1, bytes(4 * MIB))


def chunks(image: bytes = IMAGE) -> list[bytes]:
    return [image[place : place + 4 * MIB] for place in range(0, len(image), 4 * MIB)]


def test_card_keeps_what_it_had_where_the_image_is_empty_and_verifies(tmp_path: Path) -> None:
    card = tmp_path / "card.img"
    card.write_bytes(b"\xaa" * len(IMAGE))
    with Target(card) as target:
        target.is_disk = True  # a file would be cut off, and be sparse
        target.size_bytes = len(IMAGE)
        target._forget = lambda: None  # type: ignore[method-assign]  # of a disk
        written = target.write(iter(chunks()), lambda _: None, MAP)
        target.verify(written, lambda _: None)
    found = card.read_bytes()
    assert found[: EMPTY.start] == IMAGE[: EMPTY.start]
    assert found[EMPTY.stop :] == TAIL
    assert found[EMPTY.start : EMPTY.stop] == b"\xaa" * len(EMPTY)
    assert written.sha256 == hashlib.sha256(IMAGE).hexdigest()
    assert compare(iter(chunks()), card, lambda _: None, MAP).first_difference_bytes is None
    assert compare(iter(chunks()), card, lambda _: None).first_difference_bytes == EMPTY.start
