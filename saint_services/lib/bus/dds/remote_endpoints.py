"""Participant and user data of matched readers and writers. Not here: the graph of all nodes
(graph.py).
"""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .library import Library

_PREFIX_BYTES = 12  # prefix of a GUID that identifies the participant
_MATCHES = 256  # read per endpoint
_REMEMBERED = 1024


@dataclass(frozen=True, slots=True)
class RemoteEndpoint:
    """An endpoint of another participant."""

    origin: str  # its participant
    user_data: str

    def value(self, key: str) -> str:
        """Return the value of "key=value;" in the user data; "" if missing."""
        pairs = (part.partition("=") for part in self.user_data.split(";"))
        return next((value for name, _, value in pairs if name == key), "")


class WriterOrigins:
    """Maps a sample's publication handle to Sample.origin, with a cache."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known: dict[int, str] = {}

    def of(self, reader: int, handle: int) -> str:
        """Return the writer's participant; empty if the writer is already gone."""
        known = self._known.get(handle)
        if known is None:
            peer = writer_of(self._library, reader, handle)
            if peer is None:
                return ""
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            known = self._known[handle] = peer.origin
        return known


def origin_of(library: Library, entity: int) -> str:
    """Return the participant of one of our own entities."""
    return guid_of(library, entity)[:_PREFIX_BYTES].hex()


def guid_of(library: Library, entity: int) -> bytes:
    guid = ctypes.create_string_buffer(16)
    library.check(library.dds_get_guid(entity, guid), "GUID")
    return guid.raw


def writer_of(library: Library, reader: int, handle: int) -> RemoteEndpoint | None:
    """Return the writer of a sample."""
    return _peer(library, library.dds_get_matched_publication_data(reader, handle))


def readers_of(library: Library, writer: int) -> Iterator[RemoteEndpoint]:
    """Yield all readers matched to our writer."""
    handles = (ctypes.c_uint64 * _MATCHES)()
    count = library.dds_get_matched_subscriptions(writer, handles, _MATCHES)
    for handle in handles[: max(0, min(count, _MATCHES))]:
        peer = _peer(library, library.dds_get_matched_subscription_data(writer, handle))
        if peer:
            yield peer


def writers_of(library: Library, reader: int) -> Iterator[RemoteEndpoint]:
    """Yield all writers matched to our reader."""
    handles = (ctypes.c_uint64 * _MATCHES)()
    count = library.dds_get_matched_publications(reader, handles, _MATCHES)
    for handle in handles[: max(0, min(count, _MATCHES))]:
        if peer := writer_of(library, reader, handle):
            yield peer


def _peer(library: Library, endpoint: Any) -> RemoteEndpoint | None:
    if not endpoint:
        return None
    found = endpoint.contents
    peer = RemoteEndpoint(
        bytes(found.participant)[:_PREFIX_BYTES].hex(),
        user_data(library, found.qos),
    )
    library.dds_builtintopic_free_endpoint(endpoint)
    return peer


def user_data(library: Library, qos: Any) -> str:
    """Decode user data as text; other participants may put anything there."""
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    if not qos or not library.dds_qget_userdata(qos, ctypes.byref(data), ctypes.byref(size)):
        return ""
    if not data.value:
        return ""
    text = ctypes.string_at(data.value, size.value).decode(errors="replace")
    library.dds_free(data)
    return text
