"""The laptop's journald: what daemons print, in one bounded file each, shown on request."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

_MOST_BYTES = 1 << 20  # per file; one older file is kept beside it
_LONGEST_LINE = 8192
_CHUNK = 65536


class Journal:
    """The log of one daemon, over all of its lives."""

    def __init__(self, path: Path, show: Callable[[str], None] | None) -> None:
        self.path = path
        self._show = show
        self._size = path.stat().st_size if path.exists() else 0
        self.last_line = ""

    def write(self, line: str) -> None:
        """One line, without its end."""
        data = (line + "\n").encode(errors="replace")
        if self._size + len(data) > _MOST_BYTES:
            self.path.replace(self.path.with_suffix(".log.1"))
            self._size = 0
        with self.path.open("ab", buffering=0) as file:
            file.write(data)
        self._size += len(data)
        self.last_line = line
        if self._show is not None:
            self._show(line)


class Pump:
    """Moves what one process prints to its journal until the pipe ends."""

    def __init__(self, loop: asyncio.AbstractEventLoop, journal: Journal) -> None:
        self._loop = loop
        self._journal = journal
        self._reader, self.writer = os.pipe()
        self._rest = b""
        os.set_blocking(self._reader, False)
        loop.add_reader(self._reader, self._read)

    def started(self) -> None:
        """The process has its own copy of the writing end."""
        os.close(self.writer)

    def close(self) -> None:
        """Take what is there and end, also when a process still holds the other end."""
        while self._read():
            pass
        if self._reader >= 0:
            self._end()

    def _read(self) -> bool:
        if self._reader < 0:
            return False
        try:
            data = os.read(self._reader, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._end()
            return False
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._journal.write(line.decode(errors="replace"))
        if len(self._rest) > _LONGEST_LINE:
            self._flush()
        return True

    def _flush(self) -> None:
        if self._rest:
            self._journal.write(self._rest.decode(errors="replace"))
            self._rest = b""

    def _end(self) -> None:
        self._flush()
        self._loop.remove_reader(self._reader)
        os.close(self._reader)
        self._reader = -1
