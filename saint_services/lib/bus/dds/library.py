"""libddsc: where it is, its functions with their C types, its error codes.

Runs with Cyclone DDS 0.10 (Debian, ROS 2) and 11 (the `cyclonedds` wheel). Not here: what the
functions are used for.
"""

import ctypes
import os
import sys
from collections.abc import Iterator
from ctypes import POINTER, Structure, c_bool, c_char_p, c_int32, c_int64, c_size_t, c_ssize_t
from ctypes import c_uint32, c_uint64, c_void_p
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import SaintError
from ...generated.errors import Code

FOREVER_NS = 0x7FFF_FFFF_FFFF_FFFF
TIMED_OUT = -10  # DDS_RETCODE_TIMEOUT

_DEBIAN = ("libddsc.so.0debian", "libddsc.so.0t64", "libddsc.so.0", "libddsc.so")
_ENTITY = c_int32  # negative values are error codes
_HANDLE = c_uint64


class Iovec(Structure):
    """A piece of memory."""

    _fields_ = [("base", c_char_p), ("size", c_size_t)]


class TypeMeta(Structure):
    """XTypes descriptions; ours stay empty, as those of ROS 2 do."""

    _fields_ = [("data", c_void_p), ("size", c_uint32)]


class TopicDescriptor(Structure):
    """dds_topic_descriptor_t."""

    _fields_ = [
        ("size", c_uint32), ("align", c_uint32), ("flags", c_uint32), ("key_count", c_uint32),
        ("type_name", c_char_p), ("keys", c_void_p),
        ("op_count", c_uint32), ("ops", POINTER(c_uint32)), ("xml", c_char_p),
        ("type_information", TypeMeta), ("type_mapping", TypeMeta),
        ("representations", c_uint32),
    ]  # fmt: skip


class BuiltinEndpoint(Structure):
    """dds_builtintopic_endpoint_t: a reader or writer somewhere on the domain."""

    _fields_ = [
        ("guid", ctypes.c_ubyte * 16), ("participant", ctypes.c_ubyte * 16),
        ("participant_handle", _HANDLE), ("topic", c_char_p), ("type", c_char_p),
        ("qos", c_void_p),
    ]  # fmt: skip


class LogData(Structure):
    """dds_log_data_t."""

    _fields_ = [
        ("priority", c_uint32), ("domain", c_uint32), ("file", c_char_p), ("line", c_uint32),
        ("function", c_char_p), ("message", c_void_p), ("size", c_size_t), ("header", c_size_t),
    ]  # fmt: skip


LogSink = ctypes.CFUNCTYPE(None, c_void_p, POINTER(LogData))

