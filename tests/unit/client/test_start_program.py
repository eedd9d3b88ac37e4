"""What becomes of program.yaml: the command and the environment of the process."""

import subprocess
import sys
from pathlib import Path

import pytest

from saint_services.client import Robot
from saint_services.client.start_program import command, environment, main
from saint_services.lib.programs import manifest
from saint_services.lib.programs.folders import ProgramFolders

PROGRAM = """
import os, sys, mylib
print(sys.argv[1], mylib.NAME, os.environ["SAINT_TOKEN_FILE"], os.getcwd())
print(sorted(key for key in os.environ if "SECRET" in key or key.startswith("LISTEN")))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "programs/patrol"
    (made / "lib").mkdir(parents=True)
    (made / "program.yaml").write_text("name: patrol\ncommand: [python3, main.py, fast]\n")
    (made / "main.py").write_text(PROGRAM)
    (made / "lib/mylib.py").write_text("NAME = 'of its own'\n")
    return made


def run(tmp_path: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    given = {
        "PATH": "/usr/bin:/bin", "SAINT_PROGRAMS_DIR": str(tmp_path / "programs"),
        "CREDENTIALS_DIRECTORY": "/run/credentials/x", "A_SECRET": "1", "LISTEN_FDS": "3",
        "PYTHONPATH": str(Path(__file__).parents[3]),
    }  # fmt: skip
    return subprocess.run(
        [sys.executable, "-m", "saint_services.client.start_program", *words],
        env=given, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip


def test_program_runs_in_its_folder_with_its_packages_and_its_token(
    folder: Path, tmp_path: Path
) -> None:
    done = run(tmp_path, "patrol")
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == f"fast of its own /run/credentials/x/token {folder}"
    assert second == "[]"


@pytest.mark.parametrize("words", [(), ("../x",), ("nowhere",), ("a", "b")])
def test_program_that_is_none_is_not_started(folder: Path, words: tuple[str, ...]) -> None:
    folders = ProgramFolders(folder.parent, folder.parent)
    assert main(list(words), folders) in (1, 2)


def test_file_of_the_folder_is_a_command_too(folder: Path) -> None:
    found = manifest.parse("name: patrol\ncommand: [bin/run, -v]\n")
    assert command(found, folder) == [str(folder / "bin/run"), "-v"]


def test_client_takes_address_and_token_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tmp_path / "token"
    token.write_text("secret-of-patrol\n")
    made = environment("patrol", tmp_path, {})
    for name, value in (made | {"SAINT_TOKEN_FILE": str(token)}).items():
        monkeypatch.setenv(name, value)
    access = Robot.from_environment()._connection._access
    assert (access.url, access.token, access.name) == (
        "ws://127.0.0.1", "secret-of-patrol", "patrol",
    )  # fmt: skip
