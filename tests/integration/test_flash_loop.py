"""Flashing real block devices: loop devices over files. Needs root and losetup."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.lib.errors import SaintError
from saint_services.lib.flash.writer import HEAD_BYTES, Target
from saint_services.saintctl.app import app
from tests.unit.lib.flash.flash_images import FAT_BYTES, FAT_START, MIB, disk_image

pytestmark = [
    pytest.mark.integration,
    pytest.mark.long,
    pytest.mark.skipif(os.geteuid() != 0, reason="loop devices need root"),
    pytest.mark.skipif(not shutil.which("losetup"), reason="needs losetup"),
]
IMAGE = disk_image()
CARD_BYTES = 64 * MIB


def _run(*command: object) -> str:
    words = [str(word) for word in command]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=20).stdout


@pytest.fixture
def medium(tmp_path: Path) -> Path:
    """What is on the card, as the file behind the loop device."""
    path = tmp_path / "medium"
    path.write_bytes(b"\xee" * CARD_BYTES)
    return path


@pytest.fixture
def card(medium: Path) -> Iterator[Path]:
    """A card of 64 MiB."""
    device = Path(_run("losetup", "--find", "--show", medium).strip())
    yield device
    _run("losetup", "--detach", device)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An image file."""
    path = tmp_path_factory.mktemp("image") / "saint-os-0.2.0.img"
    path.write_bytes(IMAGE)
    return path


def _flash(card: Path, image: Path, *words: str) -> Result:
    return CliRunner().invoke(
        app, ["image", "flash", str(card), "--image", str(image), "--yes", *words]
    )


def test_card_is_the_image_byte_by_byte(card: Path, medium: Path, image: Path) -> None:
    result = _flash(card, image)
    assert result.exit_code == 0, result.output
    content = medium.read_bytes()
    assert content[: len(IMAGE)] == IMAGE
    middle = content[len(IMAGE) : CARD_BYTES - 33 * 512]
    assert middle == b"\xee" * len(middle), "what lies behind the image is left alone"
    assert not content[-33 * 512 :].strip(b"\0"), "a second GPT would still be found there"


def test_mounted_card_is_refused_by_the_kernel_too(
    card: Path, medium: Path, image: Path, tmp_path: Path
) -> None:
    _run("mke2fs", "-q", "-t", "ext4", card)
    before = medium.read_bytes()
    place = tmp_path / "mounted"
    place.mkdir()
    _run("mount", card, place)
    try:
        result = _flash(card, image)
        with pytest.raises(SaintError, match="is in use"):
            Target(card)
    finally:
        _run("umount", place)
    assert result.exit_code == 5
    assert f"{card} is mounted on {place}" in result.stderr
    assert medium.read_bytes()[4 * MIB :] == before[4 * MIB :]


def test_small_card_is_refused_untouched(tmp_path: Path, image: Path) -> None:
    small = tmp_path / "small"
    small.write_bytes(b"\xee" * 32 * MIB)
    device = Path(_run("losetup", "--find", "--show", small).strip())
    try:
        result = _flash(device, image)
    finally:
        _run("losetup", "--detach", device)
    assert result.exit_code == 5
    assert "has 0.03 GB, the image needs 0.05 GB" in result.stderr
    assert small.read_bytes() == b"\xee" * 32 * MIB


def test_card_that_lies_is_found_by_reading_the_medium(card: Path, medium: Path) -> None:
    """The file behind changes while the kernel still remembers what it wrote."""
    chunks = (IMAGE[start : start + MIB] for start in range(0, len(IMAGE), MIB))
    with Target(card) as target:
        written = target.write(chunks, lambda _: None)
        with medium.open("r+b") as file:
            file.seek(20 * MIB)
            file.write(b"?")
            file.flush()
            os.fsync(file.fileno())
        with pytest.raises(SaintError, match="other data than was written at 20 MiB"):
            target.verify(written, lambda _: None)
    assert not medium.read_bytes()[:HEAD_BYTES].strip(b"\0")


def test_write_protected_card_is_refused(medium: Path, image: Path) -> None:
    device = Path(_run("losetup", "--find", "--show", "--read-only", medium).strip())
    try:
        result = _flash(device, image)
    finally:
        _run("losetup", "--detach", device)
    assert result.exit_code == 5
    assert "write-protected" in result.stderr


@pytest.mark.skipif(not shutil.which("sfdisk"), reason="needs sfdisk (apt: fdisk)")
@pytest.mark.skipif(not shutil.which("fsck.fat"), reason="needs fsck.fat (apt: dosfstools)")
@pytest.mark.skipif(not shutil.which("mtype"), reason="needs mtype (apt: mtools)")
def test_other_programs_read_table_and_settings(
    card: Path, medium: Path, image: Path, tmp_path: Path
) -> None:
    assert _flash(card, image, "--role", "server", "--hostname", "robot-1").exit_code == 0
    assert _run("sfdisk", "--dump", card).count("start=") == 2
    volume = tmp_path / "fat.img"
    volume.write_bytes(medium.read_bytes()[FAT_START : FAT_START + FAT_BYTES])
    _run("fsck.fat", "-n", volume)
    assert "role: server\nhostname: robot-1\n" in _run("mtype", "-i", volume, "::saint.yaml")