# Result, then arguments. Called without Python's global lock.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "dds_create_domain": (_ENTITY, c_uint32, c_char_p),
    "dds_create_participant": (_ENTITY, c_uint32, c_void_p, c_void_p),
    "dds_create_topic": (
        _ENTITY, _ENTITY, POINTER(TopicDescriptor), c_char_p, c_void_p, c_void_p,
    ),
    "dds_create_publisher": (_ENTITY, _ENTITY, c_void_p, c_void_p),
    "dds_create_subscriber": (_ENTITY, _ENTITY, c_void_p, c_void_p),
    "dds_create_writer": (_ENTITY, _ENTITY, _ENTITY, c_void_p, c_void_p),
    "dds_create_reader": (_ENTITY, _ENTITY, _ENTITY, c_void_p, c_void_p),
    "dds_create_waitset": (_ENTITY, _ENTITY),
    "dds_create_readcondition": (_ENTITY, _ENTITY, c_uint32),
    "dds_create_guardcondition": (_ENTITY, _ENTITY),
    "dds_set_guardcondition": (c_int32, _ENTITY, c_bool),
    "dds_waitset_attach": (c_int32, _ENTITY, _ENTITY, c_ssize_t),
    "dds_waitset_detach": (c_int32, _ENTITY, _ENTITY),
    "dds_waitset_wait": (c_int32, _ENTITY, POINTER(c_ssize_t), c_size_t, c_int64),
    "dds_set_status_mask": (c_int32, _ENTITY, c_uint32),
    "dds_take_status": (c_int32, _ENTITY, POINTER(c_uint32), c_uint32),
    "dds_delete": (c_int32, _ENTITY),
    "dds_get_guid": (c_int32, _ENTITY, c_void_p),
    "dds_create_qos": (c_void_p,),
    "dds_delete_qos": (None, c_void_p),
    "dds_qset_reliability": (None, c_void_p, ctypes.c_int, c_int64),
    "dds_qset_durability": (None, c_void_p, ctypes.c_int),
    "dds_qset_history": (None, c_void_p, ctypes.c_int, c_int32),
    "dds_qset_durability_service": (
        None, c_void_p, c_int64, ctypes.c_int, c_int32, c_int32, c_int32, c_int32,
    ),
    "dds_qset_writer_data_lifecycle": (None, c_void_p, c_bool),
    "dds_qset_userdata": (None, c_void_p, c_char_p, c_size_t),
    "dds_qset_partition1": (None, c_void_p, c_char_p),
    "dds_qset_ignorelocal": (None, c_void_p, ctypes.c_int),
    "dds_qget_userdata": (c_bool, c_void_p, POINTER(c_void_p), POINTER(c_size_t)),
    "dds_free": (None, c_void_p),
    "dds_writecdr": (c_int32, _ENTITY, c_void_p),
    "dds_write": (c_int32, _ENTITY, c_void_p),
    "dds_takecdr": (c_int32, _ENTITY, POINTER(c_void_p), c_uint32, c_void_p, c_uint32),
    "dds_read": (c_int32, _ENTITY, POINTER(c_void_p), c_void_p, c_size_t, c_uint32),
    "dds_return_loan": (c_int32, _ENTITY, POINTER(c_void_p), c_int32),
    "dds_get_matched_subscriptions": (c_int32, _ENTITY, POINTER(_HANDLE), c_size_t),
    "dds_get_matched_publications": (c_int32, _ENTITY, POINTER(_HANDLE), c_size_t),
    "dds_get_matched_subscription_data": (POINTER(BuiltinEndpoint), _ENTITY, _HANDLE),
    "dds_get_matched_publication_data": (POINTER(BuiltinEndpoint), _ENTITY, _HANDLE),
    "dds_builtintopic_free_endpoint": (None, POINTER(BuiltinEndpoint)),
    "dds_strretcode": (c_char_p, c_int32),
    "dds_set_log_sink": (None, LogSink, c_void_p),
}  # fmt: skip

# Called once or more per sample; they do not wait for anything, so the lock is kept.
_QUICK: dict[str, tuple[Any, ...]] = {
    "ddsi_serdata_from_ser_iov": (
        c_void_p, c_void_p, ctypes.c_int, c_size_t, c_void_p, c_size_t,
    ),
    "ddsi_serdata_size": (c_uint32, c_void_p),
    "ddsi_serdata_to_ser": (None, c_void_p, c_size_t, c_size_t, c_void_p),
    "ddsi_serdata_unref": (None, c_void_p),
}  # fmt: skip

_NEWER: dict[str, tuple[Any, ...]] = {
    "dds_get_entity_sertype": (c_int32, _ENTITY, POINTER(c_void_p)),  # since 11
}


class Library:
    """The loaded library; its functions are attributes, named as in C."""

    def __init__(self, path: str) -> None:
        self.path = path
        releasing = ctypes.CDLL(path)
        keeping = ctypes.PyDLL(path, handle=releasing._handle)
        self._bind(releasing, _FUNCTIONS)
        self._bind(keeping, _QUICK)
        self.is_11 = hasattr(releasing, "dds_get_entity_sertype")
        if self.is_11:
            self._bind(releasing, _NEWER)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def _bind(self, source: ctypes.CDLL, table: dict[str, tuple[Any, ...]]) -> None:
        for name, (result, *arguments) in table.items():
            function = getattr(source, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def check(self, code: int, what: str) -> int:
        """The code, when it is not an error; entities are positive numbers."""
        if code < 0:
            reason = self.dds_strretcode(code) or b"unknown"
            raise SaintError(Code.BUS_UNAVAILABLE, f"{what}: {reason.decode(errors='replace')}")
        return int(code)


@cache
def load() -> Library:
    """The first library that can be loaded. Raises SaintError bus_unavailable."""
    problem = "libddsc is not installed"
    for path in _candidates():
        try:
            return Library(path)
        except OSError as err:
            if "/" in path:  # a bare name that is not there is no news
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
    """The library lies beside the Python package, which is looked for but not imported."""
    spec = find_spec("cyclonedds")
    for place in (spec.submodule_search_locations if spec else None) or ():
        package = Path(place)
        yield from map(str, sorted(package.parent.glob("cyclonedds.libs/libddsc*")))
        yield from map(str, sorted(package.glob(".dylibs/libddsc*")))
