"""The judge of the firmware partition notices boot files that are chosen and not whole."""

import hashlib
from pathlib import Path
from typing import cast

import pytest

from saint_services.setup.boot_files import CHOICE, SUMS, choice
from tools.powercut.disks.filesystems import FileSystems
from tools.powercut.facts import digest
from tools.powercut.firmware import Firmware, Found

TREE = "bcm2711-rpi-4-b.dtb"
CONFIG = {"config.txt": b"kernel=u-boot.bin\ninclude boot-files.txt\n"}
Files = dict[str, bytes]


def boot_set(release: str, prefix: str = "") -> Files:
    contents = {
        "u-boot.bin": b"loader " + release.encode(),
        TREE: b"tree " + release.encode(),
        "overlays/README": b"",
    }
    sums = "".join(f"{hashlib.sha256(d).hexdigest()}  {name}\n" for name, d in contents.items())
    return {prefix + name: data for name, data in (contents | {SUMS: sums.encode()}).items()}


class OneCard:
    """A partition's files, as a cut left them."""

    def __init__(self) -> None:
        self.files: Files = CONFIG | boot_set("1") | {CHOICE: choice("", "")}

    def check_fat(self, image: Path) -> int:
        return 0

    def read_fat(self, image: Path, into: Path) -> Files:
        return self.files


@pytest.fixture
def card() -> OneCard:
    return OneCard()


def look(card: OneCard, files: Files) -> Found:
    firmware = Firmware(cast(FileSystems, card), Path())
    card.files = card.files | files
    return firmware.look(Path())


def test_whole_set_that_is_chosen_is_no_fault_and_a_fact(card: OneCard) -> None:
    second = boot_set("2", "a/")
    found = look(card, {**second, CHOICE: choice("a", "")})
    assert found == Found((), {"boot-files": digest(second[f"a/{SUMS}"])}, False)


def test_half_a_set_that_is_not_chosen_is_no_fault(card: OneCard) -> None:
    found = look(card, {"a/u-boot.bin": b"half", f"a/{TREE}": b""})
    assert found == Found((), {"boot-files": digest(boot_set("1")[SUMS])}, False)


def test_mixed_set_that_is_chosen_is_a_fault(card: OneCard) -> None:
    mixed = boot_set("2", "a/") | {f"a/{TREE}": b"tree 1"}
    found = look(card, {**mixed, CHOICE: choice("a", "")})
    assert found.faults == (f"a/{TREE} is chosen, and not as {SUMS} lists it",)


def test_set_that_is_chosen_before_its_list_is_there_is_a_fault(card: OneCard) -> None:
    early = boot_set("2", "a/")
    del early[f"a/{SUMS}"]
    found = look(card, {**early, CHOICE: choice("a", "")})
    assert found.faults == ("the boot files of a/ are chosen before they were whole",)


def test_flashed_set_that_changed_is_a_fault(card: OneCard) -> None:
    found = look(card, {"u-boot.bin": b"loader 2"})
    assert "u-boot.bin on the firmware partition is damaged" in found.faults
