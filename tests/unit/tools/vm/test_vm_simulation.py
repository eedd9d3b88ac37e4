"""Virtual machines get the simulated hardware from a disk of their own: the image has none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from saint_services.lib.simulation import VARIABLE
from tools.image import layer
from tools.image.names import Names
from tools.image.places import ROOT, Places
from tools.vm import simulation
from tools.vm.programs import Programs
from tools.vm.settings import boot_env

_LOAD = "from saint_services.lib.simulation import load_simulation; print(load_simulation())"


def loaded(*paths: Path) -> "subprocess.CompletedProcess[str]":
    """Load tools.sim with nothing but these folders, apart from what is installed."""
    environment = {"PYTHONPATH": os.pathsep.join(map(str, paths)), VARIABLE: "tools.sim"}
    return subprocess.run(
        [sys.executable, "-c", _LOAD],
        cwd="/", env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The Python packages of an image, without those that are not ours."""
    monkeypatch.setattr(layer, "wheels", SimpleNamespace(lay=lambda places, target: None))
    monkeypatch.setattr(layer, "_web_libraries", lambda source, target: None)
    root = tmp_path / "root"
    (root / "usr/lib").mkdir(parents=True)
    (root / "usr/lib/os-release").touch()
    layer.lay(root, Places.from_environment(), Names.read(ROOT / "pi-gen.conf"))
    return root / "usr/lib/python3/dist-packages"


def test_image_contains_no_simulation(packages: Path) -> None:
    assert [path.name for path in packages.iterdir()] == ["saint_services"]
    found = loaded(packages)
    assert found.returncode and "Simulated hardware is not installed here" in found.stderr


def test_installed_package_contains_no_simulation() -> None:
    script = "from setuptools import find_packages as f; print(*f(include=['saint_services*']))"
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True,
        timeout=60,
    )  # fmt: skip
    names = found.stdout.split()
    assert "saint_services.lib.hw" in names
    assert not [name for name in names if not name.startswith("saint_services") or ".sim." in name]
    assert 'include = ["saint_services*"]' in (ROOT / "pyproject.toml").read_text()


def test_disk_completes_the_image(packages: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir(mode=0o700)
    simulation.lay(disk)
    found = loaded(packages, disk)
    assert str(disk / "tools/sim/__init__.py") in found.stdout, found.stderr
    assert all(path.stat().st_mode & 0o044 == 0o044 for path in (disk, *disk.rglob("*")))


def test_disk_is_made_once(tmp_path: Path) -> None:
    if shutil.which("mke2fs") is None or shutil.which("debugfs") is None:
        pytest.skip("e2fsprogs is not installed")
    path = tmp_path / "simulation.img"
    simulation.make_disk(path, Programs(None))
    listed = Programs(None).run("debugfs", "-R", "ls tools/sim", str(path)).decode()
    assert "__init__.py" in listed and "board.py" in listed
    path.write_bytes(b"mounted in a snapshot")
    simulation.make_disk(path, Programs(None))
    assert path.read_bytes() == b"mounted in a snapshot"
    assert (
        f"file={path}" in simulation.drive(path)[1] and "readonly=on" in simulation.drive(path)[1]
    )


def test_kernel_mounts_the_disk_and_names_it_to_the_daemons() -> None:
    words = boot_env().split()
    assert "systemd.mount-extra=LABEL=simulation:/run/simulation:ext4:ro" in words
    assert "systemd.setenv=SAINT_SIMULATION=tools.sim" in words
    assert "systemd.setenv=PYTHONPATH=/run/simulation" in words
