"""Output of all commands: tables in terminals of any width, colors, errors of the connection."""

import pytest
from rich.text import Text

from saint_services.saintctl import console

COLUMNS = ("", "node", "name", "state", "note")
ROWS = [
    ("[green]●[/]", "sim_arm_left", "a name that is longer than most " * 3, "active", ""),
    ("[red]○[/]", "sim_head", "-", "offline", "its camera was lost, and found, and lost again"),
]


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    console.print_table(COLUMNS, ROWS, "none")
    return [Text.from_ansi(line).plain for line in capsys.readouterr().out.splitlines()]


def test_pipe_gets_whole_lines(capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys)
    assert len(found) == 1 + len(ROWS)
    assert ROWS[0][2].strip() in found[1]
    assert ROWS[1][4] in found[2]


@pytest.mark.parametrize("width", [40, 80, 140])
def test_terminal_folds_what_is_long_and_keeps_the_ids(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich treats stdout as a terminal
    monkeypatch.setenv("COLUMNS", str(width))
    found = lines(capsys)
    assert max(map(len, found)) <= width
    assert sum("sim_arm_left" in line for line in found) == 1 or width == 40
    whole = "".join("".join(found).split())
    assert "…" not in whole


def test_pipe_gets_text_without_colors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert console.styled("warning", fg="yellow") == "warning"  # pytest is no terminal


@pytest.mark.parametrize(("no_color", "is_styled"), [("", True), ("1", False)])
def test_terminal_gets_colors_unless_disabled(
    monkeypatch: pytest.MonkeyPatch, no_color: str, is_styled: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert (console.styled("warning", fg="yellow") != "warning") is is_styled
