"""`board list`, `status`, `console`, `flash` against the boards' firmware on pseudo terminals."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saint_services.saintctl.app import app
from saint_services.saintctl.board import board_files, boards
from tests.unit.boards.bench import HIGH, LOW, Bench
from tests.waiting import block_until
from tools.sim.wagon_lines import PtyEnd

RUN = CliRunner()


class Boards:
    """Both boards, whose consoles are terminals; served by a thread."""

    def __init__(self, folder: Path) -> None:
        self.bench = Bench()
        self.bench.run(1000)
        self.lock = threading.Lock()
        self.ports = {name: folder / f"esp32-{name}" for name in ("balance", "io")}
        self._ends = {name: PtyEnd(path) for name, path in self.ports.items()}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        bench = self.bench
        while not self._stop.wait(0.002):
            with self.lock:
                for name, line in (("balance", bench.console), ("io", bench.io_console)):
                    line.waiting += self._ends[name].read()
                bench.step()
                for name, line in (("balance", bench.console), ("io", bench.io_console)):
                    if line.sent:
                        self._ends[name].write(line.sent)
                        line.sent = b""

    def switch(self, us: int) -> None:
        with self.lock:
            self.bench.channel(5, us)

    def arm(self) -> None:
        self.switch(HIGH)
        block_until(lambda: self.bench.balance and self.bench.balance.arming.is_armed)
        block_until(lambda: self.bench.io and self.bench.io.is_armed)

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        for end in self._ends.values():
            end.close()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Boards]:
    found = Boards(tmp_path)
    yield found
    found.close()


def run(*words: str, code: int = 0) -> str:
    result = RUN.invoke(app, ["board", *words])
    assert result.exit_code == code, result.output + result.stderr
    return result.output + result.stderr


def port(running: Boards, board: str) -> str:
    return str(running.ports[board])


def test_list_compares_the_firmware(running: Boards, monkeypatch: pytest.MonkeyPatch) -> None:
    assert running.bench.balance
    assert running.bench.io
    release = board_files.version("balance")
    running.bench.balance.version = release
    running.bench.io.version = "0.0.1 12345678"
    words = [f"--port={path}" for path in running.ports.values()]
    found = json.loads(run("list", "--json", *words))["boards"]
    assert [each["board"] for each in found] == ["balance", "io"]
    assert found[0]["firmware"] == "current"
    assert found[1]["firmware"].startswith("older; this release has ")
    assert "older" in run("list", *words)


def test_list_without_boards_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(boards, "ports", lambda: [])
    assert "No board was found" in run("list")
    gone = str(tmp_path / "nothing")
    assert "nothing" in json.loads(run("list", "--json", f"--port={gone}"))["boards"][0]["problem"]


def test_devices_of_boards_are_found_by_name_and_chip(tmp_path: Path) -> None:
    by_id = tmp_path / "serial" / "by-id"
    by_id.mkdir(parents=True)
    for name in ("ttyACM0", "ttyACM1", "ttyUSB0", "ttyACM2"):
        (tmp_path / name).touch()
    (tmp_path / "esp32-balance").symlink_to("ttyACM0")
    (by_id / "usb-1a86_USB_Single_Serial-if00").symlink_to("../../ttyACM2")
    (by_id / "usb-Espressif_USB_JTAG-if00").symlink_to("../../ttyACM1")
    (by_id / "usb-FTDI_FT232R-if00").symlink_to("../../ttyUSB0")
    found = [Path(each).resolve().name for each in boards.ports(tmp_path)]
    assert found == ["ttyACM0", "ttyACM1"]


def test_status_shows_what_the_board_reports(running: Boards) -> None:
    found = json.loads(run("status", port(running, "balance"), "--json"))
    assert (found["board"], found["state"], found["armed"]) == ("balance", "disarmed", False)
    assert "crossfire" in run("status", port(running, "io"))


def test_status_of_a_terminal_without_a_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boards, "REPLY_S", 0.1)
    end = PtyEnd(tmp_path / "esp32-io")
    assert "no board of the wagon answers" in run("status", str(tmp_path / "esp32-io"), code=3)
    end.close()


def test_console_sends_lines_until_one_is_refused(running: Boards) -> None:
    words = [f"--command={line}" for line in ("STATUS", "ARM", "STATUS")]
    output = run("console", port(running, "balance"), *words, code=1)
    assert output.count('"board"') == 1
    assert "ERR cannot arm: switch" in output
    assert run("console", port(running, "balance"), "--command=ESTOP") == "OK\n"
    assert running.bench.state == 3


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """mpremote and esptool that only note what they were called with, and fail on request."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("mpremote", "esptool"):
        script = f'#!/bin/sh\necho "{name} $*" >> {folder}/calls\nls -R "$6" >> {folder}/files\n'
        script += f'[ ! -e {folder}/fails ] || {{ echo "no device" >&2; exit 1; }}\n'
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def calls(folder: Path) -> list[str]:
    file = folder / "calls"
    return file.read_text().splitlines() if file.exists() else []


