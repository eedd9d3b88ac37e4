"""The order of a build: tools, base, our layer, initrd, slot, disk. Each step's how is elsewhere."""

import calendar
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from . import base, disk, firmware, initrd, keys, layer, slot
from .names import Names
from .places import Places
from .stages import Artefact, Progress, finished, sha256
from .tools_tree import open_tree
from .tree import Tree

# As in image/mkosi.conf: the time that all files carry.
EPOCH = 1762000000


@dataclass(frozen=True, slots=True)
class Workshop:
    """What every step of a build needs."""

    places: Places
    names: Names
    tree: Tree
    progress: Progress


def open_workshop(progress: Progress) -> Workshop:
    """Read the names and open the tools tree, making it where there is none."""
    places = Places.from_environment()
    names = Names.read(places.source / "pi-gen.conf")
    with progress.stage("tools tree", "a minute or two, once"):
        tree = open_tree(places, names)
    return Workshop(places, names, tree, progress)


def ensure_base(shop: Workshop, *, anew: bool = False) -> Path:
    """The archive of the base; made where its recipe changed."""
    target = base.path(shop.places, shop.names)
    if anew or not target.exists():
        with shop.progress.stage("base", "6 to 8 minutes where arm64 is emulated, then cached"):
            base.make(shop.places, shop.names, shop.tree, target=target)
    return target


def build_slot(shop: Workshop, work: Path) -> tuple[Path, Path]:
    """A whole slot image, and the folder with the firmware that belongs to it."""
    archive = ensure_base(shop)
    root, boot_files, image = work / "root", work / "firmware", work / "rootfs.img"
    shutil.rmtree(work, ignore_errors=True)
    root.mkdir(parents=True)
    names, tree, image_folder = shop.names, shop.tree, shop.places.image
    with shop.progress.stage("unpack base"):
        unpack: list[str | Path] = ["tar", "--extract", "--zstd", "--numeric-owner"]
        tree.run([*unpack, f"--directory={root}", f"--file={archive}"])
    with shop.progress.stage("our files"):
        firmware.collect(root, image_folder / "boot", tree, target=boot_files, epoch=EPOCH)
        before = slot.inventory(root)
        release = layer.Release(names, _build_name(), keys.keyring(shop.places, tree))
        layer.apply(root, shop.places, release, tree)
        firmware.drop_sources(root)
        initrd.make(root, image_folder / "initrd", tree, target=root / "boot/initrd.img")
    with shop.progress.stage("slot image"):
        in_order = slot.order(root, before)
        layer.set_times(root, EPOCH, _day(names.release_date))
        slot.make(root, tree, in_order, target=image, most_mib=names.slot_mib, epoch=EPOCH)
    return image, boot_files


def build_image(shop: Workshop, *, compress: bool = True) -> list[Artefact]:
    """Slot and disk image, the latter compressed as people download it."""
    image, boot_files = build_slot(shop, shop.places.work / "slot")
    out, names = shop.places.out, shop.names
    rootfs = out / f"{names.stem}.rootfs.img"
    whole = out / f"{names.stem}.img"
    with shop.progress.stage("disk image"):
        shutil.move(image, rootfs)
        disk.make(disk.Parts(boot_files, rootfs), names, shop.tree, target=whole, epoch=EPOCH)
    made = [Artefact(rootfs, "slot", sha256(rootfs)), Artefact(whole, "disk", sha256(whole))]
    if compress:
        with shop.progress.stage("compressed image"):
            pressed = whole.with_name(whole.name + ".xz")
            # Blocks of a fixed size, so that the result does not depend on the number of threads.
            press = ["bash", "-euc", 'xz -k -c -T0 -3 --block-size=16MiB "$1" > "$2"', "bash"]
            shop.tree.run([*press, whole, pressed], timeout_s=1200)
            made.append(finished(pressed, "to be flashed"))
    return made


def _build_name() -> str:
    """Equal for equal input; a build server may name its own."""
    return "local"


def _day(date: str) -> int:
    return calendar.timegm(time.strptime(date, "%Y-%m-%d"))
