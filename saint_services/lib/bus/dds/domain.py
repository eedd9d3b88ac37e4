"""The library's state per domain and process: opened for the first bus, freed after the last. Not
here: participants, the library's warnings (library_log.py).
"""

import contextlib
import threading

from ...errors import SaintError
from .library import Library
from .library_log import LibraryLog, OnUnreadable
from .loopback import local_only
from .settings import DdsSettings

_lock = threading.Lock()
_domains: dict[int, "_Domain"] = {}


class _Domain:
    def __init__(self, library: Library, settings: DdsSettings, number: int) -> None:
        self.log = LibraryLog(library)
        self.entity = 0  # 0: the library opens the domain itself
        try:
            if settings.configuration is not None:
                text = self.log.redirect(settings.configuration)
                with local_only(number) if settings.is_local else contextlib.nullcontext():
                    code = library.dds_create_domain(number, text.encode())
                self.entity = library.check(code, f"DDS domain {number} cannot be opened")
        except SaintError:
            self.log.close()
            raise
        finally:
            self.log.redirected()


def prepare(library: Library, settings: DdsSettings, number: int) -> None:
    """Open the domain before `hold`. Blocks."""
    with _lock:
        if number not in _domains:
            _domains[number] = _Domain(library, settings, number)


def hold(library: Library, settings: DdsSettings, number: int, listener: OnUnreadable) -> None:
    """Use the domain until `release`; the configuration is that of its first user."""
    with _lock:
        if number not in _domains:
            _domains[number] = _Domain(library, settings, number)
        _domains[number].log.listeners.append(listener)


def release(library: Library, number: int, listener: OnUnreadable) -> None:
    with _lock:
        domain = _domains[number]
        domain.log.listeners.remove(listener)
        if domain.log.listeners:
            return
        del _domains[number]
        if domain.entity:
            library.dds_delete(domain.entity)
        domain.log.close()
