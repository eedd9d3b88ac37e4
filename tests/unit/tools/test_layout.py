"""Every daemon has the same shape; nobody imports what is not theirs."""

from pathlib import Path

import pytest

from tools import check_layout


def test_layout_holds() -> None:
    assert sorted(set(check_layout.faults())) == []


@pytest.mark.parametrize(
    ("place", "line", "expected"),
    [
        ("routerd/logic.py", "import time", "rules do not touch the world"),
        ("routerd/daemon.py", "from saint_services.rcd import daemon", "daemons meet on sockets"),
        ("lib/health.py", "from ..rcd import logic", "lib knows no daemon"),
        ("rcd/adapters.py", "import serial", "belong in lib/hw"),
        ("lib/hw/motors/bridge.py", "from tools.sim import board", "without the source checkout"),
        ("routerd/daemon.py", "import rclpy", "belongs in lib/bus/ros"),
        ("routerd/utils.py", "x = 1", "say what it holds"),
    ],
)
def test_forbidden_import_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str, line: str, expected: str
) -> None:
    services = tmp_path / "saint_services"
    file = services / place
    file.parent.mkdir(parents=True)
    file.write_text(f'"""What it is for."""\n{line}\n')
    monkeypatch.setattr(check_layout, "ROOT", tmp_path)
    monkeypatch.setattr(check_layout, "SERVICES", services)
    found = list(check_layout._file(file, {"routerd", "rcd"}))
    assert any(expected in sentence for sentence in found), found


def test_classes_that_share_a_name_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    services = tmp_path / "saint_services"
    for daemon in ("rcd", "otad"):
        (services / daemon).mkdir(parents=True)
        (services / daemon / "logic.py").write_text("class Config: ...\nclass Robot: ...\n")
    monkeypatch.setattr(check_layout, "ROOT", tmp_path)
    monkeypatch.setattr(check_layout, "SERVICES", services)
    (found,) = check_layout._class_names()
    assert "class Robot is in" in found and "give each a name" in found


def test_files_that_import_each_other_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lib = tmp_path / "saint_services" / "lib"
    lib.mkdir(parents=True)
    (lib / "__init__.py").write_text("from . import one\n")
    (lib / "one.py").write_text("from .two import SIZE\n")
    (lib / "two.py").write_text("def size():\n    from . import three\n")
    (lib / "three.py").write_text("import saint_services.lib.one\n")
    monkeypatch.setattr(check_layout, "ROOT", tmp_path)
    monkeypatch.setattr(check_layout, "SERVICES", tmp_path / "saint_services")
    (found,) = check_layout._circle()
    assert all(f"saint_services.lib.{name}" in found for name in ("one", "two", "three"))
