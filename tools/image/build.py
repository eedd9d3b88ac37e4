"""The order of a build: tools, base, our layer, initrd, slot, disk, bundle. How is elsewhere."""

import calendar
import fcntl
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from saint_services.lib.errors import Code, SaintError
from saint_services.saintctl.image import signing
from tools.release import documents, dpkg, imager, tracker, vulnerabilities

from . import base, block_map, disk, keys, layer, privileges, release, slot
from .boot import firmware, initrd, kernel_room
from .names import Names
from .places import Places
from .stages import Artefact, Progress, finished, sha256
from .tools_tree import open_tree
from .tree import Tree

# As in image/mkosi.conf: the time that all files carry.
EPOCH = 1762000000
_SOURCE_FOLDERS = ("image", "manifests", "overlays", "saint_services", "systemd", "web")
_SOURCE_FILES = ("pi-gen.conf", "requirements.lock")


@dataclass(frozen=True, slots=True)
class Workshop:
    """What every step of a build needs."""

    places: Places
    names: Names
    tree: Tree
    progress: Progress


@contextmanager
def open_workshop(progress: Progress, version: str = "") -> Iterator[Workshop]:
    """Names, folders and tools, for one build at a time."""
    places = Places.from_environment()
    names = Names.read(places.source / "pi-gen.conf")
    if version:
        names = names.with_version(version)
    places.cache.mkdir(parents=True, exist_ok=True)
    with (places.cache / "lock").open("w") as lock:
        with progress.stage("wait for another build") if _is_taken(lock.fileno()) else _nothing():
            fcntl.flock(lock, fcntl.LOCK_EX)
        log = places.cache / "tools.log"
        with progress.stage("tools tree", "a minute or two, once", log):
            tree = open_tree(places, names)
        yield Workshop(places, names, tree, progress)


def ensure_base(shop: Workshop, *, again: bool = False) -> Path:
    """The archive of the base; made where its recipe changed."""
    target = base.path(shop.places, shop.names)
    if again or not target.exists():
        hint, log = "8 minutes where arm64 is emulated, then cached", target.with_suffix(".log")
        with shop.progress.stage("base", hint, log):
            has_security = base.make(shop.places, shop.names, shop.tree, target=target)
        if not has_security:
            said = (
                "Debian's security updates are not in it: SAINT_SECURITY_MIRROR names an archive."
            )
            shop.progress.say(said, is_warning=True)
    sentence, is_old = base.age(base.moment(target), datetime.now(UTC))
    shop.progress.say(sentence, is_warning=is_old)
    return target


def build_slot(shop: Workshop, work: Path) -> Path:
    """A whole slot image; beside it, the folder with the firmware that belongs to it."""
    archive = ensure_base(shop)
    root, image = work / "root", work / "rootfs.img"
    shutil.rmtree(work, ignore_errors=True)
    root.mkdir(parents=True)
    names, tree, image_folder = shop.names, shop.tree, shop.places.image
    if signing.trusts_development(shop.places.image):
        shop.progress.say(keys.ensure_development(shop.places, tree), is_warning=True)
    with shop.progress.stage("unpack base"):
        unpack: list[str | Path] = ["tar", "--extract", "--zstd", "--numeric-owner"]
        tree.run([*unpack, f"--directory={root}", f"--file={archive}"])
    with shop.progress.stage("our files"):
        boot_files = work / "firmware"
        firmware.collect(root, image_folder / "boot", tree, target=boot_files, epoch=EPOCH)
        before = slot.inventory(root)
        layer.apply(root, shop.places, names, keys.keyring(shop.places, tree), tree)
        firmware.ship(boot_files, root)
        firmware.drop_sources(root)
        kernel_room.check(root / "boot/vmlinuz", image_folder / "boot/boot.cmd")
        privileges.drop(root, image_folder / "privileged.list")
        initrd.make(root, image_folder / "initrd", tree, target=root / "boot/initrd.img")
    with shop.progress.stage("slot image"):
        in_order = slot.order(root, before)
        layer.set_times(root, EPOCH, _day(names.release_date))
        slot.make(root, tree, in_order, target=image, most_mib=names.slot_mib, epoch=EPOCH)
    return image


