"""QEMU's `raspi4b`: the Pi's own U-Boot, SD controller and interrupt wiring, without a network.

QEMU does not run the Pi's firmware (start4.elf, config.txt) and lacks many of its devices. Debian's
kernel dies on those; the device tree that it gets here has them switched off. Nothing in the
image is changed.
"""

import shutil
from pathlib import Path

from saint_services.lib.selftest.boards import SupportedBoard
from tools.image.boot.boards import Boards
from tools.image.boot.device_tree import overlays
from tools.vm.disk import Card
from tools.vm.programs import Programs

U_BOOT = "usr/lib/u-boot/rpi_arm64/u-boot.bin"
DEVICE_TREE = "bcm2711-rpi-4-b.dtb"
BOARD = next(board for board in Boards.read().boards if f"{board.tree}.dtb" == DEVICE_TREE)

# Not modelled by QEMU 10, or modelled so that the kernel's driver fails or never returns.
_ABSENT = (
    "/soc/interrupt-controller@7ef00100",
    "/soc/hdmi@7ef00700",
    "/soc/hdmi@7ef05700",
    "/soc/i2c@7ef04500",
    "/soc/i2c@7ef09500",
    "/soc/clock@7ef00000",
    "/soc/hvs@7e400000",
    "/soc/pixelvalve@7e206000",
    "/soc/pixelvalve@7e207000",
    "/soc/pixelvalve@7e20a000",
    "/soc/pixelvalve@7e216000",
    "/soc/pixelvalve@7ec12000",
    "/soc/avs-monitor@7d5d2000",
    "/soc/vec@7ec13000",
    "/soc/txp@7e004000",
    "/soc/dsi@7e209000",
    "/soc/dsi@7e700000",
    "/soc/usb@7e980000",
    "/soc/serial@7e215040",
    "/gpu",
    "/emmc2bus/mmc@7e340000",
)
_CARD_SLOT = "/soc/mmc@7e300000"  # where QEMU's SD card is; on the board it is the radio's


def merged_tree(card: Card, board: SupportedBoard, folder: Path) -> Path:
    """Lay the overlays of config.txt over the card's tree of that board, as the firmware does."""
    source, merged = folder / "board.dtb", folder / "merged.dtb"
    source.write_bytes(card.get_bytes(f"{board.tree}.dtb"))
    files = [folder / f"{name}.dtbo" for name in overlays(card.get("config.txt"), board.sections)]
    for file in files:
        file.write_bytes(card.get_bytes(f"overlays/{file.name}"))
    card.programs.run("fdtoverlay", "-i", str(source), "-o", str(merged), *map(str, files))
    return merged


def device_tree(
    source: Path, target: Path, programs: Programs, console: str = "serial0:115200n8"
) -> Path:
    """The board's device tree without what QEMU lacks; `console` is U-Boot's, empty for none."""
    shutil.copyfile(source, target)

    def put(*words: str) -> None:
        programs.run("fdtput", *words)

    for node in _ABSENT:
        if _has(target, node, programs):
            put("-t", "s", str(target), node, "status", "disabled")
    for name in ("mmc-pwrseq", "non-removable"):
        put("-d", str(target), _CARD_SLOT, name)
    for child in programs.run("fdtget", "-l", str(target), _CARD_SLOT).decode().split():
        put("-r", str(target), f"{_CARD_SLOT}/{child}")
    put(str(target), _CARD_SLOT, "broken-cd")
    put("-t", "s", str(target), "/chosen", "stdout-path", console)
    return target


def _has(tree: Path, node: str, programs: Programs) -> bool:
    parent, _, name = node.rpartition("/")
    return name in programs.run("fdtget", "-l", str(tree), parent or "/").decode().split()
