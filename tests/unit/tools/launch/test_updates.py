"""Updates on simulated machines: what each finds out, and what is missing for them."""

from pathlib import Path

import pytest

from tools.fake_rauc.bundle_writer import COMPATIBLE
from tools.launch.launcher import Launcher
from tools.launch.machines import updates
from tools.launch.machines.machine import Folders
from tools.launch.machines.updates import Updates
from tools.launch.unit_files.units import UnitFolder

ROOT = Path(__file__).resolve().parents[4]


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert updates.missing() == ["dbus-daemon", "openssl"]
    for name in ("dbus-daemon", "openssl"):
        (tmp_path / name).touch(0o755)
    assert updates.missing() == []


def test_simulated_releases_are_for_the_images_machines() -> None:
    lines = (ROOT / "pi-gen.conf").read_text(encoding="utf-8").splitlines()
    assert f"SAINT_COMPATIBLE={COMPATIBLE}" in lines


async def test_machine_knows_its_release_and_where_its_bus_is(tmp_path: Path) -> None:
    launcher = Launcher(UnitFolder({}, {}, frozenset()), tmp_path / "r", on_news=lambda _: None)
    found = Updates(tmp_path, launcher, lambda _: None)
    reported = found.add(Folders("head", tmp_path), is_server=False)
    launcher.close()
    assert reported["SAINT_MACHINE"] == "node"
    assert reported["SAINT_VERSION"]
    assert reported["SAINT_COMPATIBLE"] == COMPATIBLE
    assert reported["DBUS_SYSTEM_BUS_ADDRESS"] == f"unix:path={tmp_path}/boards/run/head"
    assert reported["PATH"].startswith(f"{tmp_path}/head/bin:")
