"""The list for Raspberry Pi Imager: computed from the file, held to Imager's rules."""

import hashlib
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from tools.release import imager

IMAGE = bytes(range(256)) * 40


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """An image as a release has it."""
    path = tmp_path / "saint-os-0.2.0.img.xz"
    path.write_bytes(lzma.compress(IMAGE))
    return path


@pytest.fixture
def made(packed: Path, tmp_path: Path) -> Path:
    """Its list."""
    return imager.write(packed, tmp_path, url="https://robots.example/saint-os-0.2.0.img.xz")


def _changed(path: Path, **fields: Any) -> Path:
    content = json.loads(path.read_text())
    content["os_list"][0].update(fields)
    path.write_text(json.dumps(content))
    return path


def test_numbers_are_those_of_the_file(made: Path, packed: Path) -> None:
    entry = json.loads(made.read_text())["os_list"][0]
    assert entry["extract_size"] == len(IMAGE)
    assert entry["extract_sha256"] == hashlib.sha256(IMAGE).hexdigest()
    assert entry["image_download_size"] == packed.stat().st_size
    assert entry["image_download_sha256"] == hashlib.sha256(packed.read_bytes()).hexdigest()


def test_fields_that_imager_needs_are_there(made: Path) -> None:
    content = json.loads(made.read_text())
    entry = content["os_list"][0]
    requested = {"name", "description", "icon", "url", "extract_size", "extract_sha256",
             "image_download_size", "release_date", "devices"}  # fmt: skip
    assert requested <= set(entry)
    assert entry["init_format"] == "cloudinit"
    assert entry["release_date"].count("-") == 2
    offered = {tag for device in content["imager"]["devices"] for tag in device["tags"]}
    assert set(entry["devices"]) <= offered


def test_our_list_follows_the_rules(made: Path, packed: Path) -> None:
    assert imager.faults(made, packed) == []


def test_known_extract_is_not_computed_again(packed: Path, tmp_path: Path) -> None:
    known = imager.Extract(512, "a" * 64)
    path = imager.write(packed, tmp_path, extract=known)
    assert json.loads(path.read_text())["os_list"][0]["extract_size"] == 512


def test_list_without_address_points_at_the_file(packed: Path, tmp_path: Path) -> None:
    entry = json.loads(imager.write(packed, tmp_path).read_text())["os_list"][0]
    assert entry["url"] == packed.as_uri()


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("init_format", "system-d", "init_format"),
        ("devices", [], "devices"),
        ("architecture", "arm64", "architecture"),
        ("capabilities", ["gpio"], "capabilities"),
        ("devices", ["pi9"], "none of its devices"),
        ("extract_size", 0, "extract_size"),
        ("extract_size", "4096", "extract_size"),
        ("extract_size", 10239, "no whole sector"),
        ("extract_sha256", "abc", "extract_sha256"),
        ("release_date", "21.11.2026", "release_date"),
        ("url", "saint-os.img.xz", "url"),
        ("url", "https://robots.example/saint-os.raucb", "does not unpack"),
        ("name", " ", "name"),
    ],
)
def test_broken_rule_is_named(made: Path, field: str, value: Any, said: str) -> None:
    found = imager.faults(_changed(made, **{field: value}))
    assert any(said in sentence for sentence in found), found


def test_hash_of_another_file_is_named(made: Path, packed: Path) -> None:
    found = imager.faults(_changed(made, extract_sha256="0" * 64), packed)
    assert len(found) == 1 and found[0].startswith("extract_sha256 is 0000")
