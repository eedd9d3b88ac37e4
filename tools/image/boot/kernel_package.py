"""Fetches the device's kernel package from the Debian archive into the cache and unpacks what tests
look at: device trees, list of modules. The image build does not use it: its base has the kernel.
"""

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from saint_services.lib.errors import Code, SaintError

from .. import apt_sources
from ..names import Names
from ..places import Places
from .kernel_modules import name_of

_META = "linux-image-arm64"
_SETTINGS = """\
Dir "{0}";
Dir::State "{0}";
Dir::State::status "{0}/status";
Dir::Cache "{0}";
Dir::Etc "{0}";
Dir::Etc::sourceparts "{0}/sources";
APT::Architecture "arm64";
APT::Architectures "arm64";
APT::Sandbox::User "root";
Acquire::Languages "none";
"""


@dataclass(frozen=True, slots=True)
class KernelPackage:
    """Its unpacked parts."""

    folder: Path

    @property
    def trees(self) -> Path:
        return self.folder / "trees"

    @property
    def modules(self) -> set[str]:
        """Return the names of all modules, and of those that are built in."""
        return set((self.folder / "modules").read_text(encoding="utf-8").split())

    @property
    def version(self) -> str:
        return self.folder.name


def find(places: Places) -> KernelPackage | None:
    """Return the newest one in the cache."""
    found = [path for path in (places.cache / "kernel").glob("linux-image-*") if path.is_dir()]
    return KernelPackage(max(found, key=lambda path: path.stat().st_mtime)) if found else None


def fetch(places: Places, names: Names) -> KernelPackage:
    """Download and unpack today's package; nothing is done where the cache has it."""
    (places.cache / "kernel").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=places.cache) as work:
        folder = Path(work)
        settings = _apt(folder, names.release)
        _run(settings, folder, "apt-get", "-qq", "update")
        shown = _run(settings, folder, "apt-cache", "depends", _META)
        package = re.search(r"Depends: (linux-image-\S+)", shown)
        if package is None:
            problem = f"{names.release} has no {_META} that depends on a kernel"
            raise SaintError(Code.CONFIG_INVALID, problem, fix="Correct RELEASE in pi-gen.conf.")
        target = places.cache / "kernel" / package[1]
        if not target.is_dir():
            _run(settings, folder, "apt-get", "-qq", "download", package[1])
            (archive,) = folder.glob("*.deb")
            _run(settings, folder, "dpkg-deb", "-x", str(archive), str(folder / "root"))
            _collect(folder / "root", folder / "kept").rename(target)
    return KernelPackage(target)


def _apt(folder: Path, release: str) -> Path:
    """Write settings of an apt that knows nothing of this machine's packages."""
    for name in ("sources", "lists/partial", "archives/partial", "preferences.d", "apt.conf.d"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    sources = apt_sources.stanza(apt_sources.mirror(), release)
    (folder / "sources" / "debian.sources").write_text(sources)
    settings = folder / "apt.conf"
    settings.write_text(_SETTINGS.format(folder))
    return settings


def _collect(root: Path, kept: Path) -> Path:
    (trees,) = root.glob("usr/lib/linux-image-*/broadcom")
    shutil.copytree(trees, kept / "trees")
    (modules,) = root.glob("usr/lib/modules/*")
    names = {name_of(path.name) for path in modules.rglob("*.ko*")}
    names |= {name_of(line) for line in (modules / "modules.builtin").read_text().split()}
    (kept / "modules").write_text("".join(f"{name}\n" for name in sorted(names)))
    return kept


def _run(settings: Path, folder: Path, *command: str) -> str:
    environment = {**os.environ, "APT_CONFIG": str(settings), "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, timeout=600
        )
    except FileNotFoundError as err:
        problem = f"{command[0]} was not found, which fetches or unpacks the kernel's package"
        raise SaintError(Code.NOT_FOUND, problem, fix="Do this on a Debian machine.") from err
    if done.returncode != 0:
        problem = f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()[-500:]}"
        raise SaintError(Code.INTERNAL, problem, fix="Is the archive reachable?")
    return done.stdout


def main() -> None:
    """Fetch it, and say where it is."""
    places = Places.from_environment()
    found = fetch(places, Names.read(places.source / "pi-gen.conf"))
    Console().print(f"Device trees and modules of {found.version} are in {found.folder}")


if __name__ == "__main__":
    main()
