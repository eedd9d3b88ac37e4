"""Rewrites a file of the boot partition. FAT has no journal and its rename is several writes, so
they are synced one after the other, in the order in which a power cut between two of them loses
least. Not here: the content, and what follows when the file is gone (boot_setup.py).
"""

import contextlib
import os
from pathlib import Path

_MOST_LEFTOVERS = 8


def replace(path: Path, data: bytes) -> None:
    """Write a file again; the old content is wiped, not only unlinked."""
    with contextlib.ExitStack() as files:
        old = None
        with contextlib.suppress(FileNotFoundError):
            old = files.enter_context(path.open("r+b"))
        aside = _written_beside(path, data)
        try:
            _sync(path.parent)  # the new file can be found, whatever happens to the old one
            aside.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                aside.unlink()
            raise
        # First the old name of the new file goes: two names for the same clusters would let the
        # next change of one destroy the other. Linux writes the new name's clusters with the file.
        _sync(path.parent)
        _sync(path)
        if old:
            length = len(old.read())
            old.seek(0)
            old.write(bytes(length))
            old.flush()
            os.fsync(old.fileno())


def _written_beside(path: Path, data: bytes) -> Path:
    """Write under an unused name: the leftover of a power cut may share its clusters."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    for number in range(_MOST_LEFTOVERS):
        aside = path.with_name(f".{path.name}.new{number or ''}")
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(aside, flags, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(descriptor)
            return aside
    raise FileExistsError(f"remove .{path.name}.new and similar files from the boot partition")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
