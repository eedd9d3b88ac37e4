"""The wills of living roles as files in memory (tmpfs): they end with the machine's power, like the
outputs that they concern.
"""

import contextlib
import os
from collections.abc import Iterator

from .will import Will


def wills_folder(runtime: str) -> str:
    """Return where wills are kept: RUNTIME_DIRECTORY where the unit makes it (/run/saint/wills),
    else a folder below it."""
    return runtime if os.path.basename(runtime) == "wills" else os.path.join(runtime, "wills")


class WillFiles:
    """One file for each role process."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def store(self, will: Will) -> None:
        """Write a will, whole or not at all. Raises OSError."""
        os.makedirs(self._folder, mode=0o755, exist_ok=True)
        aside = os.path.join(self._folder, f".{will.name}.new")
        # The role's own user reads it after the end of its process.
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            os.fchmod(descriptor, 0o644)
            os.write(descriptor, will.encoded())
        finally:
            os.close(descriptor)
        os.replace(aside, self._path(will.name))

    def forget(self, name: str) -> None:
        """Remove the will of a role."""
        with contextlib.suppress(OSError):
            os.unlink(self._path(name))

    def load(self, name: str = "") -> Iterator[Will]:
        """Read all wills, or that of one role. Damaged ones are left out; `store` makes none."""
        for path in [self._path(name)] if name else self._paths():
            with contextlib.suppress(OSError, ValueError), open(path, "rb") as file:
                yield Will.decoded(file.read())

    def _paths(self) -> list[str]:
        with contextlib.suppress(OSError):
            names = sorted(os.listdir(self._folder))
            return [os.path.join(self._folder, each) for each in names if each.endswith(".will")]
        return []

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, f"{name}.will")
