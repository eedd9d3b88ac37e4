"""What a build leaves, with every step of it played by the test."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from tools.image import base, build, release
from tools.image.names import Names
from tools.image.places import ROOT, Places
from tools.image.stages import Progress
from tools.image.tree import Tree

STATUS = """\
Package: linux-image-arm64
Status: install ok installed
Architecture: arm64
Source: linux-signed-arm64 (6.12.118+1)
Version: 6.12.118-1
"""
TRACKER = {"linux": {"CVE-2026-0008": {"releases": {"trixie": {"status": "open"}}}}}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> build.Workshop:
    """A workshop whose slot and bundle are there at once, with the security tracker of today."""
    environment = {"SAINT_CACHE": str(tmp_path / "cache"), "SAINT_IMAGE_OUT": str(tmp_path / "out")}
    places = replace(Places.from_environment(environment), source=ROOT)
    for folder in (places.cache, places.out):
        folder.mkdir()
    (places.cache / "security-tracker.json").write_text(json.dumps(TRACKER))

    def build_slot(_: build.Workshop, work: Path) -> Path:
        status = work / "root/var/lib/dpkg/status"
        status.parent.mkdir(parents=True)
        status.write_text(STATUS)
        (work / "rootfs.img").write_bytes(b"slot")
        return work / "rootfs.img"

    def ensure(_: Path, places: Places, names: Names, __: Tree) -> Path:
        (places.out / "manifest.json").write_text("{}")
        release.path(places, names).write_bytes(b"bundle")
        return release.path(places, names)

    monkeypatch.setattr(build, "build_slot", build_slot)
    monkeypatch.setattr(release, "ensure", ensure)
    monkeypatch.setattr(base, "moment", lambda _: "20261101T000000Z")
    names = Names.read(ROOT / "pi-gen.conf")
    return build.Workshop(places, names, Tree(tmp_path, ()), Progress(Console(file=io.StringIO())))


def test_bundle_lists_the_known_vulnerabilities_of_its_packages(shop: build.Workshop) -> None:
    made = {artefact.path.name: artefact.path for artefact in build.build_bundle(shop)}
    stem = shop.names.stem
    assert {f"{stem}.raucb", "manifest.json", f"{stem}.rootfs.img"} < made.keys()
    listed = made[f"{stem}.vulnerabilities.txt"].read_text()
    assert "CVE-2026-0008  linux 6.12.118-1  no fix" in listed
