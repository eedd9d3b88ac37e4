"""Serial lines of the simulated wagon, on pseudo terminals: the boards' ends, and the ends of the
simulation that fills them.
"""

import contextlib
import os
import termios
import tty
from pathlib import Path

_MOST = 4096


class PtyEnd:
    """The simulation's end of a line; the other one is opened by its path."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._master, self._slave = os.openpty()  # held open, so that a board may come and go
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        aside = path.with_name(path.name + ".new")
        aside.unlink(missing_ok=True)
        aside.symlink_to(os.ttyname(self._slave))
        aside.replace(path)

    def fileno(self) -> int:
        return self._master

    def read(self) -> bytes:
        """Return what was sent by the other end."""
        try:
            return os.read(self._master, _MOST)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        """Send; what the other end does not read is lost, as on a wire."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._master, data)

    def discard(self) -> None:
        """Drop what the other end has not read."""
        termios.tcflush(self._slave, termios.TCIFLUSH)

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._master)
        os.close(self._slave)


class PtyLine:
    """A board's end of a line. What came before it was opened is lost, as for a UART."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        tty.setraw(self._descriptor)
        termios.tcflush(self._descriptor, termios.TCIFLUSH)

    def fileno(self) -> int:
        return self._descriptor

    def read(self) -> bytes:
        try:
            return os.read(self._descriptor, _MOST)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self._descriptor, data)

    def close(self) -> None:
        os.close(self._descriptor)
