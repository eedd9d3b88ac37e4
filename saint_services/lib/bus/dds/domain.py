"""The library's state per domain and process: made for the first bus, freed after the last.

Also where the library's own complaints go: to our log, and to the buses, because a sample that the
library cannot read appears nowhere else. Not here: participants.
"""

import atexit
import ctypes
import re
import threading
from collections.abc import Callable
from typing import Any

from ... import log
from .library import Library, LogSink
from .settings import Settings

_DIFFERENT_LINES = 100  # logged per process; foreign programs must not fill the journal
_UNREADABLE = re.compile(r"deserialization (?P<topic>[^ ]+)/[^/ ]+ failed")

OnUnreadable = Callable[[str], None]  # gets the DDS topic's name, on one of the library's threads

_log = log.get("dds")
_lock = threading.Lock()
_domains: dict[int, "_Domain"] = {}
_said: set[str] = set()
_sinks: dict[str, Any] = {}  # kept alive while the library holds them


class _Domain:
    def __init__(self, entity: int) -> None:
        self.entity = entity  # 0 when the library made it by itself
        self.listeners: list[OnUnreadable] = []


def hold(library: Library, settings: Settings, domain_id: int, listener: OnUnreadable) -> None:
    """Use the domain until `release`; its configuration is that of its first user."""
    with _lock:
        if domain_id not in _domains:
            _listen(library)
            _domains[domain_id] = _Domain(_create(library, settings, domain_id))
        _domains[domain_id].listeners.append(listener)


def release(library: Library, domain_id: int, listener: OnUnreadable) -> None:
    with _lock:
        domain = _domains[domain_id]
        domain.listeners.remove(listener)
        if not domain.listeners:
            del _domains[domain_id]
            if domain.entity:
                library.dds_delete(domain.entity)
        if not _domains:
            _silence(library)


def _create(library: Library, settings: Settings, domain_id: int) -> int:
    if settings.configuration is None:
        return 0
    code = library.dds_create_domain(domain_id, settings.configuration.encode())
    return library.check(code, f"DDS domain {domain_id} cannot be opened")


def _listen(library: Library) -> None:
    if library.takes_log_sink and library.path not in _sinks:
        _sinks[library.path] = sink = LogSink(_hear)
        library.dds_set_log_sink(sink, None)
        atexit.register(_silence, library)


def _silence(library: Library) -> None:
    """Before the sink goes away: the library's threads may outlive the interpreter."""
    if _sinks.pop(library.path, None):
        library.dds_set_log_sink(LogSink(), None)
        atexit.unregister(_silence)


def _hear(_argument: Any, data: Any) -> None:
    """Runs on the library's threads."""
    entry = data.contents
    text = ctypes.string_at(entry.message).decode(errors="replace").strip()
    if unreadable := _UNREADABLE.search(text):
        domain = _domains.get(entry.domain)
        for listener in tuple(domain.listeners) if domain else ():
            listener(unreadable["topic"])
    elif text not in _said and len(_said) < _DIFFERENT_LINES:
        _said.add(text)
        _log.warning("Cyclone DDS says", text=text)
