"""Does a file system come back after a cut, by what the machine itself does with it at boot.

The initrd runs e2fsck -p and, where that gives up, e2fsck -fy (image/initrd/init). Afterwards the
file system must be clean. Not here: whether the files are right (facts.py).
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ...vm.programs import Programs

_TIMEOUT_S = 120

_MOST_REPAIRS = 3  # one may bring to light what was hidden before
_GIVES_UP = 4  # e2fsck's code from which on a user has to decide

# -p leaves a flag that the kernel clears when it mounts; the rest says nothing about a fault.
_EXT4_HARMLESS = (
    re.compile(r"^e2fsck \d"),
    re.compile(r"^Pass \d[A-D]?: "),
    re.compile(r"^Feature orphan_present is set but orphan file is clean\.$"),
    re.compile(r"^(Clear|Fix)\? no$"),
    # The superblock's totals (not a group's), which the kernel counts again at each mount.
    re.compile(r"^Free (blocks|inodes) count wrong \(\d+, counted=\d+\)\.$"),
    re.compile(r": \*{10} WARNING: Filesystem still has errors \*{10}$"),
    re.compile(r": \d+/\d+ files \(.*\), \d+/\d+ blocks$"),
)
_DEBUGFS_HARMLESS = (
    re.compile(r"^debugfs( \d|:)"),
    re.compile(r"^rdump: File not found by ext2_lookup"),
    re.compile(r"^\S+: File not found by ext2_lookup"),
)


@dataclass(frozen=True, slots=True)
class Check:
    """What is wrong; and whether coming back took more than the journal."""

    faults: tuple[str, ...]
    is_repaired: bool = False


class FileSystems:
    """Runs e2fsck, debugfs and fsck.fat on image files."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs

    def recover_ext4(self, image: Path) -> Check:
        """Recover it in place, as image/initrd/init does."""
        code, _ = self._run("e2fsck", "-p", str(image))
        if is_repaired := code >= _GIVES_UP:
            for _ in range(_MOST_REPAIRS):
                code, _ = self._run("e2fsck", "-f", "-y", str(image))
                if code == 0:
                    break
        code, text = self._run("e2fsck", "-f", "-n", str(image))
        complaints = _beside(text, _EXT4_HARMLESS) if code else []
        faults = [f"the data partition after e2fsck: {line}" for line in complaints[:3]]
        return Check(tuple(faults), is_repaired)

    def read_ext4(self, image: Path, folders: tuple[str, ...], into: Path) -> None:
        """Copy top folders of a recovered file system out, those that it has."""
        lines = [f"rdump {folder} {into}" for folder in folders]
        _, text = self._run("debugfs", "-f", "-", str(image), given="\n".join(lines).encode())
        said = _beside(text, _DEBUGFS_HARMLESS)
        assert not said, f"debugfs: {said}"

    def check_fat(self, image: Path) -> int:
        """0 when fsck.fat would leave it as it is."""
        code, _ = self._run("fsck.fat", "-n", str(image))
        return code

    def repair_fat(self, image: Path) -> None:
        """Repair it in place, as image/initrd/init does."""
        self._run("fsck.fat", "-a", str(image))

    def read_fat(self, image: Path, into: Path) -> dict[str, bytes]:
        """All files of a FAT that can be read, by path; `into` is an empty folder for them."""
        self._run("mcopy", "-s", "-n", "-Q", "-i", str(image), "::/*", str(into))
        paths = (path for path in into.rglob("*") if path.is_file())
        return {str(path.relative_to(into)): path.read_bytes() for path in paths}

    def _run(self, name: str, *arguments: str, given: bytes = b"") -> tuple[int, str]:
        done = subprocess.run(
            self._programs.argv(name, *arguments),
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_TIMEOUT_S,
            check=False,
        )
        return done.returncode, done.stdout.decode(errors="replace")


def _beside(text: str, harmless: tuple[re.Pattern[str], ...]) -> list[str]:
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not any(one.search(line) for one in harmless)]
