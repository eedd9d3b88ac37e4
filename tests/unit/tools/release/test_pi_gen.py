"""The pi-gen stage takes what the A/B image is made of, less what Raspberry Pi OS must not get."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.image import packages
from tools.image.places import ROOT
from tools.pi_gen import __main__ as pi_gen
from tools.pi_gen import boot_settings

STAGE = ROOT / "image" / "pi-gen"
SCRIPTS = sorted(STAGE.rglob("*.sh"))


def test_packages_are_those_of_the_image_without_its_slots() -> None:
    groups = packages.read(ROOT / "image" / "packages.list")
    wanted = pi_gen.wanted_packages(ROOT / "image" / "packages.list")
    assert sorted([*wanted, *groups["slots"]]) == sorted(
        packages.names(ROOT / "image/packages.list")
    )
    assert not set(wanted) & {"rauc", "linux-image-arm64", "raspi-firmware"}


def test_raspberry_pis_own_packages_are_not_those_of_debian() -> None:
    own = packages.names(STAGE / "packages.list")
    assert own == ["python3-picamera2"]
    assert not set(own) & set(packages.names(ROOT / "image" / "packages.list"))


CMDLINE = "console=serial0,115200 console=tty1 root=PARTUUID=1234-02 rootwait\n"


def boot_folder(root: Path, config: str) -> Path:
    folder = root / boot_settings.BOOT
    folder.mkdir(parents=True)
    (folder / "config.txt").write_text(config)
    (folder / "cmdline.txt").write_text(CMDLINE)
    return folder


def test_config_gets_our_lines_once_and_below_theirs(tmp_path: Path) -> None:
    folder = boot_folder(tmp_path, "dtparam=audio=on\ndtoverlay=vc4-kms-v3d")
    boot_settings.lay(tmp_path)
    once = (folder / "config.txt").read_text()
    boot_settings.lay(tmp_path)
    assert (folder / "config.txt").read_text() == once
    lines = once.splitlines()
    assert lines[:2] == ["dtparam=audio=on", "dtoverlay=vc4-kms-v3d"]
    assert lines.index("dtparam=audio=off") > 1
    assert "dtparam=i2c_arm=on,i2c_arm_baudrate=400000" in lines
    assert {"core_freq=250", "core_freq_min=500", "gpio=4-6=ip,pd"} <= set(lines)


def test_parameters_never_go_to_the_overlay_before_them(tmp_path: Path) -> None:
    """The firmware gives a dtparam to the newest overlay; an empty one ends it."""
    folder = boot_folder(tmp_path, "dtoverlay=vc4-kms-v3d\n")
    boot_settings.lay(tmp_path)
    overlay = ""
    for line in (folder / "config.txt").read_text().splitlines():
        if line.startswith("dtoverlay="):
            overlay = line.removeprefix("dtoverlay=")
        assert not (line.startswith("dtparam=") and overlay), line


def sections(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif line and not line.startswith("#"):
            found.setdefault(name, []).append(line)
    return found


def test_header_has_its_serial_line_on_every_board() -> None:
    found = sections(boot_settings.LINES.read_text())
    assert found["pi5"] == ["dtparam=uart0=on"]
    for board in ("pi3", "pi02", "pi4"):
        assert found[board] == ["dtoverlay=disable-bt"]
    assert "dtoverlay=pwm-2chan,pin=12,func=4,pin2=13,func2=4" in found["all"]


def test_kernel_does_not_talk_on_the_line_of_the_header(tmp_path: Path) -> None:
    folder = boot_folder(tmp_path, "")
    boot_settings.lay(tmp_path)
    assert (folder / "cmdline.txt").read_text() == ("console=tty1 root=PARTUUID=1234-02 rootwait\n")


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
        (root / "usr/lib/saint").mkdir(parents=True)
        (root / "usr/lib/saint/release.env").write_text("SAINT_VERSION=1.0.0\n")

    monkeypatch.setattr("tools.image.layer.lay", lay)
    pi_gen.lay(tmp_path)
    assert [path.name for path in units.iterdir()] == ["theirs.service"]
    assert sorted(path.name for path in (tmp_path / "etc").iterdir()) == ["systemd"]
    release = (tmp_path / "usr/lib/saint/release.env").read_text()
    assert release == "SAINT_VERSION=1.0.0\nSAINT_SYSTEM=raspberry-pi-os\n"