def build_image(shop: Workshop, *, compress: bool = True) -> list[Artefact]:
    """Slot, its bundle, disk image, the latter as people download it, and the bill of materials."""
    work = shop.places.work / "slot"
    out, names = shop.places.out, shop.names
    rootfs, whole = _rootfs(shop), out / f"{names.stem}.img"
    shutil.move(build_slot(shop, work), rootfs)
    # A release that no device could check is of no use on the card.
    bundled = _bundle(shop, rootfs) if release.is_trusted(shop.places) else []
    with shop.progress.stage("disk image"):
        carried = bundled[0].path if bundled else None
        parts = disk.Parts(work / "firmware", rootfs, carried)
        disk.make(parts, names, shop.tree, target=whole, epoch=EPOCH)
    made = [Artefact(rootfs, "slot", sha256(rootfs)), Artefact(whole, "disk", sha256(whole))]
    made += bundled
    made.append(_block_map(shop, whole, rootfs))
    moment = base.moment(base.path(shop.places, names))
    with shop.progress.stage("bill of materials"):
        written = documents.write(work / "root", out, names.version, moment)
        made += [Artefact(path, "packages, licences", sha256(path)) for path in written]
    made += _vulnerabilities(shop, work / "root")
    if compress:
        with shop.progress.stage("compressed image"):
            packed = finished(_compress(shop, whole), "to be flashed")
            content = imager.Extract(whole.stat().st_size, made[1].sha256)
            listed = imager.write(packed.path, out, extract=content)
        made += [packed, Artefact(listed, "for Raspberry Pi Imager", sha256(listed))]
    return made


def _block_map(shop: Workshop, whole: Path, rootfs: Path) -> Artefact:
    with shop.progress.stage("block map"):
        mapped = block_map.ranges(disk.Layout.of(shop.names), rootfs.stat().st_size)
        listed = whole.with_name(f"{whole.name}.bmap")
        listed.write_text(block_map.text(whole, mapped), encoding="ascii")
    return Artefact(listed, "for bmaptool", sha256(listed))


def _vulnerabilities(shop: Workshop, root: Path) -> list[Artefact]:
    """The known ones of its packages; nothing where Debian's data cannot be had."""
    try:
        with shop.progress.stage("known vulnerabilities"):
            data = tracker.load(shop.places.cache)
            found = vulnerabilities.find(dpkg.installed(root), data, shop.names.release)
    except SaintError as err:
        said = f"Known vulnerabilities of the packages are not listed: {err.message}"
        shop.progress.say(said, is_warning=True)
        return []
    sentence, is_warning = vulnerabilities.summary(found)
    shop.progress.say(sentence, is_warning=is_warning)
    moment = base.moment(base.path(shop.places, shop.names))
    path = shop.places.out / f"{shop.names.stem}.vulnerabilities.txt"
    path.write_text(vulnerabilities.table(found, moment), encoding="utf-8")
    return [Artefact(path, "known vulnerabilities", sha256(path))]


def build_bundle(shop: Workshop) -> list[Artefact]:
    """A slot image, the signed update with it, and the known vulnerabilities of its packages."""
    work, rootfs = shop.places.work / "slot", _rootfs(shop)
    shutil.move(build_slot(shop, work), rootfs)
    made = [Artefact(rootfs, "slot", sha256(rootfs)), *_bundle(shop, rootfs)]
    return made + _vulnerabilities(shop, work / "root")


def _bundle(shop: Workshop, rootfs: Path) -> list[Artefact]:
    places = shop.places
    with shop.progress.stage("bundle"):
        target = release.ensure(rootfs, places, shop.names, shop.tree)
    manifest = places.out / "manifest.json"
    return [finished(target, "update"), Artefact(manifest, "its manifest", sha256(manifest))]


def check_reproducible(shop: Workshop) -> str:
    """Build the slot twice, from copies in folders of different names; its hash, or an error."""
    work = shop.places.work / "reproducible"
    shutil.rmtree(work, ignore_errors=True)
    _copy_source(shop.places.source, work / "source")
    (work / "elsewhere").mkdir()
    _copy_source(work / "source", work / "elsewhere" / "checkout")
    images = []
    for name in ("source", "elsewhere/checkout"):
        places = replace(shop.places, source=work / name)
        images.append(build_slot(replace(shop, places=places), work / name / "slot"))
    hashes = [sha256(image) for image in images]
    if hashes[0] != hashes[1]:
        problem = f"two builds of the same files differ: {hashes[0]} and {hashes[1]}"
        raise SaintError(Code.INTERNAL, problem, fix=f"Compare {images[0]} and {images[1]}.")
    shutil.rmtree(work)
    return hashes[0]


def _copy_source(source: Path, target: Path) -> None:
    """What a slot is made of; a user may be editing the checkout meanwhile."""
    target.mkdir(parents=True)
    for name in _SOURCE_FOLDERS:
        shutil.copytree(source / name, target / name, symlinks=True)
    for name in _SOURCE_FILES:
        shutil.copy2(source / name, target)


def _rootfs(shop: Workshop) -> Path:
    return shop.places.out / f"{shop.names.stem}.rootfs.img"


def _compress(shop: Workshop, whole: Path) -> Path:
    pressed = whole.with_name(whole.name + ".zst")
    # A tenth of xz's time for a tenth more; the result does not depend on the number of threads.
    press: list[str | Path] = ["zstd", "-q", "-f", "-9", "-T0", whole, "-o", pressed]
    shop.tree.run(press, timeout_s=1200)
    return pressed


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def _is_taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _day(date: str) -> int:
    return calendar.timegm(time.strptime(date, "%Y-%m-%d"))
