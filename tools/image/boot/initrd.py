"""Makes the initrd: busybox, a few kernel modules and image/initrd/init. Runs no program of the
device, so it needs no emulation."""

import lzma
from pathlib import Path

from ..tree import Tree
from . import cpio
from .kernel_modules import Index

_FOLDERS = ("bin", "dev", "modules", "newroot", "proc", "run", "sys")


def make(root: Path, definition: Path, tree: Tree, *, target: Path) -> None:
    """Write it to `target`, with modules and busybox of the tree at `root`."""
    plain = target.with_suffix(".cpio")
    plain.write_bytes(archive(root, definition))
    # One thread: with more, the result depends on how many there were.
    tree.run(["zstd", "-q", "-f", "-19", "--single-thread", "--rm", plain, "-o", target])


def archive(root: Path, definition: Path) -> bytes:
    """The uncompressed archive."""
    entries = cpio.Archive()
    for folder in _FOLDERS:
        entries.folder(folder)
    entries.character_device("dev/console", 5, 1)
    entries.file("bin/busybox", (root / "usr/bin/busybox").read_bytes(), 0o755)
    for applet in _words(definition / "busybox"):
        entries.link(f"bin/{applet}", "busybox")
    (modules,) = (root / "usr/lib/modules").iterdir()
    names = []
    for path in Index(modules).load_order(_words(definition / "modules")):
        content = path.read_bytes()
        if path.suffix == ".xz":  # busybox's insmod reads plain files
            content, path = lzma.decompress(content), path.with_suffix("")
        names.append(path.name)
        entries.file(f"modules/{path.name}", content)
    entries.file("modules/list", "".join(f"{name}\n" for name in names).encode())
    entries.file("init", (definition / "init").read_bytes(), 0o755)
    return entries.finished()


def _words(path: Path) -> list[str]:
    lines = [line.partition("#")[0].strip() for line in path.read_text().splitlines()]
    return [line for line in lines if line]
