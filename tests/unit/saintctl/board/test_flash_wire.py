"""`board flash` down to the wire: a board whose terminal has MicroPython's raw REPL behind Ctrl-C,
and programs in place of mpremote and esptool that open that terminal themselves.
"""

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from saint_services.saintctl.app import app
from saint_services.saintctl.board import board_files, flashing
from tests.unit.boards.bench import HIGH, LOW
from tests.unit.saintctl.board.test_boards import Boards
from tests.waiting import block_until

RUN = CliRunner()
FAKE = Path(__file__).with_name("fake_mpremote.py")


class Repl:
    """The IO board's MicroPython: files, and the raw REPL that Ctrl-C leads to."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {"main.py": b"old", "boards/io/gone.py": b"old"}
        self.is_on = False
        self.is_reset = False
        self._held = b""
        self._names: dict[str, Any] = {}

    def feed(self, data: bytes) -> bytes:
        """Return what it replies to these bytes."""
        reply = b""
        for byte in data:
            if byte == 3:
                reply += b"\r\n>>> "
            elif byte == 1:
                reply, self._held = reply + b"raw REPL; CTRL-B to exit\r\n>", b""
            elif byte == 4:
                code, self._held = self._held.decode().strip(), b""
                reply += b"OK" + self._run(code)
            elif byte != 13:
                self._held += bytes((byte,))
        return reply

    def _run(self, code: str) -> bytes:
        if "machine.reset()" in code:
            self.is_reset = True
            return b""
        if code == flashing._FORGET:
            self.files.pop("main.py", None)
        elif found := re.fullmatch(r"f = open\('(.*)', 'wb'\)", code):
            self._names["name"] = found[1]
            self.files[found[1]] = b""
        elif code.startswith("f.write("):
            self.files[self._names["name"]] += eval(code[8:-1], {"__builtins__": {}})  # noqa: S307
        return b"\x04\x04>"


class FlashedBoards(Boards):
    """Both boards; Ctrl-C on the IO board's terminal ends its program, unless it is armed."""

    def __init__(self, folder: Path) -> None:
        self.repl = Repl()
        super().__init__(folder)

    def _serve(self) -> None:
        while not self._stop.wait(0.002):
            with self.lock:
                self._serve_io(self._ends["io"].read())
                self.bench.step()
                if self.bench.io_console.sent:
                    self._ends["io"].write(self.bench.io_console.sent)
                    self.bench.io_console.sent = b""

    def _serve_io(self, data: bytes) -> None:
        bench, repl = self.bench, self.repl
        if b"\x03" in data and bench.io and not bench.io.is_armed:
            bench.io.off()
            bench.cut_io()
            repl.is_on = True
        if repl.is_on:
            self._ends["io"].write(repl.feed(data))
        else:
            bench.io_console.waiting += data.replace(b"\x03", b"")
        if repl.is_reset:
            repl.is_on = repl.is_reset = False
            bench.power_io()
            assert bench.io
            found = re.search(rb'main\("(.*)"\)', repl.files["main.py"])
            assert found
            bench.io.version = found[1].decode()


@pytest.fixture
def boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FlashedBoards]:
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(FAKE, folder / "fake_mpremote.py")
    for name, command in (
        ("mpremote", f'exec {sys.executable} {folder}/fake_mpremote.py "$@"'),
        ("esptool", f'echo "$*" >> {folder}/esptool-calls'),
    ):
        (folder / name).write_text(f"#!/bin/sh\n{command}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    found = FlashedBoards(tmp_path)
    yield found
    found.close()


def run(*words: str, code: int = 0) -> str:
    result = RUN.invoke(app, ["board", *words])
    assert result.exit_code == code, result.output + result.stderr
    return result.output + result.stderr


def flash(boards: FlashedBoards, *words: str, code: int = 0) -> str:
    return run("flash", "io", f"--port={boards.ports['io']}", *words, code=code)


def firmware(boards: FlashedBoards) -> str:
    found = json.loads(run("list", "--json", f"--port={boards.ports['io']}"))["boards"][0]
    return str(found["firmware"])


def test_flash_leaves_exactly_our_files_and_a_board_that_runs_them(boards: FlashedBoards) -> None:
    assert boards.bench.io
    boards.bench.io.version = "0.0.1 12345678"
    assert firmware(boards).startswith("older; this release has ")
    output = flash(boards)
    assert "in place of 0.0.1 12345678" in output
    ours = board_files.files("io")
    assert {name: boards.repl.files[name] for name in ours} == ours
    assert firmware(boards) == "current"


def test_older_board_is_shown_and_left_as_it_is(boards: FlashedBoards) -> None:
    assert boards.bench.io
    boards.bench.io.version = "0.0.1 12345678"
    before = dict(boards.repl.files)
    for words in (("list",), ("status", str(boards.ports["io"]))):
        port = [f"--port={boards.ports['io']}"] if words == ("list",) else []
        assert "older" in run(*words, *port)
    assert boards.repl.files == before
    assert not boards.repl.is_on


def test_newer_board_is_not_written_unasked(boards: FlashedBoards) -> None:
    assert boards.bench.io
    boards.bench.io.version = "99.0.0 12345678"
    before = dict(boards.repl.files)
    assert "--downgrade" in flash(boards, code=5)
    assert boards.repl.files == before
    flash(boards, "--downgrade")
    assert firmware(boards) == "current"


def test_wagon_that_is_armed_after_the_check_is_not_interrupted(
    boards: FlashedBoards, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain: Callable[[list[str]], None] = flashing.run
    before = dict(boards.repl.files)

    def armed_first(command: list[str]) -> None:
        boards.arm()
        plain(command)

    monkeypatch.setattr(flashing, "run", armed_first)
    assert "could not enter raw repl" in flash(boards, code=3)
    assert boards.repl.files == before
    assert boards.bench.balance
    assert boards.bench.balance.arming.is_armed
    boards.switch(LOW)


def test_esptool_is_never_started_on_an_armed_wagon(boards: FlashedBoards, tmp_path: Path) -> None:
    image = tmp_path / "micropython.bin"
    image.touch()
    boards.switch(HIGH)
    block_until(lambda: boards.bench.io and boards.bench.io.is_armed)
    assert "the wagon is armed" in flash(boards, f"--micropython={image}", "--blank", code=5)
    assert not (tmp_path / "bin" / "esptool-calls").exists()
    boards.switch(LOW)
    block_until(lambda: boards.bench.io and not boards.bench.io.is_armed)
    flash(boards, f"--micropython={image}")
    assert "write_flash 0" in (tmp_path / "bin" / "esptool-calls").read_text()
