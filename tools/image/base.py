"""The base: Debian without any file of ours, made by mkosi and kept as one archive in the cache.

It takes minutes on a machine that emulates arm64, so its name is a hash of everything it is made
of, and it is made again only when that changes. Our own files come later (layer.py).
"""

import hashlib
import shutil
from pathlib import Path

from . import apt_sources, packages, tools_tree
from .names import Names
from .places import Places
from .tree import Tree

_DEFINITION = ("mkosi.conf", "mkosi.conf.d", "mkosi.finalize", "modules.list", "packages.list")
_TIMEOUT_S = 3600.0


def recipe_hash(image: Path, release: str) -> str:
    """Changes when the base would."""
    total = hashlib.sha256(release.encode())
    for name in _DEFINITION:
        path = image / name
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            total.update(f"\0{file.relative_to(image)}\0".encode() + file.read_bytes())
    return total.hexdigest()[:12]


def path(places: Places, names: Names) -> Path:
    """Where the archive of today's definition lies, or will lie."""
    return places.cache / "base" / f"base-{recipe_hash(places.image, names.release)}.tar.zst"


def make(places: Places, names: Names, tree: Tree, *, target: Path) -> None:
    """Build it; mkosi's log is written beside it."""
    tools_tree.ensure_arm64(tree.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    work = places.work / "mkosi"
    shutil.rmtree(work, ignore_errors=True)
    for name in ("out", "packages", "workspace", "sandbox/etc/apt/sources.list.d"):
        (work / name).mkdir(parents=True)
    address = apt_sources.mirror()
    # mkosi's own file of this name would ask for an archive of debug symbols, which mirrors lack.
    sources = work / "sandbox/etc/apt/sources.list.d/mkosi.sources"
    sources.write_text(apt_sources.stanza(address, names.release))
    kept = places.cache / "packages"
    kept.mkdir(exist_ok=True)
    command: list[str | Path] = ["mkosi", f"--directory={places.image}", "--force"]
    command += [f"--release={names.release}", f"--mirror={address}"]
    command += [f"--sandbox-tree={work / 'sandbox'}", f"--output-directory={work / 'out'}"]
    command += [f"--package-cache-dir={kept}", f"--workspace-directory={work / 'workspace'}"]
    command += [f"--package={name}" for name in packages.names(places.image / "packages.list")]
    log = target.with_suffix(".log")
    tree.run([*command, "build"], timeout_s=_TIMEOUT_S, log=log)
    (work / "out" / "base.tar.zst").rename(target)
    shutil.rmtree(work)
