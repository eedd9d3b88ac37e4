"""The block map: what must be written to a used card, in the form that bmaptool reads."""

import hashlib
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools.image import block_map
from tools.image.disk import Layout

MIB = 1 << 20
LAYOUT = Layout(firmware=4, slot_a=6, slot_b=16, data=26, end=28)
SLOT_BYTES = 3 * MIB


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """Content before, in and behind the slots; zeros elsewhere."""
    path = tmp_path / "saint.img"
    with path.open("wb") as file:
        file.truncate(LAYOUT.end * MIB)
        for place in (0, 5, 8, 27):
            file.seek(place * MIB)
            file.write(bytes([place + 1]) * 5000)
    return path


def test_what_is_left_out_is_the_empty_slot_and_the_room_behind_the_full_one() -> None:
    mapped = block_map.ranges(LAYOUT, SLOT_BYTES)
    edges = [(part.start * 4096 // MIB, part.stop * 4096 // MIB) for part in mapped]
    assert edges == [(0, 9), (16, 20), (26, 28)]


def test_map_has_the_hash_of_each_range_and_its_own(image: Path) -> None:
    text = block_map.text(image, block_map.ranges(LAYOUT, SLOT_BYTES))
    found = ElementTree.fromstring(text)
    fields = {part.tag: (part.text or "").strip() for part in found}
    assert (fields["ImageSize"], fields["BlocksCount"]) == (str(28 * MIB), str(28 * 256))
    assert fields["MappedBlocksCount"] == str((9 + 4 + 2) * 256)
    own = fields["BmapFileChecksum"]
    assert hashlib.sha256(text.replace(own, "0" * 64).encode()).hexdigest() == own
    content = image.read_bytes()
    for part in found.iter("Range"):
        first, last = ((int(edge)) for edge in (part.text or "").split("-"))
        piece = content[first * 4096 : (last + 1) * 4096]
        assert part.get("chksum") == hashlib.sha256(piece).hexdigest()


def test_bmaptool_writes_the_image_over_an_old_card(image: Path, tmp_path: Path) -> None:
    if shutil.which("bmaptool") is None:
        pytest.skip("bmaptool is not installed")
    path = image.with_suffix(".bmap")
    path.write_text(block_map.text(image, block_map.ranges(LAYOUT, SLOT_BYTES)))
    card = tmp_path / "card"
    card.write_bytes(b"\xff" * LAYOUT.end * MIB)
    copy = ["bmaptool", "copy", "--bmap", str(path), str(image), str(card)]
    subprocess.run(copy, check=True, capture_output=True, timeout=60)
    written, expected = card.read_bytes(), image.read_bytes()
    for part in block_map.ranges(LAYOUT, SLOT_BYTES):
        piece = slice(part.start * 4096, part.stop * 4096)
        assert written[piece] == expected[piece]
