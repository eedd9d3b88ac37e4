"""Loads libddsc: its location, functions with their C types, error codes.

Supports Cyclone DDS 0.10 (Debian, ROS 2) and 11 (the `cyclonedds` wheel). Not here: use of the
functions."""

import ctypes as C  # noqa: N812  # in tables of C types every letter counts
import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import SaintError
from ...generated.errors import Code

FOREVER_NS = 0x7FFF_FFFF_FFFF_FFFF
TIMED_OUT = -10  # DDS_RETCODE_TIMEOUT

_DEBIAN = ("libddsc.so.0debian", "libddsc.so.0t64", "libddsc.so.0", "libddsc.so")
_ENTITY = C.c_int32  # negative values are error codes
_HANDLE = C.c_uint64


class Iovec(C.Structure):
    _fields_ = [("base", C.c_char_p), ("size", C.c_size_t)]


class TypeMeta(C.Structure):
    """XTypes descriptions; ours are empty, as those of ROS 2 are."""

    _fields_ = [("data", C.c_void_p), ("size", C.c_uint32)]


class TopicDescriptor(C.Structure):
    """dds_topic_descriptor_t."""

    _fields_ = [
        ("size", C.c_uint32), ("align", C.c_uint32), ("flags", C.c_uint32),
        ("key_count", C.c_uint32),
        ("type_name", C.c_char_p), ("keys", C.c_void_p),
        ("op_count", C.c_uint32), ("ops", C.POINTER(C.c_uint32)), ("xml", C.c_char_p),
        ("type_information", TypeMeta), ("type_mapping", TypeMeta),
        ("representations", C.c_uint32),
    ]  # fmt: skip


class BuiltinEndpoint(C.Structure):
    """dds_builtintopic_endpoint_t: a reader or writer on the domain."""

    _fields_ = [
        ("guid", C.c_ubyte * 16), ("participant", C.c_ubyte * 16),
        ("participant_handle", _HANDLE), ("topic", C.c_char_p), ("type", C.c_char_p),
        ("qos", C.c_void_p),
    ]  # fmt: skip


class PublicationMatched(C.Structure):
    """dds_publication_matched_status_t."""

    _fields_ = [
        ("total", C.c_uint32), ("total_change", C.c_int32),
        ("current", C.c_uint32), ("current_change", C.c_int32), ("newest_reader", _HANDLE),
    ]  # fmt: skip


class LogData(C.Structure):
    """dds_log_data_t."""

    _fields_ = [
        ("priority", C.c_uint32), ("domain", C.c_uint32),
        ("file", C.c_char_p), ("line", C.c_uint32), ("function", C.c_char_p),
        ("message", C.c_void_p), ("size", C.c_size_t), ("header", C.c_size_t),
    ]  # fmt: skip


LogSink = C.CFUNCTYPE(None, C.c_void_p, C.POINTER(LogData))

# Result, then arguments. Called with Python's global lock released.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "dds_create_domain": (_ENTITY, C.c_uint32, C.c_char_p),
    "dds_create_participant": (_ENTITY, C.c_uint32, C.c_void_p, C.c_void_p),
    "dds_create_topic": (
        _ENTITY, _ENTITY, C.POINTER(TopicDescriptor), C.c_char_p, C.c_void_p, C.c_void_p,
    ),
    "dds_create_publisher": (_ENTITY, _ENTITY, C.c_void_p, C.c_void_p),
    "dds_create_subscriber": (_ENTITY, _ENTITY, C.c_void_p, C.c_void_p),
    "dds_create_writer": (_ENTITY, _ENTITY, _ENTITY, C.c_void_p, C.c_void_p),
    "dds_create_reader": (_ENTITY, _ENTITY, _ENTITY, C.c_void_p, C.c_void_p),
    "dds_create_waitset": (_ENTITY, _ENTITY),
    "dds_create_readcondition": (_ENTITY, _ENTITY, C.c_uint32),
    "dds_create_guardcondition": (_ENTITY, _ENTITY),
    "dds_set_guardcondition": (C.c_int32, _ENTITY, C.c_bool),
    "dds_waitset_attach": (C.c_int32, _ENTITY, _ENTITY, C.c_ssize_t),
    "dds_waitset_detach": (C.c_int32, _ENTITY, _ENTITY),
    "dds_waitset_wait": (C.c_int32, _ENTITY, C.POINTER(C.c_ssize_t), C.c_size_t, C.c_int64),
    "dds_set_status_mask": (C.c_int32, _ENTITY, C.c_uint32),
    "dds_take_status": (C.c_int32, _ENTITY, C.POINTER(C.c_uint32), C.c_uint32),
    "dds_delete": (C.c_int32, _ENTITY),
    "dds_get_guid": (C.c_int32, _ENTITY, C.c_void_p),
    "dds_create_qos": (C.c_void_p,),
    "dds_delete_qos": (None, C.c_void_p),
    "dds_qset_reliability": (None, C.c_void_p, C.c_int, C.c_int64),
    "dds_qset_durability": (None, C.c_void_p, C.c_int),
    "dds_qset_history": (None, C.c_void_p, C.c_int, C.c_int32),
    "dds_qset_durability_service": (
        None, C.c_void_p, C.c_int64, C.c_int, C.c_int32, C.c_int32, C.c_int32, C.c_int32,
    ),
    "dds_qset_writer_data_lifecycle": (None, C.c_void_p, C.c_bool),
    "dds_qset_userdata": (None, C.c_void_p, C.c_char_p, C.c_size_t),
    "dds_qset_partition1": (None, C.c_void_p, C.c_char_p),
    "dds_qset_ignorelocal": (None, C.c_void_p, C.c_int),
    "dds_qget_userdata": (C.c_bool, C.c_void_p, C.POINTER(C.c_void_p), C.POINTER(C.c_size_t)),
    "dds_free": (None, C.c_void_p),
    "dds_writecdr": (C.c_int32, _ENTITY, C.c_void_p),
    "dds_write": (C.c_int32, _ENTITY, C.c_void_p),
    "dds_takecdr": (C.c_int32, _ENTITY, C.POINTER(C.c_void_p), C.c_uint32, C.c_void_p, C.c_uint32),
    "dds_read": (C.c_int32, _ENTITY, C.POINTER(C.c_void_p), C.c_void_p, C.c_size_t, C.c_uint32),
    "dds_return_loan": (C.c_int32, _ENTITY, C.POINTER(C.c_void_p), C.c_int32),
    "dds_get_publication_matched_status": (C.c_int32, _ENTITY, C.POINTER(PublicationMatched)),
    "dds_get_matched_subscriptions": (C.c_int32, _ENTITY, C.POINTER(_HANDLE), C.c_size_t),
    "dds_get_matched_publications": (C.c_int32, _ENTITY, C.POINTER(_HANDLE), C.c_size_t),
    "dds_get_matched_subscription_data": (C.POINTER(BuiltinEndpoint), _ENTITY, _HANDLE),
    "dds_get_matched_publication_data": (C.POINTER(BuiltinEndpoint), _ENTITY, _HANDLE),
    "dds_builtintopic_free_endpoint": (None, C.POINTER(BuiltinEndpoint)),
    "dds_strretcode": (C.c_char_p, C.c_int32),
}  # fmt: skip

