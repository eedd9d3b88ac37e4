"""Detects by inotify, without polling, that a device node appears. Linux only; elsewhere the watch
reports nothing, and its user must try again.
"""

import asyncio
import contextlib
import ctypes
import os
import struct
from collections.abc import Callable
from pathlib import Path

_CREATE, _MOVED_TO, _ATTRIBUTES = 0x100, 0x80, 0x4  # inotify(7); udev sets the owner afterwards
_MASK = _CREATE | _MOVED_TO | _ATTRIBUTES
_EVENT = struct.Struct("iIII")
_READ_BYTES = 4096


class DeviceWatch:
    """Calls `on_change` in the running loop when `path`, or a folder on the way to it, appears."""

    def __init__(self, path: Path, on_change: Callable[[], None]) -> None:
        self._path = path
        self._on_change = on_change
        self._loop = asyncio.get_running_loop()
        self._names: dict[int, str] = {}  # watch -> the entry that we wait for
        self._library = ctypes.CDLL(None, use_errno=True)
        self._descriptor = _start(self._library)
        if self._descriptor >= 0:
            self._look()
            self._loop.add_reader(self._descriptor, self._read)

    def close(self) -> None:
        """Stop watching."""
        if self._descriptor >= 0:
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1

    def _look(self) -> None:
        """Watch every folder on the way: /dev/serial comes and goes with its last adapter."""
        entry = self._path
        while entry.parent != entry:
            folder = os.fsencode(entry.parent)
            watch = self._library.inotify_add_watch(self._descriptor, folder, _MASK)
            if watch >= 0:
                self._names[watch] = entry.name
            entry = entry.parent

    def _read(self) -> None:
        data = b""
        with contextlib.suppress(OSError):
            data = os.read(self._descriptor, _READ_BYTES)
        at, is_ours = 0, False
        while at + _EVENT.size <= len(data):
            watch, _, _, length = _EVENT.unpack_from(data, at)
            at += _EVENT.size
            name = data[at : at + length].rstrip(b"\0")
            at += length
            is_ours = is_ours or os.fsencode(self._names.get(watch, "")) == name
        if is_ours:
            self._look()
            self._on_change()


def _start(library: ctypes.CDLL) -> int:
    if not hasattr(library, "inotify_init1"):
        return -1
    return int(library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
