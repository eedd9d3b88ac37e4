"""The library's state per domain and process: made for the first bus, freed after the last.

Not here: participants, what the library complains about (complaints.py).
"""

import contextlib
import threading

from ...errors import SaintError
from .complaints import Complaints, OnUnreadable
from .library import Library
from .loopback import local_only
from .settings import Settings

_lock = threading.Lock()
_domains: dict[int, "_Domain"] = {}


class _Domain:
    def __init__(self, library: Library, settings: Settings, number: int) -> None:
        self.complaints = Complaints(library)
        self.entity = 0  # the library makes it by itself
        try:
            if settings.configuration is not None:
                text = self.complaints.redirect(settings.configuration)
                with local_only(number) if settings.is_local else contextlib.nullcontext():
                    code = library.dds_create_domain(number, text.encode())
                self.entity = library.check(code, f"DDS domain {number} cannot be opened")
        except SaintError:
            self.complaints.close()
            raise
        finally:
            self.complaints.redirected()


def prepare(library: Library, settings: Settings, number: int) -> None:
    """Open the domain, which is held right after that. Blocks."""
    with _lock:
        if number not in _domains:
            _domains[number] = _Domain(library, settings, number)


def hold(library: Library, settings: Settings, number: int, listener: OnUnreadable) -> None:
    """Use the domain until `release`; its configuration is that of its first user."""
    with _lock:
        if number not in _domains:
            _domains[number] = _Domain(library, settings, number)
        _domains[number].complaints.listeners.append(listener)


def release(library: Library, number: int, listener: OnUnreadable) -> None:
    with _lock:
        domain = _domains[number]
        domain.complaints.listeners.remove(listener)
        if domain.complaints.listeners:
            return
        del _domains[number]
        if domain.entity:
            library.dds_delete(domain.entity)
        domain.complaints.close()
