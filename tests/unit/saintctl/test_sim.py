"""`saintctl sim` runs the simulation's commands, or says that there is no simulation."""

import os
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saint_services.saintctl import sim
from saint_services.saintctl.app import app

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The command lines that replace the program."""
    found: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda program, words: found.append([program, *words]))
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    return found


@pytest.mark.parametrize("words", [["--help"], ["fault", "tracks", "supply", "--value", "5"], []])
def test_words_and_options_go_to_the_simulation(
    started: list[list[str]], tmp_path: Path, words: list[str]
) -> None:
    result = CliRunner().invoke(app, ["--run", str(tmp_path), "sim", *words])
    assert result.exit_code == 0, result.output
    python = sys.executable
    assert started == [[python, python, "-m", "tools.sim", f"--run={tmp_path}", *words]]
    assert os.environ["PYTHONPATH"] == f"{ROOT}:/elsewhere"


def test_real_robot_says_that_it_has_no_simulation(
    started: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sim, "_CHECKOUT", tmp_path)
    result = CliRunner().invoke(app, ["sim", "list"])
    assert result.exit_code == 5
    assert "no simulation is installed" in result.stderr and "make run" in result.stderr
    assert not started


def test_simulation_of_another_computer_is_out_of_reach(started: list[list[str]]) -> None:
    result = CliRunner().invoke(app, ["--server", "http://saint-server.local", "sim", "list"])
    assert result.exit_code == 5
    assert "only on the robot's own machine" in result.stderr
    assert not started
