"""Which units of programs are started and stopped, at boot and on request."""

from collections.abc import Callable
from pathlib import Path

import pytest

from saint_services.lib.programs.folders import ProgramFolders
from saint_services.setup.programs import Systemctl, carry_out, start_all


@pytest.fixture
def folders(tmp_path: Path) -> ProgramFolders:
    made = ProgramFolders(tmp_path / "programs", tmp_path / "requests")
    for folder in (made.programs, made.started, made.requests):
        folder.mkdir()
    for name in ("lamp", "patrol"):
        (made.programs / name).mkdir()
    return made


def called(job: Callable[[ProgramFolders, Systemctl], None], folders: ProgramFolders) -> list[str]:
    calls: list[str] = []
    job(folders, lambda verb, unit: calls.append(f"{verb} {unit}"))
    return calls


def test_boot_starts_what_is_to_run(folders: ProgramFolders) -> None:
    (folders.started / "patrol").touch()
    (folders.started / "removed").touch()
    assert called(start_all, folders) == ["start saint-program@patrol.service"]


def test_start_is_a_new_start_and_stop_stops(folders: ProgramFolders) -> None:
    (folders.started / "patrol").touch()
    folders.request("start", "patrol")
    folders.request("stop", "lamp")
    assert called(carry_out, folders) == [
        "restart saint-program@patrol.service",
        "stop saint-program@lamp.service",
    ]


def test_request_for_one_program_starts_no_other(folders: ProgramFolders) -> None:
    # patrol has come to its end by itself: it would drive the robot again, unasked.
    (folders.started / "patrol").touch()
    folders.request("stop", "lamp")
    assert called(carry_out, folders) == ["stop saint-program@lamp.service"]


def test_program_that_was_removed_is_stopped_and_never_started(folders: ProgramFolders) -> None:
    folders.request("stop", "gone")
    assert called(carry_out, folders) == ["stop saint-program@gone.service"]
    folders.request("start", "gone")
    assert called(carry_out, folders) == []
