"""Images in every form they come in, and what a damaged one says."""

import functools
import gzip
import hashlib
import lzma
import shutil
import subprocess
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.flash.source import ImageFile

from .flash_images import disk_image

pytestmark = pytest.mark.slow

IMAGE = disk_image(small=True)


@functools.cache
def _content(ending: str) -> bytes:
    match ending:
        case ".xz":
            return lzma.compress(IMAGE, preset=0)
        case ".gz":
            return gzip.compress(IMAGE, 1)
        case ".zst":
            packing = ["zstd", "-q", "-1", "-c"]
            return subprocess.run(
                packing, input=IMAGE, capture_output=True, check=True, timeout=20
            ).stdout
        case _:
            return IMAGE


def _packed(tmp_path: Path, ending: str) -> Path:
    path = tmp_path / f"saint-os.img{ending}"
    path.write_bytes(_content(ending))
    return path


def _endings() -> list[object]:
    needs_zstd = pytest.mark.skipif(not shutil.which("zstd"), reason="needs the program zstd")
    return ["", ".xz", ".gz", pytest.param(".zst", marks=needs_zstd)]


@pytest.mark.parametrize("ending", _endings())
def test_image_is_unpacked_whole(tmp_path: Path, ending: str) -> None:
    image = ImageFile(_packed(tmp_path, ending))
    assert b"".join(image.chunks()) == IMAGE
    assert image.position_bytes == image.size_bytes


@pytest.mark.parametrize("ending", _endings()[1:])
def test_cut_off_image_is_refused(tmp_path: Path, ending: str) -> None:
    path = _packed(tmp_path, ending)
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(SaintError, match="is damaged"):
        list(ImageFile(path).chunks())


@pytest.mark.parametrize("ending", ["", ".xz"])
def test_right_checksum_is_accepted(tmp_path: Path, ending: str) -> None:
    path = _packed(tmp_path, ending)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(path.name + ".sha256").write_text(f"{digest}  {path.name}\n")
    assert b"".join(ImageFile(path).chunks()) == IMAGE


@pytest.mark.parametrize("ending", ["", ".xz"])
def test_wrong_checksum_is_refused(tmp_path: Path, ending: str) -> None:
    path = _packed(tmp_path, ending)
    path.with_name(path.name + ".sha256").write_text(f"{'0' * 64}  {path.name}\n")
    with pytest.raises(SaintError, match="not 000000000000"):
        list(ImageFile(path).chunks())


def test_changed_byte_behind_the_stream_is_refused(tmp_path: Path) -> None:
    path = _packed(tmp_path, ".gz")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(path.name + ".sha256").write_text(digest)
    path.write_bytes(path.read_bytes() + bytes(4))  # gzip allows padding
    with pytest.raises(SaintError, match="has the checksum"):
        list(ImageFile(path).chunks())


def test_checksum_file_without_checksum_is_refused(tmp_path: Path) -> None:
    path = _packed(tmp_path, "")
    path.with_name(path.name + ".sha256").write_text("<html>not found</html>")
    with pytest.raises(SaintError, match="has no SHA-256 checksum"):
        ImageFile(path)


def test_missing_image_is_named(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match=r"nothing\.img"):
        ImageFile(tmp_path / "nothing.img")


def test_missing_zstd_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "saint-os.img.zst"
    path.write_bytes(b"anything")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SaintError) as caught:
        list(ImageFile(path).chunks())
    assert "apt-get install zstd" in caught.value.fix