def test_flash_writes_our_files_and_starts_the_board_last(
    running: Boards, programs: Path, tmp_path: Path
) -> None:
    output = run("flash", "io", f"--port={port(running, 'io')}")
    assert board_files.version("io") in output
    made = calls(programs)
    assert "os.remove('main.py')" in "\n".join(made)
    assert "fs cp -r" in made[-2]
    assert made[-1].endswith(":main.py + reset")
    assert not any(line.startswith("esptool") for line in made)


def test_flash_writes_micropython_first(running: Boards, programs: Path, tmp_path: Path) -> None:
    image = tmp_path / "micropython.bin"
    image.touch()
    run("flash", "io", f"--port={port(running, 'io')}", f"--micropython={image}")
    assert calls(programs)[0].startswith("esptool --chip esp32s3")


@pytest.mark.parametrize("board", ["balance", "io"])
@pytest.mark.parametrize("blank", [[], ["--blank"]])
def test_flash_of_an_armed_wagon_is_refused(
    running: Boards, programs: Path, board: str, blank: list[str]
) -> None:
    running.arm()
    output = run("flash", board, f"--port={port(running, board)}", *blank, code=5)
    assert "the wagon is armed" in output
    assert calls(programs) == []
    running.switch(LOW)


def test_flash_of_the_wrong_board_is_refused(running: Boards, programs: Path) -> None:
    output = run("flash", "io", f"--port={port(running, 'balance')}", code=5)
    assert "is the balance board, not io" in output
    assert calls(programs) == []


def test_flash_of_a_silent_board_needs_blank(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boards, "REPLY_S", 0.1)
    end = PtyEnd(tmp_path / "esp32-io")
    words = "flash", "io", f"--port={tmp_path / 'esp32-io'}"
    assert "--blank" in run(*words, code=3)
    assert calls(programs) == []
    run(*words, "--blank")
    assert len(calls(programs)) == 3
    end.close()


def test_flash_that_fails_says_why(running: Boards, programs: Path) -> None:
    (programs / "fails").touch()
    output = run("flash", "io", f"--port={port(running, 'io')}", code=3)
    assert "mpremote failed: no device" in output


def test_missing_program_is_named(running: Boards, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    output = run("flash", "io", f"--port={port(running, 'io')}", code=4)
    assert "mpremote, which is not installed" in output
    assert "pip install mpremote" in output


def test_unknown_board_is_named() -> None:
    assert "no board has the name fan" in run("status", "fan", code=4)


@pytest.mark.parametrize("board", ["balance", "io"])
def test_files_of_a_board_are_complete_and_start_it(board: str) -> None:
    found = board_files.files(board)
    assert list(found)[-1] == "main.py"
    assert f"boards/{board}/main.py" in found
    assert "boards/shared/tables.py" in found
    assert board_files.version(board) in found["main.py"].decode()
    assert board_files.compared(board, board_files.version(board)) == "current"
    assert board_files.compared(board, "simulated").startswith("unknown")
