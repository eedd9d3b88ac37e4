"""`board flash` with Espressif's esptool and MicroPython's mpremote themselves, down to the bytes:
against a blank chip's loader, flash and REPL on a pseudo terminal, and the boards' firmware.
Skipped where `make test-flash` has not fetched both.
"""

import os
import random
import select
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saint_services.saintctl.app import app
from saint_services.saintctl.board import board_files
from tests.unit.boards.bench import HIGH, LOW
from tests.waiting import block_until
from tools.sim.wagon_lines import PtyEnd

from .micropython_repl import MicroPythonRepl, files_of
from .rom_loader import ESP32_C3, RomLoader
from .test_flash_wire import FlashedBoards

ROOT = Path(__file__).resolve().parents[4]
TOOLS = ROOT / "build" / "boardtools" / "lib"
RUN = CliRunner()
_SIZE = 300_000

pytestmark = pytest.mark.skipif(
    not (TOOLS / "esptool").is_dir(), reason="esptool and mpremote: make test-flash fetches them"
)


def image(chip_id: int = 9) -> bytes:
    """Return an image with the head of one for this chip; the rest is random (seed 7)."""
    head = struct.pack("<BBBBI", 0xE9, 0, 2, 0x30, 0x40374000)
    extended = struct.pack("<B3sHBHH4sB", 0xEE, b"\x00" * 3, chip_id, 0, 0, 0xFFFF, b"\x00" * 4, 0)
    return head + extended + random.Random(7).randbytes(_SIZE)


class BlankBoard:
    """A chip behind a terminal, served by a thread."""

    def __init__(self, folder: Path) -> None:
        self.files = folder / "board"
        self.repl = MicroPythonRepl(self.files)
        self.chip = RomLoader(self.repl)
        self.port = folder / "ttyACM9"
        self._end = PtyEnd(self.port)
        self._is_ended = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while not self._is_ended.is_set():
            if select.select([self._end], [], [], 0.02)[0]:
                self._end.write(self.chip.feed(self._end.read()))

    def close(self) -> None:
        self._is_ended.set()
        self._thread.join()
        self._end.close()


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("mpremote", "esptool"):
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {sys.executable} -m {name} "$@"\n')
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(TOOLS), str(ROOT))))
    return folder


@pytest.fixture
def blank(tmp_path: Path, tools: Path) -> Iterator[BlankBoard]:
    found = BlankBoard(tmp_path)
    yield found
    found.close()


@pytest.fixture
def firmware(tmp_path: Path) -> Path:
    path = tmp_path / "micropython.bin"
    path.write_bytes(image())
    return path


def flash(port: Path, *words: str, code: int = 0) -> str:
    result = RUN.invoke(app, ["board", "flash", "io", f"--port={port}", *words])
    assert result.exit_code == code, result.output + result.stderr
    return " ".join((result.output + result.stderr).split())


def test_blank_board_gets_micropython_and_our_files_byte_for_byte(
    blank: BlankBoard, firmware: Path
) -> None:
    output = flash(blank.port, "--blank", f"--micropython={firmware}")
    assert "was written" in output
    written = firmware.read_bytes()
    assert bytes(blank.chip.flash[: len(written)]) == written
    assert set(blank.chip.flash[len(written) + 4096 :]) == {0xFF}
    assert files_of(blank.files) == board_files.files("io")
    block_until(lambda: blank.repl.is_reset)


def test_wrong_chip_is_not_written(blank: BlankBoard, firmware: Path) -> None:
    blank.chip.chip_id = ESP32_C3
    output = flash(blank.port, "--blank", f"--micropython={firmware}", code=3)
    assert "esptool failed: This chip is ESP32-C3, not ESP32-S3." in output
    assert not blank.chip.written
    assert not files_of(blank.files)


def test_image_for_another_chip_is_not_written(blank: BlankBoard, firmware: Path) -> None:
    firmware.write_bytes(image(ESP32_C3))
    output = flash(blank.port, "--blank", f"--micropython={firmware}", code=3)
    assert "not an ESP32-S3 image" in output
    assert "esptool failed: '" in output
    assert not blank.chip.written


def test_cable_that_breaks_while_it_is_written_is_reported(
    blank: BlankBoard, firmware: Path
) -> None:
    blank.chip.cut_after = 100_000
    output = flash(blank.port, "--blank", f"--micropython={firmware}", code=3)
    assert "esptool failed: No more data to read from the serial port" in output
    assert "Check the cable" in output
    assert not files_of(blank.files)


def test_flash_that_holds_another_bit_is_found(blank: BlankBoard, firmware: Path) -> None:
    blank.chip.flips_after = 150_000
    output = flash(blank.port, "--blank", f"--micropython={firmware}", code=3)
    assert "esptool failed: MD5 of file does not match data in flash!" in output
    assert not files_of(blank.files)


def test_cable_that_is_not_there_is_reported(tmp_path: Path, tools: Path, firmware: Path) -> None:
    output = flash(tmp_path / "no-tty", "--blank", f"--micropython={firmware}", code=3)
    assert "esptool failed: Could not open" in output
    assert "no-tty" in output


def test_real_mpremote_replaces_the_firmware_and_not_while_armed(
    tmp_path: Path, tools: Path
) -> None:
    boards = FlashedBoards(tmp_path)
    folder = tmp_path / "board"
    boards.repl = FlashRepl(folder)
    (folder / "main.py").write_bytes(b"old")
    try:
        boards.switch(HIGH)
        block_until(lambda: boards.bench.io and boards.bench.io.is_armed)
        assert "the wagon is armed" in flash(boards.ports["io"], code=5)
        assert files_of(folder) == {"main.py": b"old"}
        boards.switch(LOW)
        block_until(lambda: boards.bench.io and not boards.bench.io.is_armed)
        assert "was written" in flash(boards.ports["io"], "--downgrade")
        assert files_of(folder) == board_files.files("io")
    finally:
        boards.close()


class FlashRepl(MicroPythonRepl):
    """In place of the simple one of FlashedBoards."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.is_on = False

    @property
    def files(self) -> dict[str, bytes]:
        return files_of(self._folder)
