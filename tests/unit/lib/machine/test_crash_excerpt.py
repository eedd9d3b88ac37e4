"""The last log lines of a failed unit are saved on the data partition, bounded and readable."""

from pathlib import Path

import pytest

from saint_services.lib.machine import crash_excerpt

NOW_S = 1_790_000_000.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "crashes"
    made.mkdir()
    return made


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "journalctl"
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    answer(program, 'echo "$@"')
    return program


def answer(program: Path, script: str) -> None:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_last_lines_of_the_unit_are_kept(folder: Path, journal: Path) -> None:
    path = crash_excerpt.keep("saint-webd", folder, NOW_S)
    assert path.name == "20260921T141320Z-saint-webd.log"
    arguments = path.read_text().split()
    assert {"--unit=saint-webd.service", "--lines=50", "--boot"} <= set(arguments)
    assert path.stat().st_mode & 0o777 == 0o640


def test_newest_twenty_stay(folder: Path, journal: Path) -> None:
    for number in range(25):
        crash_excerpt.keep("saint-webd", folder, NOW_S + number)
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 20
    assert names[0].startswith("20260921T141325Z")


def test_long_log_is_cut_at_a_line(folder: Path, journal: Path) -> None:
    answer(journal, "for i in $(seq 3000); do printf 'line %080d\\n' $i; done")
    text = crash_excerpt.keep("saint-webd", folder, NOW_S).read_text()
    assert 60_000 < len(text) <= 65_536
    assert text.startswith("line ")
    assert text.endswith("3000\n")


def test_what_could_steer_a_terminal_is_shown(folder: Path, journal: Path) -> None:
    answer(journal, "printf 'a\\033[2Jb\\377\\n'")
    assert crash_excerpt.keep("saint-webd", folder, NOW_S).read_text() == "a?[2Jb?\n"


def test_journal_that_does_not_answer_leaves_no_file(folder: Path, journal: Path) -> None:
    answer(journal, "exit 1")
    assert crash_excerpt.main(["saint-webd"], folder) == 1
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("words", [[], ["ssh"], ["saint-../x"], ["saint-webd", "saint-rcd"]])
def test_only_our_units_are_accepted(folder: Path, journal: Path, words: list[str]) -> None:
    assert crash_excerpt.main(words, folder) == 2
    assert list(folder.iterdir()) == []


def test_job_says_where_it_was_kept(folder: Path, journal: Path) -> None:
    assert crash_excerpt.main(["saint-usb-import@sda1"], folder) == 0
    (path,) = folder.iterdir()
    assert path.name.endswith("-saint-usb-import@sda1.log")
