"""Where QEMU, U-Boot, mtools, debugfs and the like are: in the tools tree, or on this machine.

The tools tree is a whole Debian system that may be newer than this one. Its programs are
started through its own dynamic linker: no root and no other mount namespace is needed, and
paths mean the same to them as to us. A program that starts others of its tree (rauc) cannot be
started like this; `tools.image` enters the tree for those.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_FOLDERS = ("usr/bin", "usr/sbin", "bin", "sbin")
_NAMES = {"qemu-system-aarch64": "qemu-system-arm", "mcopy": "mtools", "debugfs": "e2fsprogs"}


class MissingProgramError(Exception):
    """A program of the tools tree was not found."""


def cache() -> Path:
    """Where builds keep what they can make again."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    return Path(os.environ.get("SAINT_CACHE") or f"{base}/saint-os")


def tree() -> Path | None:
    """The tools tree, if there is one."""
    named = os.environ.get("SAINT_TOOLS_TREE")
    if named:
        return Path(named)
    made = cache() / "tools"
    return made if (made / "usr").is_dir() else None


@dataclass(frozen=True)
class Programs:
    """Finds programs, and runs those that end by themselves."""

    root: Path | None

    @classmethod
    def find(cls) -> "Programs":
        return cls(tree())

    def argv(self, name: str, *arguments: str) -> list[str]:
        """The command line that starts the program."""
        if self.root is not None:
            for folder in _FOLDERS:
                path = self.root / folder / name
                if path.exists():
                    return [*self._linker(), str(path), *arguments]
        found = shutil.which(name)
        if found is None:
            package = _NAMES.get(name, name)
            raise MissingProgramError(
                f"{name} was not found. Make the tools tree (python -m tools.image tools),"
                f" name one with SAINT_TOOLS_TREE, or install {package}."
            )
        return [found, *arguments]

    def _linker(self) -> list[str]:
        libraries = [f"{self.root}/{lib}/x86_64-linux-gnu" for lib in ("usr/lib", "lib")]
        if os.uname().machine == "aarch64":
            libraries = [f"{self.root}/{lib}/aarch64-linux-gnu" for lib in ("usr/lib", "lib")]
            return [f"{self.root}/lib/ld-linux-aarch64.so.1", "--library-path", ":".join(libraries)]
        return [f"{self.root}/lib64/ld-linux-x86-64.so.2", "--library-path", ":".join(libraries)]

    def data(self, path: str) -> Path:
        """A file of a package, e.g. `usr/lib/u-boot/qemu_arm64/u-boot.bin`."""
        for root in (self.root, Path("/")):
            if root is not None and (root / path).exists():
                return root / path
        raise MissingProgramError(f"/{path} was not found, neither in the tools tree nor here.")

    def run(
        self, name: str, *arguments: str, given: bytes | None = None, timeout_s: float = 120
    ) -> bytes:
        """Run to the end; what it says on failure is in the exception."""
        done = subprocess.run(
            self.argv(name, *arguments), input=given, capture_output=True, timeout=timeout_s
        )
        if done.returncode != 0:
            said = (done.stderr or done.stdout).decode(errors="replace").strip()
            raise RuntimeError(f"{name} {' '.join(arguments)} failed ({done.returncode}): {said}")
        return done.stdout


def fields(kind: str, options: Mapping[str, object]) -> str:
    """QEMU's form of an option with parts: `kind,a=1,b=2`; a comma inside is doubled."""
    parts = [f"{key}={str(value).replace(',', ',,')}" for key, value in options.items()]
    return ",".join([kind, *parts] if kind else parts)
