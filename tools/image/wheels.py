"""Python packages that Debian lacks: wheels for the device, fetched by version and hash.

Which ones is said in image/wheels.list; version and hashes are those of requirements.lock, so that
the device runs what the tests ran. Fetched once and kept in the cache.
"""

import csv
import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from saint_services.lib.errors import Code, SaintError

from . import packages
from .places import Places

_LOCK = "requirements.lock"
# Debian 13 on a Pi: CPython 3.13, glibc 2.41.
_DEVICE = (
    *("--python-version", "3.13", "--implementation", "cp"),
    *("--abi", "cp313", "--abi", "abi3", "--abi", "none"),
    *("--platform", "manylinux_2_34_aarch64", "--platform", "manylinux_2_28_aarch64"),
    *("--platform", "manylinux2014_aarch64"),
)
_LIMIT_S = 600


def lay(places: Places, target: Path) -> None:
    """Unpack every wheel into `target`, a folder of Python packages."""
    for wheel in fetch(places):
        unpack(wheel, target)


def fetch(places: Places) -> list[Path]:
    """The wheels, from the cache or from the package index."""
    pinned = pins(places)
    folder = places.cache / f"wheels-{hashlib.sha256(pinned.encode()).hexdigest()[:12]}"
    if not folder.exists():
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        if pinned:
            _download(pinned, unfinished)
        unfinished.rename(folder)
    return sorted(folder.glob("*.whl"))


def pins(places: Places) -> str:
    """The lines of requirements.lock for the packages of the list."""
    wanted = packages.names(places.image / "wheels.list")
    lock = (places.source / _LOCK).read_text(encoding="utf-8")
    entries = {
        found[1].lower(): found[0]
        for found in re.finditer(r"^([A-Za-z0-9._-]+)==.*?(?=^\S|\Z)", lock, re.M | re.S)
    }
    for name in wanted:
        if name not in entries:
            raise SaintError(
                Code.CONFIG_INVALID,
                f"wheels.list names {name}, which {_LOCK} does not pin",
                fix="Add it to pyproject.toml, then say: make lock",
            )
    return "".join(entries[name] for name in wanted)


def _download(pinned: str, folder: Path) -> None:
    """Of an archive that lies beside, pip takes nothing: only wheels run on a read-only device."""
    wanted = folder / "requirements.txt"
    wanted.write_text(pinned, encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--require-hashes", "--only-binary=:all:", *_DEVICE]
    done = subprocess.run(
        [*command, "--dest", str(folder), "--requirement", str(wanted)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
    )
    if done.returncode:
        raise SaintError(
            Code.INTERNAL,
            f"the device's wheels could not be fetched: {done.stderr.strip()[-500:]}",
            fix="Is the package index reachable? Is there a wheel for CPython 3.13, aarch64?",
        )


def unpack(wheel: Path, target: Path) -> None:
    """Its packages and their description. Programs and data files beside them are not taken over:
    the device needs modules only."""
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts:
                raise SaintError(Code.INTERNAL, f"{wheel.name} holds {name}, outside of itself")
            if name.endswith("/") or path.parts[0].endswith(".data"):
                continue
            landing = target / path
            landing.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            landing.unlink(missing_ok=True)
            landing.write_bytes(archive.read(name))
            landing.chmod(0o644)


def modules(target: Path) -> list[Path]:
    """What was unpacked there: folders of packages, and modules of one file."""
    return sorted({target / path.parts[0] for path in _unpacked(target) if path.suffix == ".py"})


def libraries(target: Path) -> list[Path]:
    """Modules of machine code that were unpacked there, without the libraries beside them: those
    come stripped."""
    return sorted(target / path for path in _unpacked(target) if path.suffix == ".so")


def _unpacked(target: Path) -> Iterator[PurePosixPath]:
    for record in records(target):
        for row in csv.reader(record.read_text(encoding="utf-8").splitlines()):
            if row:
                yield PurePosixPath(row[0])


def records(target: Path) -> list[Path]:
    """The lists of content of the wheels in a folder of Python packages; Debian's own have none."""
    return sorted(target.glob("*.dist-info/RECORD"))
