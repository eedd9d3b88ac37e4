"""Temporary files of the tests lie in memory, where this computer has the room: each write of state
is synced twice, which takes a disk milliseconds, and no test cuts the power of the computer itself.
Where the person has set TMPDIR, that counts; the disks of whole machines (make test-image) are too
large. Not here: that pytest deletes the files of what passed (pyproject.toml).
"""

import os
import tempfile
from pathlib import Path

_SHARED_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 2 << 30  # all workers of `make test` together hold a tenth of it


def temporary_files() -> None:
    """From now on, for this process and those that it starts."""
    if not {"TMPDIR", "SAINT_IMAGE_TESTS"} & os.environ.keys() and _has_room():
        os.environ["TMPDIR"] = tempfile.tempdir = str(_SHARED_MEMORY)


def _has_room() -> bool:
    """Whether programs, which some tests write, may also run there."""
    if not (_SHARED_MEMORY.is_dir() and os.access(_SHARED_MEMORY, os.W_OK)):
        return False
    found = os.statvfs(_SHARED_MEMORY)
    return found.f_bavail * found.f_frsize >= _ROOM_BYTES and not found.f_flag & os.ST_NOEXEC
