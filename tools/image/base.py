"""The base: Debian without any file of ours, made by mkosi and kept as one archive in the cache.

It takes minutes on a machine that emulates arm64, so its name is a hash of everything it is made
of, and it is made again only when that changes. It keeps the moment of Debian's archive that it was
made of, by which it can be made again (SAINT_SNAPSHOT). Our own files come later (layer.py).
"""

import hashlib
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from . import apt_sources, packages, tools_tree
from .names import Names
from .places import Places
from .tree import Tree

_DEFINITION = ("mkosi.conf", "mkosi.conf.d", "mkosi.finalize", "modules.list", "packages.list")
_TIMEOUT_S = 3600.0
_MOMENT = "%Y%m%dT%H%M%SZ"  # as snapshot.debian.org writes it
OLD = timedelta(days=7)


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
    pinned = apt_sources.pinned_moment()
    key = recipe_hash(places.image, names.release) + (f"-{pinned}" if pinned else "")
    return places.cache / "base" / f"base-{key}.tar.zst"


def moment(archive: Path) -> str:
    """When Debian's archive was as the base has it: 20261123T060000Z."""
    beside = _moment_file(archive)
    if beside.is_file():
        return beside.read_text(encoding="ascii").strip()
    return _written(datetime.fromtimestamp(archive.stat().st_mtime, UTC))


def age(moment: str, now: datetime) -> tuple[str, bool]:
    """A sentence about it, and whether the base is so old that it should be made again."""
    since = now - datetime.strptime(moment, _MOMENT).replace(tzinfo=UTC)
    days = max(since.days, 0)
    if since < OLD:
        old = "less than a day" if days == 0 else "one day" if days == 1 else f"{days} days"
        return f"The base is {old} old: Debian as of {moment}.", False
    return (
        f"The base is {days} days old: Debian as of {moment}. Security updates since then are not "
        "in this image. Make the base again: sudo -E .venv/bin/python -m tools.image base --again",
        True,
    )


def _written(when: datetime) -> str:
    return when.astimezone(UTC).strftime(_MOMENT)


def _moment_file(archive: Path) -> Path:
    return archive.with_suffix(".moment")


def make(places: Places, names: Names, tree: Tree, *, target: Path) -> bool:
    """Build it; mkosi's log is written beside it. False where no security updates are known."""
    tools_tree.ensure_arm64(tree.path)
    begun = datetime.now(UTC)
    target.parent.mkdir(parents=True, exist_ok=True)
    work = places.work / "mkosi"
    shutil.rmtree(work, ignore_errors=True)
    for name in ("out", "packages", "workspace", "sandbox/etc/apt/sources.list.d"):
        (work / name).mkdir(parents=True)
    archive = apt_sources.archive()
    # mkosi's own file of this name would ask for an archive of debug symbols, which mirrors lack.
    sources = work / "sandbox/etc/apt/sources.list.d/mkosi.sources"
    sources.write_text(archive.sources(names.release))
    kept = places.cache / "packages"
    kept.mkdir(exist_ok=True)
    command: list[str | Path] = ["mkosi", f"--directory={places.image}", "--force"]
    command += [f"--release={names.release}", f"--mirror={archive.address}"]
    command += [f"--sandbox-tree={work / 'sandbox'}", f"--output-directory={work / 'out'}"]
    command += [f"--package-cache-dir={kept}", f"--workspace-directory={work / 'workspace'}"]
    command += [f"--package={name}" for name in packages.names(places.image / "packages.list")]
    log = target.with_suffix(".log")
    tree.run([*command, "build"], timeout_s=_TIMEOUT_S, log=log)
    _moment_file(target).write_text(archive.moment or _written(begun), encoding="ascii")
    (work / "out" / "base.tar.zst").rename(target)
    shutil.rmtree(work)
    return bool(archive.security)
