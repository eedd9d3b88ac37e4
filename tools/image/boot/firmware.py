"""Collects what the first partition holds: the Pi's firmware, U-Boot, device trees, boot script;
and what a slot brings for it: the boot files of its release (saint_services/setup/boot_files.py).

Device trees are those of boards.yaml alone: the loader of a Pi 5 looks for one of its own, and says
on the screen that this system does not support it. With one it would start U-Boot and stay black.
All of it comes out of packages of the base or from image/boot.
"""

import shutil
from pathlib import Path

from saint_services.lib.errors import Code, SaintError
from saint_services.setup import boot_files

from ..tree import Tree
from .boards import Boards

_SOURCES = (".cmd", ".md")  # files of image/boot that do not go there as they are
_UNUSED = ("cd", "db", "x")  # firmware cut down, with debugging, with cameras by MMAL


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
    _check_radios(root)
    shutil.copyfile(root / "usr/lib/u-boot/rpi_arm64/u-boot.bin", target / "u-boot.bin")
    _ours(definition, target, tree, epoch)
    # The firmware looks for overlays beside the chosen device trees only where this file is.
    (overlays / "README").write_text("Overlays for the device trees beside this folder.\n")
    _choose(target)


def ship(firmware: Path, root: Path) -> None:
    """Copy the boot files of this release into the slot at `root`."""
    target = root / boot_files.SHIPPED
    shutil.copytree(firmware / "overlays", target / "overlays")
    for path in _set(firmware):
        shutil.copyfile(path, target / path.name)
    shutil.copyfile(firmware / boot_files.SUMS, target / boot_files.SUMS)
    for path in (target, *target.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _set(firmware: Path) -> list[Path]:
    """The boot files of a release that lie in the folder itself."""
    return [firmware / "u-boot.bin", firmware / boot_files.SETTINGS, *firmware.glob("*.dtb")]


def _choose(target: Path) -> None:
    """List the files of the set; choose the flashed one."""
    settings = (target / boot_files.SETTINGS).read_text()
    paths = [*_set(target), *(target / "overlays").iterdir()]
    (target / boot_files.SUMS).write_text(boot_files.sums(target, paths))
    (target / boot_files.CHOICE).write_bytes(boot_files.choice(boot_files.FLASHED, settings))


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


def _check_radios(root: Path) -> None:
    for board in Boards.read().boards:
        for name in (f"{radio}.bin" for radio in board.radios):
            if not (root / "usr/lib/firmware/brcm" / name).exists():
                raise SaintError(
                    Code.CONFIG_INVALID,
                    f"there is no firmware for the Wi-Fi of a {board.name} ({name})",
                    fix="Correct mkosi.conf.d/20-kernel.conf, packages.list or boards.yaml.",
                )


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
