"""Which units of programs are started and stopped, at boot and on request."""

from pathlib import Path

import pytest

from saint_services.lib.programs.folders import ProgramFolders
from saint_services.setup.programs import follow


@pytest.fixture
def folders(tmp_path: Path) -> ProgramFolders:
    made = ProgramFolders(tmp_path / "programs", tmp_path / "requests")
    for folder in (made.programs, made.started, made.requests):
        folder.mkdir()
    for name in ("lamp", "patrol"):
        (made.programs / name).mkdir()
    return made


def called(folders: ProgramFolders) -> list[str]:
    calls: list[str] = []
    follow(folders, lambda verb, unit: calls.append(f"{verb} {unit}"))
    return calls


def test_boot_starts_what_is_to_run(folders: ProgramFolders) -> None:
    (folders.started / "patrol").touch()
    (folders.started / "removed").touch()
    assert called(folders) == ["start saint-program@patrol.service"]


def test_start_is_a_new_start_and_stop_stops(folders: ProgramFolders) -> None:
    (folders.started / "patrol").touch()
    folders.request("start", "patrol")
    folders.request("stop", "lamp")
    assert called(folders) == [
        "restart saint-program@patrol.service",
        "stop saint-program@lamp.service",
    ]


def test_program_that_was_removed_is_stopped_and_never_started(folders: ProgramFolders) -> None:
    folders.request("stop", "gone")
    assert called(folders) == ["stop saint-program@gone.service"]
    folders.request("start", "gone")
    assert called(folders) == []
