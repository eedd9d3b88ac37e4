"""Forwards the library's warnings to our log, and to the buses: a sample that the library itself
cannot read is reported nowhere else.

Where the library has a log sink, its threads call us; else it writes to a pipe. Not here: counting.
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

OnUnreadable = Callable[[str], None]  # called with the DDS topic's name, on another thread

_DIFFERENT = 100  # warnings logged per process; foreign programs must not fill the journal
_UNREADABLE = re.compile(r"deserialization (?P<topic>[^ ]+)/[^/ ]+ failed")
_PREFIX = re.compile(r"^[0-9.]+ \[\S*\]\s+\S+: ")  # time, domain and thread
_log = log.get("dds")
_logged: set[str] = set()
_domains: list["LibraryLog"] = []  # the library has one sink for all domains
_sink: Any = None  # kept alive while the library holds it


class LibraryLog:
    """The warnings of one domain."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._pipe_end = -1
        self.listeners: list[OnUnreadable] = []
        _domains.append(self)
        if library.takes_log_sink:
            _set_sink(library)

    def redirect(self, configuration: str) -> str:
        """Return the configuration, with warnings sent to a pipe if the library has no log sink."""
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
        """Close our end of the pipe: when the library closes its end, the thread ends."""
        if self._pipe_end >= 0:
            os.close(self._pipe_end)

    def close(self) -> None:
        _domains.remove(self)
        if not _domains:
            _remove_sink(self._library)

    def notify(self, topic: str) -> None:
        for listener in tuple(self.listeners):
            listener(topic)

    def _follow(self, source: int) -> None:
        """Read the pipe on a thread: the library never waits for our loop."""
        with open(source, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                _handle(_PREFIX.sub("", line.strip()), [self])


def _handle(text: str, domains: list[LibraryLog]) -> None:
    if unreadable := _UNREADABLE.search(text):
        for domain in tuple(domains):
            domain.notify(unreadable["topic"])
    elif text and text not in _logged and len(_logged) < _DIFFERENT:
        _logged.add(text)
        _log.warning("Cyclone DDS warns", text=text)


def _set_sink(library: Library) -> None:
    global _sink
    if _sink is None:
        _sink = LogSink(_on_entry)
        library.dds_set_log_sink(_sink, None)
        atexit.register(_remove_sink, library)


def _remove_sink(library: Library) -> None:
    """Remove the sink before Python ends: the library's threads may outlive it."""
    global _sink
    if _sink is not None:
        library.dds_set_log_sink(LogSink(), None)
        _sink = None
        atexit.unregister(_remove_sink)


def _on_entry(_argument: Any, entry: Any) -> None:
    """Handle a warning on a thread of the library. Its domain is not reliable, so all are
    notified.
    """
    text = ctypes.string_at(entry.contents.message).decode(errors="replace").strip()
    _handle(text, _domains)
