"""Simulated hardware is loaded where a setting names it, and refused with the reason elsewhere."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.guard.ports import open_port
from saint_services.lib.guard.will import Write, WriteKind
from saint_services.lib.hw import open_board
from saint_services.lib.simulation import (
    VARIABLE,
    Simulation,
    load_simulation,
    simulated_directory,
)
from tools import sim


def test_module_of_the_setting_opens_the_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "tools.sim")
    board = open_board(f"sim:{tmp_path}")
    assert type(board).__module__ == "tools.sim.board"
    board.close()


@pytest.mark.parametrize("module", ["", "saint_services.no_simulation"])
def test_without_a_simulation_the_setting_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setenv(VARIABLE, module)
    with pytest.raises(SaintError, match="Simulated hardware is not installed") as refused:
        open_board(f"sim:{tmp_path}")
    assert refused.value.code is Code.CONFIG_INVALID
    assert "hardware: real" in refused.value.fix


def test_guard_without_a_simulation_cannot_open_its_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(OSError, match="not installed"):
        open_port(Write(WriteKind.SIM_I2C, str(tmp_path / "i2c-1-40"), 0x40, b"\0"))


@pytest.mark.parametrize("spec", ["real", "sim", "sim:", "virtual:/x", ""])
def test_other_hardware_has_no_simulated_directory(spec: str) -> None:
    assert simulated_directory(spec) is None


def test_simulation_has_every_function_of_the_port() -> None:
    wanted = [name for name in vars(Simulation) if name.startswith("open_")]
    assert len(wanted) == 7
    for name in wanted:
        expected = [*inspect.signature(getattr(Simulation, name)).parameters][1:]
        assert [*inspect.signature(getattr(sim, name)).parameters] == expected


def test_launched_process_finds_the_simulation_from_any_folder(tmp_path: Path) -> None:
    script = "from saint_services.lib.simulation import *; print(load_simulation().__name__)"
    environment = os.environ | sim.environment()
    found = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=30, check=True,
    )  # fmt: skip
    assert found.stdout == f"{load_simulation().__name__}\n" == "tools.sim\n"
