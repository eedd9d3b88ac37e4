"""The boards of the image: one list for its table, its card and the list for Imager."""

from pathlib import Path

import pytest
import yaml

from saint_services.lib.errors import SaintError
from tools.image.boot import firmware
from tools.image.boot.boards import Boards
from tools.image.places import ROOT
from tools.image.tree import Tree

BOARDS = Boards.read()
_IMAGER = {"CM3": "Compute Module 3", "CM4": "Compute Module 4"}


def test_table_of_the_readme_is_that_of_the_boards() -> None:
    assert BOARDS.table() in (ROOT / "image" / "README.md").read_text()


def test_table_for_raspberry_pi_os_is_that_of_the_boards() -> None:
    assert BOARDS.pi_os_table() in (ROOT / "image" / "pi-gen" / "README.md").read_text()


def test_every_function_with_raspberry_pi_os_says_whether_it_works() -> None:
    for row in BOARDS.raspberry_pi_os.functions:
        for answer in (row.pi5, row.older):
            word, _, why = answer.partition(":")
            assert word in ("yes", "no"), row.what
            assert why or word == "yes", f"{row.what}: why does it not work?"


def test_imager_offers_the_boards_of_the_table() -> None:
    entry = yaml.safe_load((ROOT / "image" / "imager" / "entry.yaml").read_text())
    offered = " ".join(device["description"] for device in entry["devices"])
    for board in BOARDS.boards:
        assert _IMAGER.get(board.name, board.name.removeprefix("Pi ")) in offered


class NoPrograms(Tree):
    """A tools tree whose programs do nothing."""

    def run(self, *_: object, **__: object) -> bytes:
        return b""


def root_with(folder: Path, names: list[str]) -> Path:
    """A system with these device trees, and the parts that the card also needs."""
    for name in names:
        path = folder / "usr/lib/linux-image-6.12/broadcom" / f"{name}.dtb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    for radio in {radio for board in BOARDS.boards for radio in board.radios}:
        path = folder / "usr/lib/firmware/brcm" / f"{radio}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(radio.encode())
    (folder / "usr/lib/raspi-firmware/overlays").mkdir(parents=True)
    (folder / "usr/lib/u-boot/rpi_arm64").mkdir(parents=True)
    (folder / "usr/lib/u-boot/rpi_arm64/u-boot.bin").write_bytes(b"u")
    return folder


def collected(root: Path, target: Path) -> set[str]:
    tree = NoPrograms(root, ())
    firmware.collect(root, ROOT / "image" / "boot", tree, target=target, epoch=0)
    return {path.stem for path in target.glob("*.dtb")}


def test_card_has_no_tree_of_a_pi_5_so_that_its_loader_refuses(tmp_path: Path) -> None:
    ours = {board.tree for board in BOARDS.boards}
    root = root_with(tmp_path / "root", [*ours, "bcm2712-rpi-5-b"])
    assert collected(root, tmp_path / "card") == ours


def test_kernel_without_the_tree_of_a_board_stops_the_build(tmp_path: Path) -> None:
    root = root_with(tmp_path / "root", [board.tree for board in BOARDS.boards[1:]])
    with pytest.raises(SaintError, match="no device tree for a Pi 3B"):
        collected(root, tmp_path / "card")


def test_radio_without_firmware_stops_the_build(tmp_path: Path) -> None:
    root = root_with(tmp_path / "root", [board.tree for board in BOARDS.boards])
    (root / "usr/lib/firmware/brcm/brcmfmac43455-sdio.bin").unlink()
    with pytest.raises(SaintError, match=r"Wi-Fi of a Pi 3B\+ \(brcmfmac43455-sdio\.bin\)"):
        collected(root, tmp_path / "card")


def test_every_board_with_wifi_names_its_radio() -> None:
    for board in BOARDS.boards:
        assert bool(board.radios) == ("wifi" in board.has) or board.name == "CM4", board.name


def test_ethernet_of_a_family_is_that_of_its_boards() -> None:
    """A compute module has none; a socket of its carrier hangs on USB."""
    (row,) = (row for row in BOARDS.features if row.what == "Ethernet")
    with_socket = [b.name for b in BOARDS.boards if b.family == "pi3" and b.has_ethernet]
    socket, _, others = row.pi3.partition("; ")
    assert socket == ", ".join(name.removeprefix("Pi ") for name in with_socket)
    for board in BOARDS.boards:
        if board.family == "pi3" and not board.has_ethernet:
            assert f"{board.name.removeprefix('Pi ')}: " in others  # how it gets a cable


def test_card_has_no_firmware_that_config_txt_does_not_name(tmp_path: Path) -> None:
    """Those with an x are for cameras by MMAL (start_x=1), which the image does not use."""
    root = root_with(tmp_path / "root", [board.tree for board in BOARDS.boards])
    for name in ("start.elf", "start4.elf", "start_x.elf", "start4x.elf", "fixup_x.dat"):
        (root / "usr/lib/raspi-firmware" / name).write_bytes(b"f")
    collected(root, tmp_path / "card")
    found = {path.name for path in (tmp_path / "card").iterdir() if path.suffix in (".elf", ".dat")}
    assert found == {"start.elf", "start4.elf"}
