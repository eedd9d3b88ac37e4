"""Brings the boot files of a proven release to the boot partition: U-Boot, device trees, overlays.

The card was flashed with one set, in the partition's root; it is never changed. Later ones lie in
the folders a and b, in turn. Which one counts is said by CHOICE, one sector that is overwritten in
place: a power cut leaves the old or the new choice, and the set that is being written is never the
chosen one. config.txt includes that file; the Pi's firmware ignores a folder in which the boot
loader or the device tree is missing and starts from the root. Not here: the Pi's firmware itself,
the boot script and config.txt, which nothing updates.
"""

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from ..lib import log
from . import adapters

SHIPPED = Path("usr/lib/saint/boot")  # below the root of the running slot
CHOICE = "boot-files.txt"
SUMS = "boot-files.sha256"
SETTINGS = "settings.txt"  # lines for config.txt that belong to a set
FLASHED, FOLDERS = "", ("a", "b")
SECTOR = 512
_PREFIX = re.compile(r"^os_prefix=([ab])/\r?$", re.MULTILINE)
_LINE = re.compile(r"([0-9a-f]{64})  ([\w.+-]+(?:/[\w.+-]+)?)", re.ASCII)
_HEAD = f"""\
# Which boot files this Pi starts from; an update overwrites this.
# Remove the file, and the Pi starts from those of the flashed image.
# {SUMS} lists the files of each set.
"""
_SPARE_BYTES = 1 << 20  # left free for the owner's files
_log = log.get("setup")


def sums(folder: Path, paths: Iterable[Path]) -> str:
    """Return the list of a set's files, as sha256sum writes it."""
    return "".join(f"{_sha256(path)}  {path.relative_to(folder)}\n" for path in sorted(paths))


def choice(folder: str, settings: str) -> bytes:
    """Return the sector that chooses a set. Raises ValueError when the settings do not fit in."""
    lines = [f"os_prefix={folder}/"] if folder else []
    lines += [line for line in settings.splitlines() if line.strip() and not line.startswith("#")]
    data = (_HEAD + "".join(f"{line}\n" for line in lines)).encode()
    if len(data) > SECTOR:
        raise ValueError(f"{SETTINGS} is {len(data) - SECTOR} bytes too long for one sector")
    return data + b"\n" * (SECTOR - len(data))


def chosen(sector: bytes) -> str:
    """Return the folder of the chosen set, FLASHED where none is named."""
    found = _PREFIX.findall(sector.decode("ascii", "replace"))
    return found[-1] if found else FLASHED


def listed(text: str) -> dict[str, str]:
    """Return the checksums of a set by path. Raises ValueError on a line that is none, and on a
    path that leads out of the set."""
    found = {}
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match is None or ".." in match[2].split("/"):
            raise ValueError(f"{SUMS} has a line that names no file: {line[:60]!r}")
        found[match[2]] = match[1]
    return found


@dataclass(frozen=True, slots=True)
class BootFiles:
    """The sets of a boot partition at `card`, and the set `shipped` with the running release."""

    card: Path
    shipped: Path
    writable: Callable[[Path], AbstractContextManager[None]] = adapters.writable

    def update(self) -> str:
        """Choose the shipped set, after writing it where no whole copy is there. Return what was
        done, empty for nothing. Raises OSError, ValueError and SubprocessError; then the chosen
        set stays."""
        wanted = (self.shipped / SUMS).read_text(encoding="ascii")
        try:
            sector = (self.card / CHOICE).read_bytes()
        except FileNotFoundError:
            return ""  # the owner removed it: the flashed set counts
        now = chosen(sector)
        if self._holds(now, wanted):
            return ""
        for name in (FLASHED, *FOLDERS):
            if name != now and self._holds(name, wanted):
                self._choose(name)
                return f"chose {name or 'the flashed set'}"
        target = FOLDERS[now == FOLDERS[0]]
        with self.writable(self.card):
            self._write(self.card / target, wanted)
        if not self._holds(target, wanted):
            raise OSError("the new boot files do not read back as they were written")
        self._choose(target)
        return f"wrote and chose {target}"

    def _holds(self, name: str, wanted: str) -> bool:
        """Whether a set is the wanted one, and whole."""
        folder = self.card / name
        try:
            if (folder / SUMS).read_text(encoding="ascii") != wanted:
                return False
            return all(_sha256(folder / path) == sum_ for path, sum_ in listed(wanted).items())
        except (OSError, UnicodeDecodeError):
            return False

    def _write(self, folder: Path, wanted: str) -> None:
        paths = listed(wanted)
        self._make_room(folder, sum((self.shipped / path).stat().st_size for path in paths))
        for path in paths:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            _put(folder / path, (self.shipped / path).read_bytes())
        _put(folder / SUMS, wanted.encode())
        for each in (*(path for path in folder.iterdir() if path.is_dir()), folder, self.card):
            _sync(each)

    def _make_room(self, folder: Path, needed: int) -> None:
        # The list first: what is left of the set is never taken for a whole one.
        with contextlib.suppress(FileNotFoundError):
            (folder / SUMS).unlink()
            _sync(folder)
        if folder.exists():
            shutil.rmtree(folder)
            _sync(self.card)
        found = os.statvfs(self.card)
        free = found.f_bavail * found.f_frsize
        if free < needed + needed // 8 + _SPARE_BYTES:  # clusters are larger than small files
            raise OSError(
                f"the boot partition has {free >> 20} MB free, and new boot files need"
                f" {(needed + _SPARE_BYTES) >> 20} MB; remove files of your own from it"
            )

    def _choose(self, name: str) -> None:
        settings = ""
        with contextlib.suppress(FileNotFoundError):
            settings = (self.card / name / SETTINGS).read_text(encoding="ascii")
        data, path = choice(name, settings), self.card / CHOICE
        with self.writable(self.card):
            if path.stat().st_size != SECTOR:
                _put(path, data)  # shortened by hand: no longer one sector in place
                return
            descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
            try:
                os.pwrite(descriptor, data, 0)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def main() -> int:
    """Return 0 always: old boot files start this release as well, so nothing else may fail."""
    log.setup("boot-files")
    places = adapters.SetupPaths()
    try:
        if not adapters.is_boot_partition(places.firmware):
            raise OSError("the boot partition is not mounted")
        done = BootFiles(places.firmware, places.root / SHIPPED).update()
    except (OSError, ValueError, subprocess.SubprocessError) as err:
        _log.error("the boot files stay those of an older release", reason=err)
        adapters.add_problem(places, f"the boot files stay those of an older release: {err}")
        return 0
    if done:
        _log.info("new boot files count from the next start on", done=done)
    return 0


def _sha256(path: Path) -> str:
    """Of what is on the card, not of what is still in memory."""
    with path.open("rb") as file:
        with contextlib.suppress(OSError):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return hashlib.file_digest(file, "sha256").hexdigest()


def _put(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    raise SystemExit(main())
