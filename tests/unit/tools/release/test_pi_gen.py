"""The pi-gen stage takes what the A/B image is made of, less what Raspberry Pi OS must not get."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.image import packages
from tools.image.places import ROOT
from tools.pi_gen import __main__ as pi_gen

STAGE = ROOT / "image" / "pi-gen"
SCRIPTS = sorted(STAGE.rglob("*.sh"))


def test_packages_are_those_of_the_image_without_its_slots() -> None:
    groups = packages.read(ROOT / "image" / "packages.list")
    wanted = pi_gen.wanted_packages(ROOT / "image" / "packages.list")
    assert sorted([*wanted, *groups["slots"]]) == sorted(
        packages.names(ROOT / "image/packages.list")
    )
    assert not set(wanted) & {"rauc", "linux-image-arm64", "raspi-firmware"}


def test_what_is_left_out_exists_in_the_image() -> None:
    """A path that nothing lays any more would only pretend to protect."""
    ours = {path for overlay in (ROOT / "overlays").iterdir() for path in _landing(overlay)}
    assert [path for path in pi_gen.left_out_paths() if path not in ours] == []


def _landing(overlay: Path) -> set[Path]:
    files = {Path("/") / path.relative_to(overlay) for path in overlay.rglob("*")}
    return {path.with_suffix("") if path.suffix == ".j2" else path for path in files}


def test_scripts_can_be_run_by_pi_gen() -> None:
    assert SCRIPTS
    for script in SCRIPTS:
        assert os.access(script, os.X_OK), script
        assert script.read_text().startswith("#!/bin/bash -e\n"), script


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
@pytest.mark.parametrize("script", [*SCRIPTS, STAGE / "config"], ids=lambda path: path.name)
def test_script_is_read_by_bash(script: Path) -> None:
    subprocess.run(["bash", "-n", script], check=True, timeout=10)


def test_config_finds_the_stage_from_anywhere(tmp_path: Path) -> None:
    show = f'source "{STAGE}/config"; echo "$IMG_NAME|$STAGE_LIST|$SAINT_SOURCE"'
    shown = subprocess.run(
        ["bash", "-euc", show], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=10
    )
    name, stages, source = shown.stdout.strip().split("|")
    assert (name, source) == ("saint-os", str(ROOT))
    assert stages.split()[-1] == str(STAGE / "stage-saint")


def test_their_own_files_survive_where_ours_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    units = tmp_path / "etc/systemd/system"
    units.mkdir(parents=True)
    (units / "theirs.service").write_text("theirs")

    def lay(root: Path, _places: object, _names: object) -> None:
        (root / "etc/systemd/system/ours.service").write_text("ours")
        (root / "etc/rauc").mkdir()

    monkeypatch.setattr("tools.image.layer.lay", lay)
    pi_gen.lay(tmp_path)
    assert [path.name for path in units.iterdir()] == ["theirs.service"]
    assert sorted(path.name for path in (tmp_path / "etc").iterdir()) == ["systemd"]
