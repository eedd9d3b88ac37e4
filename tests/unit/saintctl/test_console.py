"""What all commands print: tables in terminals of any width, colours, faults of the connection."""

import socket

import pytest
from rich.text import Text
from typer.testing import CliRunner

from saint_services.saintctl import console
from saint_services.saintctl.app import app

COLUMNS = ("", "node", "name", "state", "note")
ROWS = [
    ("[green]●[/]", "sim_arm_left", "a name that is longer than most " * 3, "active", ""),
    ("[red]○[/]", "sim_head", "-", "offline", "its camera was lost, and found, and lost again"),
]


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    console.print_table(COLUMNS, ROWS, "none")
    return [Text.from_ansi(line).plain for line in capsys.readouterr().out.splitlines()]


def test_program_gets_whole_lines(capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys)
    assert len(found) == 1 + len(ROWS)
    assert ROWS[0][2].strip() in found[1]
    assert ROWS[1][4] in found[2]


@pytest.mark.parametrize("width", [40, 80, 140])
def test_terminal_folds_what_is_long_and_keeps_the_ids(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes it for a terminal
    monkeypatch.setenv("COLUMNS", str(width))
    found = lines(capsys)
    assert max(map(len, found)) <= width
    assert sum("sim_arm_left" in line for line in found) == 1 or width == 40
    whole = "".join("".join(found).split())
    assert "…" not in whole


def test_log_is_bare_text_for_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert console.styled("warning", fg="yellow") == "warning"  # pytest is no terminal


@pytest.mark.parametrize(("no_color", "is_styled"), [("", True), ("1", False)])
def test_terminal_gets_colours_unless_it_wants_none(
    monkeypatch: pytest.MonkeyPatch, no_color: str, is_styled: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert (console.styled("warning", fg="yellow") != "warning") is is_styled


def test_robot_elsewhere_that_does_not_answer_is_named_with_what_to_look_at() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    result = CliRunner().invoke(app, ["--server", f"127.0.0.1:{port}", "node", "list"])
    assert result.exit_code == 7
    assert f"no robot answers at 127.0.0.1:{port}: " in result.stderr
    assert "Is it switched on" in result.stderr
    assert "journalctl" not in result.stderr


def test_version_is_told() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout.startswith("saintctl ")


def test_short_help_is_help() -> None:
    assert "Usage" in CliRunner().invoke(app, ["node", "-h"]).stdout
