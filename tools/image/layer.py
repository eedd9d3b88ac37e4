"""Our own files over the base: overlays, units, services, pages, and what says which release it is.

Where a file lands is decided here; what is in it, by the file. Nothing of one machine is written.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.selftest.boards import FILE as BOARDS
from tools.release import dpkg

from . import templates, web_files, wheels
from .names import Names
from .places import Places
from .tree import Tree

_OVERLAYS = ("common", "server", "node", "board-rpi4")
_UNITS = "usr/lib/systemd/system"
_PYTHON = "usr/lib/python3/dist-packages"
_SHARE = "usr/share/saint"
_BOARDS = "image/boards"  # firmware of the wagon's boards, which saintctl writes onto them
_IGNORED = {"__pycache__", ".gitkeep", ".npmrc", "README.md", "biome.json", "tsconfig.json"}
SAINTCTL = "../lib/python3/dist-packages/saint_services/saintctl/start.py"


def apply(root: Path, places: Places, names: Names, keyring: bytes, tree: Tree) -> None:
    """Lay everything over the tree at `root`, then make users and links with the system's tools."""
    lay(root, places, names)
    _write(root / "etc/rauc/keyring.pem", keyring)
    _finish(root, tree)


def lay(root: Path, places: Places, names: Names) -> None:
    """The files alone; the pi-gen stage calls this too, so that both images hold the same."""
    source = places.source
    if not (source / "manifests" / "api" / "openapi.json").is_file():
        text = "manifests/api holds no documents of the API"
        raise SaintError(Code.NOT_FOUND, text, fix="Run: make setup")
    for overlay in _OVERLAYS:
        _copy(source / "overlays" / overlay, root, names)
    _copy(source / "systemd", root / _UNITS, names)
    _copy(source / "saint_services", root / _PYTHON / "saint_services", names)
    wheels.lay(places, root / _PYTHON)
    _copy(source / "manifests", root / _SHARE / "manifests", names)
    _write(root / _SHARE / BOARDS, (source / BOARDS).read_bytes())
    _copy(source / _BOARDS, root / _SHARE / _BOARDS, names)
    _copy(source / "web", root / _SHARE / "web", names, keep=_is_page)
    _web_libraries(source / "web", root / _SHARE / "web")
    _link(root / "usr/bin/saintctl", SAINTCTL)
    _identity(root, names)


def _copy(
    source: Path, target: Path, names: Names, keep: Callable[[Path], bool] = lambda _: True
) -> None:
    """All files by path; `*.j2` is rendered with the names of pi-gen.conf and loses that ending."""
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        if not keep(relative) or _IGNORED & set(relative.parts):
            continue
        landing = target / relative
        if path.is_symlink():
            landing.parent.mkdir(parents=True, exist_ok=True)
            landing.unlink(missing_ok=True)
            landing.symlink_to(path.readlink())
        elif path.is_dir():
            landing.mkdir(mode=0o755, parents=True, exist_ok=True)
        elif path.suffix == ".j2" and "templates" not in relative.parts:
            _write(landing.with_suffix(""), templates.render(path, names), _mode(path))
        else:
            _write(landing, path.read_bytes(), _mode(path))


def _mode(path: Path) -> int:
    """Executable or not; everything else a checkout's file mode says is chance."""
    return 0o755 if path.stat().st_mode & 0o100 else 0o644


def _write(path: Path, content: str | bytes, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # never through a link of the base
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)


def _link(path: Path, target: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def _web_libraries(source: Path, target: Path) -> None:
    """Of the libraries what a browser loads."""
    for path in web_files.libraries(source):
        _write(target / "node_modules" / path, (source / "node_modules" / path).read_bytes())


def _is_page(path: Path) -> bool:
    return "node_modules" not in path.parts and path.suffix != ".ts"


def _identity(root: Path, names: Names) -> None:
    """Which release this is, for our services, for RAUC and for everybody else."""
    _write(
        root / "usr/lib/saint/release.env",
        f"SAINT_VERSION={names.version}\n"
        f"SAINT_COMPATIBLE={names.compatible}\n"
        # No time and no commit: equal content gives an equal slot.
        f"SAINT_BUILD={names.release_date}\n",
    )
    os_release = root / "usr/lib/os-release"
    kept = [line for line in os_release.read_text().splitlines() if "IMAGE_" not in line]
    kept += [f"IMAGE_ID={names.image}", f"IMAGE_VERSION={names.version}"]
    _write(os_release, "\n".join(kept) + "\n")
    _write(root / "etc/machine-id", "")
    _write(root / "etc/hostname", names.all["TARGET_HOSTNAME"] + "\n")


def _finish(root: Path, tree: Tree) -> None:
    """Users, enabled units, compiled Python; then drop what only the installation needed."""
    # sysusers writes the day of a password's change; day 0 would mean that it must be changed.
    variables = {"SOURCE_DATE_EPOCH": "86400"}
    tree.run(["systemd-sysusers", f"--root={root}"], variables=variables)
    tree.run(["systemctl", f"--root={root}", "preset-all"])
    compile_all: list[str | Path] = ["python3", "-m", "compileall", "-q", "-f"]
    compile_all += ["--invalidation-mode", "unchecked-hash", "-s", root, "-p", "/"]
    compile_all += [root / _PYTHON / "saint_services", *wheels.modules(root / _PYTHON)]
    tree.run(compile_all)
    # PyAV's wheel is three quarters debug information: 30 of 42 MB.
    bulky: list[str | Path] = [*wheels.libraries(root / _PYTHON)]
    if bulky:
        tree.run(["aarch64-linux-gnu-strip", "--strip-debug", *bulky])
    for leftover in [*(root / "etc").glob("*-"), root / "etc/.pwd.lock"]:
        leftover.unlink(missing_ok=True)
    _clear_var(root)


def _clear_var(root: Path) -> None:
    """A file system in memory covers /var. Only the list of packages stays, for readers of
    the image; the bill of materials is made of it."""
    dpkg.forget_removed(root)
    packages = root / "var/lib/dpkg/status"
    kept = packages.read_bytes()
    for content in (root / "var").iterdir():
        if content.is_dir() and not content.is_symlink():
            shutil.rmtree(content)
        else:
            content.unlink()
    _write(packages, kept)


def set_times(root: Path, epoch: int, release_day: int) -> None:
    """No file is younger than `epoch`, so that two builds are equal; the clock file is."""
    for folder, _, files in os.walk(root):
        for path in [folder, *(os.path.join(folder, name) for name in files)]:  # noqa: PTH118
            if os.lstat(path).st_mtime > epoch:
                os.utime(path, (epoch, epoch), follow_symlinks=False)
    clock = root / "usr/lib/clock-epoch"  # systemd never starts with an older clock
    clock.touch()
    os.utime(clock, (release_day, release_day))
