"""The library's own warnings: to our log, and to the buses, because a sample that the library
itself cannot read appears nowhere else.

Where the library offers it we are called by its threads; else it writes to a pipe. Not here: what
is counted.
"""

import atexit
import ctypes
import os
import re
import threading
from collections.abc import Callable
from typing import Any

from ... import log
from .library import Library, LogSink

OnUnreadable = Callable[[str], None]  # gets the DDS topic's name; on a thread of its own

_DIFFERENT = 100  # warnings logged per process; foreign programs must not fill the journal
_UNREADABLE = re.compile(r"deserialization (?P<topic>[^ ]+)/[^/ ]+ failed")
_PREFIX = re.compile(r"^[0-9.]+ \[\S*\]\s+\S+: ")  # time, domain and thread
_log = log.get("dds")
_said: set[str] = set()
_listening: list["Complaints"] = []  # the library has one sink for all domains
_sink: Any = None  # kept alive while the library holds it


class Complaints:
    """Of one domain."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._pipe_end = -1
        self.listeners: list[OnUnreadable] = []
        _listening.append(self)
        if library.takes_log_sink:
            _set_sink(library)

    def redirect(self, configuration: str) -> str:
        """The configuration, with warnings going to a pipe when there is no other way."""
        if self._library.takes_log_sink:
            return configuration
        source, self._pipe_end = os.pipe()
        threading.Thread(
            target=self._follow, args=(source,), name="dds-warnings", daemon=True
        ).start()
        target = f"<OutputFile>/dev/fd/{self._pipe_end}</OutputFile>"
        tracing = f"<Tracing><Category>warning</Category>{target}</Tracing>"
        return configuration.replace("</Domain>", f"{tracing}</Domain>")

    def redirected(self) -> None:
        """The library has opened its own end: when it closes that, the thread ends."""
        if self._pipe_end >= 0:
            os.close(self._pipe_end)

    def close(self) -> None:
        _listening.remove(self)
        if not _listening:
            _remove_sink(self._library)

    def tell(self, topic: str) -> None:
        for listener in tuple(self.listeners):
            listener(topic)

    def _follow(self, source: int) -> None:
        """The pipe's thread: the library never waits for our loop."""
        with open(source, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                _hear(_PREFIX.sub("", line.strip()), [self])


def _hear(text: str, concerned: list[Complaints]) -> None:
    if unreadable := _UNREADABLE.search(text):
        for complaints in tuple(concerned):
            complaints.tell(unreadable["topic"])
    elif text and text not in _said and len(_said) < _DIFFERENT:
        _said.add(text)
        _log.warning("Cyclone DDS warns", text=text)


def _set_sink(library: Library) -> None:
    global _sink
    if _sink is None:
        _sink = LogSink(_on_entry)
        library.dds_set_log_sink(_sink, None)
        atexit.register(_remove_sink, library)


def _remove_sink(library: Library) -> None:
    """Before Python ends: the library's threads may outlive it."""
    global _sink
    if _sink is not None:
        library.dds_set_log_sink(LogSink(), None)
        _sink = None
        atexit.unregister(_remove_sink)


def _on_entry(_argument: Any, entry: Any) -> None:
    """On one of the library's threads. Entries do not name their domain reliably: ask all."""
    text = ctypes.string_at(entry.contents.message).decode(errors="replace").strip()
    _hear(text, _listening)
