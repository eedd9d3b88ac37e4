"""Plays recorded edges of input pins: a file or a FIFO of JSON lines in the board's directory."""

import asyncio
import os
import stat
from collections import deque
from pathlib import Path
from time import monotonic_ns

import pydantic_core

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.ports import EdgeCallback

RECORDING = "edges.jsonl"  # in the board's directory
_READ_BYTES = 1 << 16


class RecordedEdges:
    """Reports lines of JSON `{"t_us": 0, "pin": 18, "high": true}`, each at its time."""

    def __init__(self, path: Path) -> None:
        flags = os.O_NONBLOCK | os.O_CLOEXEC
        try:
            self._descriptor = os.open(path, os.O_RDONLY | flags)
            self._is_fifo = stat.S_ISFIFO(os.fstat(self._descriptor).st_mode)
            if self._is_fifo:  # one that we could write to ourselves never ends
                os.close(self._descriptor)
                self._descriptor = os.open(path, os.O_RDWR | flags)
        except OSError as err:
            raise _missing(f"{path} cannot be opened: {err.strerror}") from err
        self._text = b""
        self._waiting: deque[tuple[int, int, bool]] = deque()
        self._start_ns: int | None = None  # when the recording's time 0 is
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def levels(self) -> dict[int, bool]:
        """Return none: no level is known before the first edge."""
        return {}

    def listen(self, callback: EdgeCallback) -> None:
        """Report edges from now on."""
        self._loop = asyncio.get_running_loop()
        if self._is_fifo:
            self._loop.add_reader(self._descriptor, self._read, callback)
        else:
            self._read(callback)

    def close(self) -> None:
        """Stop reporting and close the file."""
        if self._timer:
            self._timer.cancel()
        if self._loop and self._is_fifo:
            self._loop.remove_reader(self._descriptor)
        os.close(self._descriptor)

    def _read(self, callback: EdgeCallback) -> None:
        data = os.read(self._descriptor, _READ_BYTES)
        while data:
            *lines, self._text = (self._text + data).split(b"\n")
            self._waiting.extend(edge for edge in map(_edge, lines) if edge)
            try:
                data = os.read(self._descriptor, _READ_BYTES)
            except BlockingIOError:
                break
        self._play(callback)

    def _play(self, callback: EdgeCallback) -> None:
        now_ns = monotonic_ns()
        while self._waiting:
            t_us, pin, high = self._waiting[0]
            if self._start_ns is None:
                self._start_ns = now_ns - t_us * 1000
            at_ns = self._start_ns + t_us * 1000
            if at_ns > now_ns:
                assert self._loop
                if self._timer:
                    self._timer.cancel()
                self._timer = self._loop.call_later((at_ns - now_ns) * 1e-9, self._play, callback)
                return
            self._waiting.popleft()
            callback(pin, high, at_ns)


def _edge(line: bytes) -> tuple[int, int, bool] | None:
    """Return None for a line that is no edge: a recording may contain notes."""
    try:
        edge = pydantic_core.from_json(line)
        return int(edge["t_us"]), int(edge["pin"]), bool(edge["high"])
    except (ValueError, TypeError, LookupError):
        return None


def _missing(what: str) -> SaintError:
    return SaintError(
        Code.HARDWARE_MISSING, what, fix=f"Put lines of t_us, pin and high into {RECORDING}."
    )
