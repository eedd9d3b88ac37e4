"""The tools tree: Debian 13 with everything that builds and boots images, so that the building
machine needs only mmdebstrap. Also lets the kernel run arm64 programs through that tree's QEMU.
"""

import hashlib
import os
import platform
import shutil
import subprocess
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

from . import apt_sources, packages
from .names import Names
from .places import Places
from .tree import Tree

_BINFMT = Path("/proc/sys/fs/binfmt_misc")
_HOST_PROGRAMS = {"mmdebstrap": "mmdebstrap", "unshare": "util-linux", "pivot_root": "util-linux"}
_DEBIAN_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}


def open_tree(places: Places, names: Names) -> Tree:
    """The tree that SAINT_TOOLS_TREE names, or our own one, made where it is missing."""
    _require_root()
    path = places.tools or _own(places, names)
    if not (path / "usr/bin/mkosi").exists():
        raise SaintError(
            Code.CONFIG_INVALID,
            f"SAINT_TOOLS_TREE={path} has no mkosi",
            fix="Unset it: `make image` makes a tools tree of its own.",
        )
    places.cache.mkdir(parents=True, exist_ok=True)
    places.out.mkdir(parents=True, exist_ok=True)
    return Tree(path, (places.source, places.cache, places.out))


def ensure_arm64(tree: Path) -> None:
    """Make the kernel run arm64 programs with this tree's QEMU (older ones know less)."""
    if platform.machine() == "aarch64":
        return
    if not (_BINFMT / "register").exists():
        mount = ["mount", "-t", "binfmt_misc", "binfmt_misc", str(_BINFMT)]
        subprocess.run(mount, check=True, timeout=10)
    entry = _BINFMT / "saint-aarch64"
    if entry.exists():  # an earlier build of ours, maybe with another tree
        return
    line = (tree / "usr/lib/binfmt.d/qemu-aarch64.conf").read_text().strip()
    fields = line.split(":")
    # F keeps the interpreter open, so that it is found in every tree. The newest entry wins.
    fields[1], fields[-2], fields[-1] = entry.name, str(tree / fields[-2].lstrip("/")), "POF"
    (_BINFMT / "register").write_text(":".join(fields))


def _own(places: Places, names: Names) -> Path:
    """Make it once for each package list."""
    _require_programs()
    wanted = packages.names(places.image / "tools.list")
    key = hashlib.sha256("\n".join([names.release, *wanted]).encode()).hexdigest()[:12]
    path = places.cache / f"tools-{key}"
    if path.exists():
        return _current(path)
    unfinished = path.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    places.cache.mkdir(parents=True, exist_ok=True)
    with (places.cache / "tools.log").open("wb") as log:
        made = subprocess.run(
            _mmdebstrap(names.release, wanted, unfinished),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            timeout=1800,
            check=False,
        )
    if made.returncode:
        raise SaintError(
            Code.INTERNAL,
            f"the tools tree could not be made (mmdebstrap ended with {made.returncode})",
            fix=f"Look at {places.cache / 'tools.log'}; is the archive reachable?",
        )
    unfinished.rename(path)
    return _current(path)


def _current(path: Path) -> Path:
    """Where tools.vm looks for the programs that boot what was built: `tools`, a link to it."""
    link, aside = path.with_name("tools"), path.with_name(f"tools.{os.getpid()}")
    if not link.is_symlink() or link.readlink() != Path(path.name):
        aside.unlink(missing_ok=True)
        aside.symlink_to(path.name)
        aside.replace(link)
    return path


def _mmdebstrap(release: str, wanted: list[str], target: Path) -> list[str]:
    machine = _DEBIAN_NAMES.get(platform.machine(), "amd64")
    architectures = list(dict.fromkeys([machine, "arm64"]))
    command = ["mmdebstrap", "--variant=apt", "--components=main,non-free-firmware"]
    command += ["--aptopt=Apt::Install-Recommends false"]
    command += [f"--architectures={','.join(architectures)}", f"--include={','.join(wanted)}"]
    return [*command, release, str(target), apt_sources.mirror()]


def _require_root() -> None:
    if os.geteuid() != 0:
        raise SaintError(
            Code.FORBIDDEN,
            "building an image needs root: files of many owners, private mounts",
            fix="Say: sudo -E make image",
        )


def _require_programs() -> None:
    missing = {deb for name, deb in _HOST_PROGRAMS.items() if shutil.which(name) is None}
    if missing:
        raise SaintError(
            Code.NOT_FOUND,
            f"this machine lacks {', '.join(sorted(missing))}",
            fix=f"Say: apt install {' '.join(sorted(missing))} debian-archive-keyring",
        )
