"""Collects what the first partition holds: the Pi's firmware, U-Boot, device trees, boot script.

Device trees are those of boards.yaml alone: the loader of a Pi 5 looks for one of its own, and says
on the screen that this system does not support it. With one it would start U-Boot and stay black.
All of it comes out of packages of the base or from image/boot; the slot then has no copy of it.
"""

import shutil
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

from ..tree import Tree
from .boards import Boards

_SOURCES = (".cmd", ".md")  # files of image/boot that do not go there as they are
_UNUSED = ("cd", "db")  # firmware cut down, and with debugging; the one with cameras (x) stays


def collect(root: Path, definition: Path, tree: Tree, *, target: Path, epoch: int) -> None:
    """Fill the folder `target` from the tree at `root` and image/boot."""
    target.mkdir(parents=True)
    vendor = root / "usr/lib/raspi-firmware"
    for path in sorted(vendor.iterdir()):
        if path.is_file() and not path.stem.endswith(_UNUSED):
            shutil.copyfile(path, target / path.name)
    overlays = target / "overlays"
    overlays.mkdir()
    for path in sorted((vendor / "overlays").glob("*.dtbo")):
        shutil.copyfile(path, overlays / path.name)
    _copy_trees(root, target)
    shutil.copyfile(root / "usr/lib/u-boot/rpi_arm64/u-boot.bin", target / "u-boot.bin")
    _ours(definition, target, tree, epoch)


def drop_sources(root: Path) -> None:
    """Remove what only the first partition needs; name the kernel as the boot script does."""
    for pattern in ("usr/lib/raspi-firmware", "usr/lib/u-boot", "usr/lib/linux-image-*"):
        for path in root.glob(pattern):
            shutil.rmtree(path)
    boot = root / "boot"
    (kernel,) = boot.glob("vmlinuz-*")
    kernel.rename(boot / "vmlinuz")
    for path in [*boot.glob("config-*"), *boot.glob("System.map-*")]:
        path.unlink()
    shutil.rmtree(boot / "loader", ignore_errors=True)  # mkosi's, for a boot loader of PCs
    (root / "init").unlink(missing_ok=True)  # mkosi's, for a system that runs from its initrd


def _copy_trees(root: Path, target: Path) -> None:
    (trees,) = root.glob("usr/lib/linux-image-*/broadcom")
    for board in Boards.read().boards:
        name = f"{board.tree}.dtb"
        if not (trees / name).exists():
            raise SaintError(
                Code.CONFIG_INVALID,
                f"this kernel has no device tree for a {board.name} ({name})",
                fix="Correct image/boards.yaml.",
            )
        shutil.copyfile(trees / name, target / name)


def _ours(definition: Path, target: Path, tree: Tree, epoch: int) -> None:
    for path in sorted(definition.iterdir()):
        if path.is_file() and path.suffix not in _SOURCES:
            shutil.copyfile(path, target / path.name)
    for path in sorted((definition / "overlays").glob("*.dts")):
        compiled = target / "overlays" / f"{path.stem}.dtbo"
        tree.run(["dtc", "-@", "-I", "dts", "-O", "dtb", "-o", compiled, path])
    script: list[str | Path] = ["mkimage", "-A", "arm64", "-T", "script", "-C", "none"]
    script += ["-n", "SAINT.OS", "-d", definition / "boot.cmd", target / "boot.scr"]
    tree.run(script, variables={"SOURCE_DATE_EPOCH": str(epoch)})
