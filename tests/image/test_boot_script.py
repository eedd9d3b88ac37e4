"""image/boot/boot.cmd in the real U-Boot, held against the model that judges power cuts.

The disk has the image's firmware partition and empty slots: the script chooses, counts, saves, and
finds nothing to load.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.image.artefacts import Artefacts
from tools.powercut.disks.layout import ENV_BYTES, ENV_OFFSETS, FIRMWARE, TABLE_BYTES, partitions
from tools.powercut.environment import Choice, Environment, choose, encode, pack
from tools.vm.machine import Machine
from tools.vm.settings import Hardware

_TRY_S = 60
_DAMAGED = b"\xff" * ENV_BYTES


def torn(new: Environment, old: Environment) -> bytes:
    """A copy of which only the first sectors were written."""
    return encode(new)[:512] + b"\x5a" * 512 + encode(old)[1024:]


def env(order: str = "A B", a: str = "3", b: str = "3") -> bytes:
    return encode(Environment(order, a, b))


CASES = {
    "fresh": (env(), env()),
    "other first": (env("B A"), env()),
    "first has no tries": (env(a="0"), env()),
    "only one in the order": (env("B", a="3", b="1"), env()),
    "none in the order has tries": (env("A", a="0", b="3"), env()),
    "none in the order has tries, the other way": (env("B", a="2", b="0"), env()),
    "order of one, nobody has tries": (env("B", a="0", b="0"), env()),
    "nobody has tries": (env(a="0", b="0"), env()),
    "copy 1 damaged": (_DAMAGED, env("B A", a="3", b="2")),
    "copy 1 torn": (torn(Environment("B A"), Environment()), env("A B", a="2")),
    "both damaged": (_DAMAGED, _DAMAGED),
    "nothing written ever": (bytes(ENV_BYTES), bytes(ENV_BYTES)),
    "variables missing": (pack({"BOOT_ORDER": "B A"}), env()),
    "order empty": (pack({"BOOT_ORDER": "", "BOOT_A_LEFT": "1", "BOOT_B_LEFT": "3"}), env()),
    "unknown slot first": (env("X B A"), env()),
    "ten tries in hexadecimal": (env(a="a"), env()),
    "RAUC's other variables": (
        pack({"BOOT_ORDER": "B A", "BOOT_A_LEFT": "3", "BOOT_B_LEFT": "3", "other": "x y=z"}),
        env(),
    ),
}


@pytest.fixture(scope="module")
def try_boot(
    artefacts: Artefacts, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[bytes, bytes], tuple[str, list[bytes]]]:
    folder = tmp_path_factory.mktemp("boot-script")
    disk = folder / "disk.img"
    with artefacts.disk.open("rb") as image, disk.open("wb") as target:
        places = partitions(image.read(TABLE_BYTES))
        image.seek(0)
        target.write(image.read(places[FIRMWARE].end))
        target.truncate(artefacts.disk.stat().st_size)

    def once(first: bytes, second: bytes) -> tuple[str, list[bytes]]:
        """What it says until it loads a slot, and the copies afterwards."""
        with disk.open("r+b") as file:
            for offset, copy in zip(ENV_OFFSETS, (first, second), strict=True):
                file.seek(offset)
                file.write(copy)
        machine = Machine(Hardware("boot-script"), _drive(disk), folder / "machine")
        machine.start()
        try:
            machine.serial.wait_for(r"saint: booting slot [AB]", timeout_s=_TRY_S)
            said = machine.serial.text()
        finally:
            machine.cut()
        return said, [_read_at(disk, offset) for offset in ENV_OFFSETS]

    return once


def _drive(disk: Path) -> str:
    return f"file={disk},format=raw,cache=unsafe"


def _read_at(disk: Path, offset: int) -> bytes:
    with disk.open("rb") as file:
        file.seek(offset)
        return file.read(ENV_BYTES)


def expected(first: bytes, second: bytes) -> tuple[list[Choice], Choice]:
    """All runs of the script until a slot is chosen, and the last of them."""
    runs = [choose(first, second)]
    while not runs[-1].slot:
        both = encode(runs[-1].saved)
        runs.append(choose(both, both))
    return runs, runs[-1]


_SAID = {
    "copy 1": "environment from copy 1",
    "copy 2": "copy 1 of the environment is damaged, taking copy 2",
    "defaults": "both copies of the environment are damaged, taking defaults",
}


@pytest.mark.parametrize("case", CASES)
def test_real_boot_script_does_what_the_model_says(
    case: str, try_boot: Callable[[bytes, bytes], tuple[str, list[bytes]]]
) -> None:
    runs, last = expected(*CASES[case])
    said, copies = try_boot(*CASES[case])
    assert f"saint: booting slot {last.slot}" in said
    assert _SAID[runs[0].source] in said
    assert said.count("no slot has a try left") == len(runs) - 1
    assert copies == [encode(last.saved)] * 2
