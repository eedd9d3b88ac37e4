"""A wrong settings file of any daemon: which settings hold instead, and who says so."""

import importlib
from pathlib import Path

import pytest
import yaml

from saint_services.lib.config import Settings, load
from saint_services.lib.config.last_good import PROBLEM, SettingsInForce, in_force
from saint_services.lib.errors import SaintError

ROOT = Path(__file__).resolve().parents[4]
DAEMONS = yaml.safe_load((ROOT / "manifests/daemons.yaml").read_text())
UNSET = {"guardd"}  # has no settings of its own


class Speed(Settings):
    """Settings of a daemon that does not exist."""

    limit_mps: float = 1.0


class NewSpeed(Settings):
    """The same daemon a release later: its setting has another name."""

    most_mps: float = 1.0


class Needs(Settings):
    """Settings without defaults."""

    limit_mps: float


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "etc").mkdir()
    return tmp_path / "etc/speedd.yaml"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path / "state"


def start(file: Path, state: Path) -> SettingsInForce[Speed]:
    """Start the daemon until it is ready."""
    found = in_force(Speed, file, state)
    found.keep()
    return found


def note(state: Path) -> str:
    path = state / PROBLEM
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize("name", [name for name in DAEMONS if name not in UNSET])
def test_typo_keeps_no_daemon_from_its_work(name: str, file: Path, state: Path) -> None:
    config = importlib.import_module(f"saint_services.{name}.config").Config
    file = file.with_name(f"{name}.yaml")
    file.write_text("# first\nreset_pinn: 1\n")
    found: SettingsInForce[Settings] = in_force(config, file, state)
    assert found.settings == load(config, file.with_name("none.yaml"))
    assert f"{file}, line 2: reset_pinn is not a known setting" in found.problem
    assert found.problem.endswith(". The defaults are in force")
    assert note(state) == found.problem + ".\n"


@pytest.mark.parametrize("text", ["limit_mps: fast\n", "limit_mps 3\n", "\tlimit_mps: 3", "", "\0"])
def test_last_good_settings_hold_instead_of_wrong_ones(file: Path, state: Path, text: str) -> None:
    file.write_text("limit_mps: 0.2\n")
    assert start(file, state) == SettingsInForce(Speed(limit_mps=0.2))
    file.write_text(text)
    for _ in range(2):  # the next start finds the same
        found = in_force(Speed, file, state)
        assert found.settings == Speed(limit_mps=0.2)
        assert f"{file}, line 1: " in found.problem
        assert found.problem.endswith(". The last good settings are in force")
    assert file.read_text() == text, "a user's file is left as it is"
    file.write_text("limit_mps: 0.4\n")
    assert start(file, state) == SettingsInForce(Speed(limit_mps=0.4))
    assert note(state) == ""


def test_defaults_were_good_where_there_was_no_file(file: Path, state: Path) -> None:
    file.write_text("limit_mps: 0.2\n")
    start(file, state)
    file.unlink()
    assert start(file, state).settings == Speed()
    file.write_text("limit: 3\n")
    found = in_force(Speed, file, state)
    assert found.settings == Speed()
    assert "did you mean 'limit_mps'?. The defaults are in force" in found.problem


def test_file_that_cannot_be_read_changes_nothing(file: Path, state: Path) -> None:
    file.write_text("limit_mps: 0.2\n")
    start(file, state)
    file.unlink()
    file.mkdir()
    found = in_force(Speed, file, state)
    assert found.settings == Speed(limit_mps=0.2)
    assert "cannot be read" in found.problem


def test_damaged_copy_is_not_used(file: Path, state: Path) -> None:
    file.write_text("limit_mps: 0.2\n")
    start(file, state)
    (state / "speedd.yaml.last-good").write_bytes(b"\0\0\0")
    file.write_text("limit: 3\n")
    assert in_force(Speed, file, state).settings == Speed()


def test_settings_without_defaults_and_copy_are_refused(file: Path, state: Path) -> None:
    file.write_text("limit_mps: fast\n")
    with pytest.raises(SaintError, match="line 1: limit_mps must be a number"):
        in_force(Needs, file, state)


def test_release_on_trial_that_refuses_the_owners_settings_does_not_pass(
    file: Path, state: Path
) -> None:
    file.write_text("limit_mps: 0.2\n")
    start(file, state)
    with pytest.raises(SaintError, match="limit_mps is not a known setting"):
        in_force(NewSpeed, file, state, is_on_trial=True)
    assert in_force(NewSpeed, file, state).settings == NewSpeed()


def test_typo_made_during_a_trial_does_not_speak_against_the_release(
    file: Path, state: Path
) -> None:
    file.write_text("limit_mps: 0.2\n")
    start(file, state)
    file.write_text("limit: 0.2\n")
    found = in_force(Speed, file, state, is_on_trial=True)
    assert found.settings == Speed(limit_mps=0.2)


def test_full_disk_is_no_fault(file: Path, tmp_path: Path) -> None:
    file.write_text("limit_mps: 0.2\n")
    (tmp_path / "a file").touch()
    found = in_force(Speed, file, tmp_path / "a file")
    found.keep()
    assert found == SettingsInForce(Speed(limit_mps=0.2))


def test_a_file_is_good_only_once_the_daemon_is_ready(file: Path, state: Path) -> None:
    file.write_text("limit_mps: 0.2\n")
    in_force(Speed, file, state)  # and then it fails to open what it needs
    assert list(state.iterdir()) == []
    file.write_text("limit: 3\n")
    assert in_force(Speed, file, state).settings == Speed()
