"""The Pi's own U-Boot on QEMU's `raspi4b`: it counts the slots, and the kernel mounts the slot from
the SD card. No network is modelled there, so no update.
"""

import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.image.artefacts import Artefacts
from tests.image.pi_board import BOARD, DEVICE_TREE, U_BOOT, device_tree, merged_tree
from tests.image.rig import Rig
from tools.powercut.disks.layout import ENV_BYTES, ENV_OFFSETS
from tools.powercut.environment import read
from tools.vm.channel import Channel, SilentError
from tools.vm.disk import Card
from tools.vm.programs import Programs, fields
from tools.vm.settings import PATIENCE

_CARD_MIB = 4096  # QEMU's card must be a power of two
_LIMIT_S = 900 * PATIENCE

pytestmark = pytest.mark.image_all


class Board:
    """A Pi 4 that runs. Its two serial ports are U-Boot's and the kernel's."""

    def __init__(self, card: Card, tree: Path, folder: Path) -> None:
        self.card = card
        self.ports = [Channel(folder / f"uart{n}", folder / f"uart{n}.log") for n in (0, 1)]
        programs = Programs.find()
        drive = fields("", {"file": card.path, "if": "sd", "format": "raw", "cache": "unsafe"})
        command = programs.argv(
            "qemu-system-aarch64",
            *("-L", str(programs.data("usr/share/qemu"))),
            *("-M", "raspi4b", "-m", "2G", "-smp", "4", "-accel", "tcg,thread=multi"),
            *("-kernel", str(programs.data(U_BOOT)), "-dtb", str(tree), "-drive", drive),
            *("-display", "none", "-monitor", "none"),
        )
        for number, port in enumerate(self.ports):
            end = {"id": f"uart{number}", "path": port.path}
            command += ["-chardev", fields("socket", end), "-serial", f"chardev:uart{number}"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        for port in self.ports:
            port.accept()

    def wait_for(self, pattern: str) -> re.Match[str]:
        """On either port: U-Boot changes from one to the other on its way."""
        for _ in range(int(_LIMIT_S)):
            for port in self.ports:
                try:
                    return port.wait_for(pattern, timeout_s=0.5)
                except SilentError:
                    continue
        said = "\n".join("\n".join(port.text().splitlines()[-40:]) for port in self.ports)
        raise SilentError(f"{pattern!r} did not come within {_LIMIT_S:g} s:\n{said}")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(20)
        for port in self.ports:
            port.close()


@pytest.fixture(scope="module")
def board(rig: Rig, artefacts: Artefacts) -> Iterator[Board]:
    programs = Programs.find()
    folder = rig.folder / "pi"
    folder.mkdir()
    card = Card.copy(artefacts.disk, folder / "card.img", programs, _CARD_MIB)
    original = folder / DEVICE_TREE
    original.write_bytes(card.get_bytes(DEVICE_TREE))
    tree = device_tree(original, folder / "without-absent.dtb", programs)
    take_delay(merged_tree(card, BOARD, folder), tree, programs)
    card.put({"boot.env": "extraargs=console=ttyAMA0 saint.deadman=3600\n"})
    running = Board(card, tree, folder)
    yield running
    running.stop()


def take_delay(source: Path, target: Path, programs: Programs) -> None:
    """Have U-Boot keep its console here, unlike with all overlays, but wait for a key as there."""
    delay = programs.run("fdtget", "-t", "u", str(source), "/config", "bootdelay").decode().strip()
    programs.run("fdtput", "-c", str(target), "/config")
    programs.run("fdtput", "-t", "u", str(target), "/config", "bootdelay", delay)


def test_boot_loader_looks_for_no_key(board: Board) -> None:
    """Any key of a USB keyboard would stop it at its prompt, and a Pi 400 is one."""
    board.wait_for(r"saint: boot script on mmc")
    said = [port.text() for port in board.ports]
    assert not any("Hit any key" in text for text in said), said


def test_boot_script_runs_from_the_sd_card(board: Board) -> None:
    board.wait_for(r"saint: boot script on mmc")
    board.wait_for(r"saint: booting slot A")


def test_kernel_mounts_the_slot_from_the_sd_card(board: Board) -> None:
    assert board.wait_for(r"saint-initrd: slot is (\S+)")[1].startswith("/dev/mmcblk")
    board.wait_for(r"systemd\[1\]: .*running in system mode|Welcome to")


def test_try_was_counted_on_the_card(board: Board) -> None:
    board.wait_for(r"saint-initrd: slot is")
    for offset, counted in environments(board.card).items():
        assert counted is not None, f"the copy at {offset:#x} is damaged"
        assert counted["BOOT_A_LEFT"] == "2"


@pytest.fixture
def deaf(rig: Rig, artefacts: Artefacts) -> Iterator[Board]:
    """A board with the overlays of config.txt, as it leaves the firmware."""
    programs = Programs.find()
    folder = rig.folder / "deaf"
    folder.mkdir()
    card = Card.copy(artefacts.disk, folder / "card.img", programs, _CARD_MIB)
    tree = device_tree(merged_tree(card, BOARD, folder), folder / "tree.dtb", programs, console="")
    running = Board(card, tree, folder)
    yield running
    running.stop()


def test_boot_loader_ignores_the_bytes_of_a_receiver(deaf: Board) -> None:
    """U-Boot stops at any byte on its console, and at Ctrl-C (3) in what it runs."""
    deadline = time.monotonic() + _LIMIT_S
    while not any(counted and counted["BOOT_A_LEFT"] == "2" for counted in tries(deaf)):
        assert time.monotonic() < deadline, "no try was counted: U-Boot has stopped"
        for port in deaf.ports:
            port.send(b"\x0f\x03\x00")
        deaf.ports[0].news(0, timeout_s=0.1)
    assert [port.text() for port in deaf.ports] == ["", ""]


def tries(board: Board) -> list[dict[str, str] | None]:
    return list(environments(board.card).values())


def environments(card: Card) -> dict[int, dict[str, str] | None]:
    """Return both copies on the card by their place; None for a damaged one."""
    found = {}
    with card.path.open("rb") as disk:
        for offset in ENV_OFFSETS:
            disk.seek(offset)
            found[offset] = read(disk.read(ENV_BYTES))
    return found