# Called for every sample and non-blocking, so the lock is held.
_QUICK: dict[str, tuple[Any, ...]] = {
    "ddsi_serdata_from_ser_iov": (
        C.c_void_p, C.c_void_p, C.c_int, C.c_size_t, C.c_void_p, C.c_size_t,
    ),
    "ddsi_serdata_size": (C.c_uint32, C.c_void_p),
    "ddsi_serdata_to_ser": (None, C.c_void_p, C.c_size_t, C.c_size_t, C.c_void_p),
    "ddsi_serdata_unref": (None, C.c_void_p),
}  # fmt: skip

_OPTIONAL: dict[str, tuple[Any, ...]] = {
    "dds_get_entity_sertype": (C.c_int32, _ENTITY, C.POINTER(C.c_void_p)),  # since 11
    "dds_set_log_sink": (None, LogSink, C.c_void_p),  # not in the wheel of 11
}


class Library:
    """The loaded library; its functions are attributes with their C names."""

    def __init__(self, path: str) -> None:
        self.path = path
        releasing = C.CDLL(path)
        keeping = C.PyDLL(path, handle=releasing._handle)
        self._bind(releasing, _FUNCTIONS)
        self._bind(keeping, _QUICK)
        there = {name: types for name, types in _OPTIONAL.items() if hasattr(releasing, name)}
        self._bind(releasing, there)
        self.has_sertype = "dds_get_entity_sertype" in there
        self.takes_log_sink = "dds_set_log_sink" in there

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def _bind(self, source: C.CDLL, table: dict[str, tuple[Any, ...]]) -> None:
        for name, (result, *arguments) in table.items():
            function = getattr(source, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def check(self, code: int, what: str) -> int:
        """Return the code if it is not an error; entities are positive numbers."""
        if code < 0:
            reason = self.dds_strretcode(code) or b"unknown"
            raise SaintError(Code.BUS_UNAVAILABLE, f"{what}: {reason.decode(errors='replace')}")
        return int(code)


@cache
def load() -> Library:
    """Load the first library found. Raises SaintError bus_unavailable."""
    problem = "libddsc is not installed"
    for path in _candidates():
        try:
            return Library(path)
        except OSError as err:
            if "/" in path:  # a missing bare name is expected
                problem = f"{path} cannot be loaded: {err}"
        except AttributeError as err:
            problem = f"{path} is not a usable Cyclone DDS: {err}"
    raise SaintError(Code.BUS_UNAVAILABLE, problem)


def _candidates() -> Iterator[str]:
    if named := os.environ.get("SAINT_DDSC"):
        yield named
        return
    if sys.platform != "darwin":
        yield from _DEBIAN
    yield from _in_ros()
    yield from _in_wheel()


def _in_ros() -> Iterator[str]:
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    for prefix in filter(None, prefixes):
        for pattern in ("lib/libddsc.so*", "lib/*/libddsc.so*", "lib/libddsc*.dylib"):
            yield from map(str, sorted(Path(prefix).glob(pattern)))


def _in_wheel() -> Iterator[str]:
    """Return the library beside the Python package, which is located but not imported."""
    spec = find_spec("cyclonedds")
    for place in (spec.submodule_search_locations if spec else None) or ():
        package = Path(place)
        yield from map(str, sorted(package.parent.glob("cyclonedds.libs/libddsc*")))
        yield from map(str, sorted(package.glob(".dylibs/libddsc*")))
