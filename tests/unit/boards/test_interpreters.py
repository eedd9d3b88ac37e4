"""The firmware does the same on CPython and on MicroPython (Debian's package of that name)."""

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SEEDS = ("5 ", "9 ", "12 ", "14 ", "22 ")
WASM = "web/node_modules/@micropython/micropython-webassembly-pyscript/micropython.mjs"
VECTORS = Path(__file__).with_name("vectors.py")


@functools.cache
def output(*command: str) -> list[str]:
    """Run the vectors with an interpreter."""
    environment = os.environ | {"MICROPYPATH": str(ROOT), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, str(VECTORS)], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout[-500:] + done.stderr
    return done.stdout.splitlines()


def test_vectors_reach_moving_wheels_and_every_kind_of_stop() -> None:
    found = output(sys.executable)
    assert found[0] == "161 188"  # check values of CRC-8/MAXIM and CRC-8/DVB-S2
    histories = [line.split() for line in found if line.startswith(SEEDS) and "[" in line]
    assert {"0", "1", "2", "3", "4", "5"} <= {words[2] for words in histories}
    assert sum(words[4:6] not in (["[0,", "0]"], []) for words in histories) >= 10


def test_micropython_does_what_cpython_does() -> None:
    """The unix port."""
    micropython = shutil.which("micropython")
    if micropython is None:
        pytest.skip("micropython is not installed (Debian 13: apt-get install micropython)")
    compare(output(sys.executable), output(micropython))


@pytest.mark.slow
def test_micropython_in_webassembly_does_what_cpython_does() -> None:
    """The build for browsers, which every computer has that has Node."""
    build, node = ROOT / WASM, shutil.which("node")
    if node is None or not build.exists():
        pytest.skip("Node, or MicroPython's WebAssembly build from npm, is not installed")
    script = str(Path(__file__).with_name("wasm_vectors.mjs"))
    done = subprocess.run(
        [node, script, str(build), str(ROOT)], capture_output=True, text=True, timeout=170
    )
    assert done.returncode == 0, done.stderr
    compare(output(sys.executable), done.stdout.splitlines())


def compare(expected: list[str], found: list[str]) -> None:
    """Assert that both printed the same."""
    assert len(found) == len(expected)
    for number, (ours, theirs) in enumerate(zip(expected, found, strict=True)):
        assert theirs == ours, f"line {number}"
