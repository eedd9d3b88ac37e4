"""Whose folder it is: one launcher at a time works in it, and only its own is deleted."""

import contextlib
import fcntl
import shutil
from collections.abc import Iterator
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

_MARK = "robot.lock"  # a folder with it is ours to delete


@contextlib.contextmanager
def own(root: Path, is_fresh: bool = False) -> Iterator[None]:
    """Own `root` alone meanwhile; the system releases the lock when this process ends."""
    if is_fresh and root.exists():
        _delete(root)
    root.mkdir(parents=True, exist_ok=True)
    with (root / _MARK).open("w", encoding="utf-8") as mark:
        _lock(mark.fileno(), root)
        yield


def _lock(mark: int, root: Path) -> None:
    try:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as err:
        raise SaintError(
            Code.CONFLICT,
            f"a robot is already running in {root}",
            fix="End it with Ctrl-C where it runs, or start this one with another --root.",
        ) from err


def _delete(root: Path) -> None:
    if any(root.iterdir()) and not (root / _MARK).exists():
        raise SaintError(
            Code.REFUSED,
            f"{root} was not made by make run: nothing was deleted",
            fix="Check --root.",
        )
    if (root / _MARK).exists():
        with (root / _MARK).open("r+", encoding="utf-8") as mark:
            _lock(mark.fileno(), root)
    shutil.rmtree(root)
