"""What saint-proven.service does with a slot that the boot loader's order does not name: its own
lines, run by the shell of the device over a fake of the boot loader's variables.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
UNIT = ROOT / "overlays/common/usr/lib/systemd/system/saint-proven.service"

pytestmark = pytest.mark.skipif(shutil.which("busybox") is None, reason="needs busybox")


def script() -> str:
    """The lines after mark-good, as systemd passes them to the shell."""
    found = re.search(r"^ExecStartPost=-/bin/sh -c '(.*?)'$", UNIT.read_text(), re.M | re.S)
    assert found
    return found[1].replace("\\\n", " ").replace("$$", "$")


def run(folder: Path, **variables: str) -> tuple[dict[str, str], int]:
    """Return the variables afterwards, and how often one was written."""
    for name, value in variables.items():
        (folder / name).write_text(value)
    fakes = (
        f'fw_printenv() {{ cat "{folder}/$2"; }}\n'
        f'fw_setenv() {{ printf %s "$2" >"{folder}/$1"; echo >>"{folder}/writes"; }}\n'
    )
    subprocess.run(["busybox", "ash", "-c", fakes + script()], check=True, timeout=10)
    writes = folder / "writes"
    count = len(writes.read_text()) if writes.exists() else 0
    return {name: (folder / name).read_text() for name in variables}, count


@pytest.mark.parametrize(("order", "tries"), [("A", ("3", "0")), ("B", ("0", "2"))])
def test_slot_outside_the_order_keeps_no_tries(
    tmp_path: Path, order: str, tries: tuple[str, str]
) -> None:
    after, _ = run(tmp_path, BOOT_ORDER=order, BOOT_A_LEFT="3", BOOT_B_LEFT="2")
    assert (after["BOOT_A_LEFT"], after["BOOT_B_LEFT"]) == tries


def test_slots_of_the_order_and_spent_ones_are_not_written(tmp_path: Path) -> None:
    both = {"BOOT_ORDER": "B A", "BOOT_A_LEFT": "0", "BOOT_B_LEFT": "3"}
    assert run(tmp_path, **both) == (both, 0)
    spent = {"BOOT_ORDER": "A", "BOOT_A_LEFT": "3", "BOOT_B_LEFT": "0"}
    assert run(tmp_path, **spent) == (spent, 0)


def test_boot_loader_whose_variables_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "BOOT_ORDER").mkdir()
    fakes = f'fw_printenv() {{ cat "{tmp_path}/$2"; }}\nfw_setenv() {{ exit 9; }}\n'
    done = subprocess.run(
        ["busybox", "ash", "-c", fakes + script()], capture_output=True, timeout=10, check=False
    )
    assert done.returncode == 0
