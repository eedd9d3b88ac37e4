"""Writing and reading back, into files; disks are in tests/integration/test_flash_loop.py."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.flash.fat import Fat32
from saint_services.lib.flash.preset import with_files
from saint_services.lib.flash.writer import HEAD_BYTES, Target, Written

from .flash_images import FAT_BYTES, FAT_START, MIB, disk_image

pytestmark = pytest.mark.slow

IMAGE = disk_image(small=True)
WITH_FAT = disk_image()
WHEN = datetime(2026, 1, 2)


def _chunks(size: int, image: bytes = IMAGE) -> Iterator[bytes]:
    return (image[start : start + size] for start in range(0, len(image), size))


def _nothing(_done: int) -> None:
    pass


def _flash(path: Path, chunks: Iterator[bytes]) -> Written:
    with Target(path) as target:
        written = target.write(chunks, _nothing)
        target.verify(written, _nothing)
    return written


@pytest.mark.parametrize("size", [4 * MIB, 1 * MIB, 3_000_001])
def test_file_is_the_image_byte_by_byte(tmp_path: Path, size: int) -> None:
    card = tmp_path / "card.img"
    written = _flash(card, _chunks(size))
    assert card.read_bytes() == IMAGE
    assert written.size_bytes == len(IMAGE)


def test_old_content_of_a_longer_file_is_gone(tmp_path: Path) -> None:
    card = tmp_path / "card.img"
    card.write_bytes(b"\xaa" * (len(IMAGE) + 5 * MIB))
    _flash(card, _chunks(4 * MIB))
    assert card.read_bytes() == IMAGE


def test_zeros_take_no_room_in_a_file(tmp_path: Path) -> None:
    card = tmp_path / "card.img"
    _flash(card, _chunks(4 * MIB))
    assert card.stat().st_blocks * 512 < len(IMAGE) // 2


def test_interrupted_write_leaves_no_partition_table(tmp_path: Path) -> None:
    card = tmp_path / "card.img"
    card.write_bytes(IMAGE)

    def pulled_out() -> Iterator[bytes]:
        yield IMAGE[: 8 * MIB]
        raise KeyboardInterrupt

    with Target(card) as target, pytest.raises(KeyboardInterrupt):
        target.write(pulled_out(), _nothing)
    assert not card.read_bytes()[:HEAD_BYTES].strip(b"\0")


def test_not_verified_card_has_no_partition_table(tmp_path: Path) -> None:
    card = tmp_path / "card.img"
    with Target(card) as target:
        target.write(_chunks(4 * MIB), _nothing)
    assert not card.read_bytes()[:HEAD_BYTES].strip(b"\0")


@pytest.mark.parametrize("place", [HEAD_BYTES, 6 * MIB, len(IMAGE) - 1])
def test_flipped_bit_is_found(tmp_path: Path, place: int) -> None:
    card = tmp_path / "card.img"
    with Target(card) as target:
        written = target.write(_chunks(4 * MIB), _nothing)
        with card.open("r+b") as medium:
            medium.seek(place)
            flipped = medium.read(1)[0] ^ 1
            medium.seek(place)
            medium.write(bytes([flipped]))
        with pytest.raises(SaintError, match="returns other data"):
            target.verify(written, _nothing)
    assert not card.read_bytes()[:HEAD_BYTES].strip(b"\0")


def test_card_that_lost_its_end_is_found(tmp_path: Path) -> None:
    card = tmp_path / "card.img"
    with Target(card) as target:
        written = target.write(_chunks(4 * MIB), _nothing)
        with card.open("r+b") as medium:
            medium.truncate(len(IMAGE) - 512)
        with pytest.raises(SaintError, match="returns other data"):
            target.verify(written, _nothing)


def test_no_image_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    card = tmp_path / "card.img"
    card.write_bytes(b"precious")
    with Target(card) as target, pytest.raises(SaintError, match="no partition table"):
        target.write(iter([b"PK\x03\x04" + bytes(5000)]), _nothing)
    assert card.read_bytes() == b"precious"


@pytest.mark.parametrize("size", [4 * MIB, 3_000_001])
def test_presets_are_on_the_card_and_nothing_else_changed(tmp_path: Path, size: int) -> None:
    card = tmp_path / "card.img"
    files = {"saint.yaml": b"role: server\n", "boot.env": b"extraargs=quiet\n"}
    _flash(card, with_files(_chunks(size, WITH_FAT), files, WHEN))
    content = card.read_bytes()
    end = FAT_START + FAT_BYTES
    assert content[:FAT_START] + content[end:] == WITH_FAT[:FAT_START] + WITH_FAT[end:]
    fat = Fat32(bytearray(content[FAT_START:end]))
    assert {name: fat.read(name) for name in files} == files


def test_presets_need_a_fat32(tmp_path: Path) -> None:
    other = bytearray(WITH_FAT)
    other[450] = 0x83
    chunks = with_files(_chunks(4 * MIB, bytes(other)), {"saint.yaml": b""}, WHEN)
    with (
        Target(tmp_path / "card.img") as target,
        pytest.raises(SaintError, match="cannot hold settings"),
    ):
        target.write(chunks, _nothing)


def test_image_that_ends_in_its_first_partition_is_refused(tmp_path: Path) -> None:
    chunks = with_files(_chunks(4 * MIB, WITH_FAT[: 20 * MIB]), {"saint.yaml": b""}, WHEN)
    with Target(tmp_path / "card.img") as target, pytest.raises(SaintError, match="ends within"):
        target.write(chunks, _nothing)


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    seen: list[int] = []
    with Target(tmp_path / "card.img") as target:
        written = target.write(_chunks(4 * MIB), seen.append)
        assert seen[-1] == len(IMAGE)
        seen.clear()
        target.verify(written, seen.append)
    assert seen[-1] == len(IMAGE)
