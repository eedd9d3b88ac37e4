"""Opens a file on removable media, which may hold anything and change while it is read: no link is
followed, only a regular file is opened, and the checked file is the one that is read. Not here: the
content of the file.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from ...lib.errors import Code, SaintError

_CLOSED_ON_EXEC = os.O_CLOEXEC | os.O_NOFOLLOW


def opened(folder: Path, path: Path) -> BinaryIO:
    """Open a regular file below a trusted folder. Raises SaintError."""
    try:
        names = path.relative_to(folder).parts
    except ValueError:
        names = ()
    if not names or ".." in names:
        raise _outside(path, folder)
    try:
        return _descended(folder, names)
    except OSError as err:
        if err.errno in (errno.ELOOP, errno.ENOTDIR):
            message = f"{path} is a link, or is reached through one"
            fix = "Copy the file itself to the medium."
            raise SaintError(Code.REQUEST_INVALID, message, fix=fix) from err
        if err.errno in (errno.EINVAL, errno.ENXIO):
            raise SaintError(Code.REQUEST_INVALID, f"{path} is not a file") from err
        raise SaintError(Code.NOT_FOUND, f"{path} cannot be read: {err.strerror}") from err


def opened_below(folders: list[Path], path: Path) -> BinaryIO:
    """Open a regular file below one of several folders."""
    for folder in folders:
        if path.is_relative_to(folder):
            return opened(folder, path)
    raise _outside(path, *folders)


def _descended(folder: Path, names: tuple[str, ...]) -> BinaryIO:
    """Walk from folder to folder by descriptor, not by name."""
    at = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in names[:-1]:
            flags = os.O_PATH | os.O_DIRECTORY | _CLOSED_ON_EXEC
            below = os.open(name, flags, dir_fd=at)
            os.close(at)
            at = below
        # Non-blocking: opening a FIFO would wait for a writer.
        last = os.open(names[-1], os.O_RDONLY | os.O_NONBLOCK | _CLOSED_ON_EXEC, dir_fd=at)
    finally:
        os.close(at)
    if not stat.S_ISREG(os.fstat(last).st_mode):
        os.close(last)
        raise OSError(errno.EINVAL, "not a regular file")
    return os.fdopen(last, "rb")


def _outside(path: Path, *folders: Path) -> SaintError:
    where = ", ".join(map(str, folders))
    message = f"{path} is not below {where}"
    return SaintError(Code.REQUEST_INVALID, message, fix="Upload the file instead.")
