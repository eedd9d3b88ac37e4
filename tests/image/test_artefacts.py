"""What `make image` and `make bundle` left, before anything is booted: sizes, hashes, release."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from tests.image.artefacts import FOLDER, Artefacts
from tests.image.forge import Slot
from tests.image.report import Report
from tools.image.disk import Layout
from tools.vm.programs import Programs

_IMAGE_MB_MOST = 360.0  # twice the release: the slot, and its bundle beside it


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def test_compressed_image_is_small(artefacts: Artefacts, report: Report) -> None:
    found = [
        path for path in FOLDER.glob(f"{artefacts.disk.name}.*") if path.suffix in (".xz", ".zst")
    ]
    if not found:
        pytest.skip("the image was built with --no-compress")
    for path in found:
        report.number(f"image, compressed ({path.suffix[1:]})", path.stat().st_size / 1e6, "MB",
                      _IMAGE_MB_MOST)  # fmt: skip


def test_bundle_is_the_one_of_its_manifest(artefacts: Artefacts, report: Report) -> None:
    if not artefacts.bundle.is_file():
        pytest.skip("no bundle in build/image: make bundle")
    stated = json.loads((FOLDER / "manifest.json").read_text())["firmware"]
    assert stated["version"] == artefacts.names.version
    assert stated["size_bytes"] == artefacts.bundle.stat().st_size
    assert stated["checksum_sha256"] == sha256(artefacts.bundle)
    report.number("bundle", artefacts.bundle.stat().st_size / 1e6, "MB")


def test_card_carries_the_bundle_of_its_release(artefacts: Artefacts, tmp_path: Path) -> None:
    layout, data, carried = Layout.of(artefacts.names), tmp_path / "data", tmp_path / "carried"
    with artefacts.disk.open("rb") as disk, data.open("wb") as part:
        disk.seek(layout.data << 20)
        shutil.copyfileobj(disk, part)
    path = f"/shipped/{artefacts.bundle.name}"
    Programs.find().run("debugfs", "-R", f"dump {path} {carried}", str(data))
    assert sha256(carried) == sha256(artefacts.bundle)


def test_slot_says_which_release_it_is(artefacts: Artefacts) -> None:
    slot = Slot(artefacts.slot, Programs.find())
    assert f"SAINT_VERSION={artefacts.names.version}\n" in slot.read("/usr/lib/saint/release.env")
    assert f"IMAGE_VERSION={artefacts.names.version}\n" in slot.read("/usr/lib/os-release")


def test_slot_holds_no_identity_and_no_secret(artefacts: Artefacts) -> None:
    """Every card of the image becomes another machine."""
    slot = Slot(artefacts.slot, Programs.find())
    assert slot.read("/etc/machine-id") == ""
    for path in ("/etc/ssh/ssh_host_ed25519_key", "/etc/ssh/ssh_host_rsa_key"):
        assert not slot.has(path)
    assert "PRIVATE KEY" not in slot.read("/etc/rauc/keyring.pem")
