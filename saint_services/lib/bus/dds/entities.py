"""Readers and writers of raw CDR bytes, with quality of service as ROS 2 sets it. Not here: message
classes, threads, names.
"""

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ...errors import SaintError
from ...generated.errors import Code
from .. import Qos
from .library import TIMED_OUT, Iovec, Library, PublicationMatched
from .types import Fields, descriptor

# Without user data every ROS 2 node warns about every endpoint ("Failed to parse type hash").
NO_USER_DATA = b";"

_BEST_EFFORT, _RELIABLE = 0, 1
_VOLATILE, _TRANSIENT_LOCAL = 0, 1
_KEEP_LAST = 0  # keep-all would block the writer when a reader stops
_UNLIMITED = -1
_IGNORE_OWN_PARTICIPANT = 1
_LONGEST_BLOCK_NS = 100_000_000

_DATA = 2  # SDK_DATA
_TYPE_OFFSET = 24  # of `type` in ddsi_serdata, 64-bit machines
_ANY_STATE = 0x7F

_BATCH = 64
_INFO = struct.Struct("=12x?3xq8xQ24x")  # valid_data, source_timestamp, publication_handle
_USUAL_BYTES = 16_384
_LARGEST_BYTES = 16 * 1024 * 1024

RawSample = tuple[bytes, int, int]  # data, source time in ns since 1970, publication handle


@dataclass(frozen=True, slots=True)
class DdsEndpoint:
    """Parameters of a reader or writer; names as in DDS."""

    topic: str
    type: str
    fields: Fields
    qos: Qos
    user_data: bytes = NO_USER_DATA
    partition: bytes = b""
    receives_own: bool = True


class DdsWriter:
    """Writes encoded messages."""

    def __init__(self, library: Library, participant: int, endpoint: DdsEndpoint) -> None:
        self._library = library
        check = library.check
        with _qos(library, endpoint) as qos:
            topic = _topic(library, participant, endpoint)
            owner = participant
            if endpoint.partition:  # a partition belongs to the publisher
                owner = check(library.dds_create_publisher(participant, qos, None), "publisher")
            code = library.dds_create_writer(owner, topic, qos, None)
            self.entity = check(code, f"writer of {endpoint.topic}")
            self._outermost = owner if endpoint.partition else self.entity
        self._type = _sertype(library, participant, self.entity, endpoint)
        check(library.dds_delete(topic), "topic")  # exists until the writer is deleted
        self.is_open = True
        self._iovec = Iovec()
        self._iovec_pointer = ctypes.byref(self._iovec)
        self._serialize = library.ddsi_serdata_from_ser_iov
        self._write = library.dds_writecdr

    def write(self, data: bytes) -> bool:
        """Write a message; False if the readers did not keep up for 100 ms and the sample was
        dropped.
        """
        if not self.is_open:
            return True
        size = len(data)
        iovec = self._iovec
        iovec.base = data
        iovec.size = size
        serdata = self._serialize(self._type, _DATA, 1, self._iovec_pointer, size)
        if not serdata:
            raise SaintError(Code.MESSAGE_MALFORMED, "the library refuses our own encoding")
        code: int = self._write(self.entity, serdata)
        if code < 0:
            if code != TIMED_OUT:
                self._library.check(code, "write")
            return False
        return True

    @property
    def has_readers(self) -> bool:
        """Return whether a reader matches now."""
        matched = PublicationMatched()
        read = self._library.dds_get_publication_matched_status
        return self.is_open and read(self.entity, ctypes.byref(matched)) == 0 < matched.current

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self._library.dds_delete(self._outermost)


class DdsReader:
    """Reads encoded messages. `condition` is triggered while there are any."""

    def __init__(self, library: Library, participant: int, endpoint: DdsEndpoint) -> None:
        self._library = library
        check = library.check
        with _qos(library, endpoint) as qos:
            topic = _topic(library, participant, endpoint)
            owner = participant
            if endpoint.partition:
                owner = check(library.dds_create_subscriber(participant, qos, None), "subscriber")
            code = library.dds_create_reader(owner, topic, qos, None)
            self.entity = check(code, f"reader of {endpoint.topic}")
            self._outermost = owner if endpoint.partition else self.entity
        check(library.dds_delete(topic), "topic")
        code = library.dds_create_readcondition(self.entity, _ANY_STATE)
        self.condition = check(code, "read condition")
        self.is_open = True

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self._library.dds_delete(self._outermost)


class SampleBatch:
    """Buffer for the samples of one `take`, shared by all readers of a bus."""

    def __init__(self, library: Library) -> None:
        self._take = library.dds_takecdr
        self._size = library.ddsi_serdata_size
        self._copy = library.ddsi_serdata_to_ser
        self._unref = library.ddsi_serdata_unref
        self._serdatas = (ctypes.c_void_p * _BATCH)()
        self._infos = ctypes.create_string_buffer(_INFO.size * _BATCH)
        self._infos_view = memoryview(self._infos)
        self._resize(_USUAL_BYTES)

    def take(self, reader: DdsReader) -> tuple[list[RawSample], bool]:
        """Take up to 64 samples; also returns whether there may be more. Oversized samples are
        empty.
        """
        count = self._take(reader.entity, self._serdatas, _BATCH, self._infos, _ANY_STATE)
        taken: list[RawSample] = []
        if count <= 0:
            return taken, False
        infos = _INFO.iter_unpack(self._infos_view[: count * _INFO.size])
        for index, (is_valid, source_ns, handle) in enumerate(infos):
            serdata = self._serdatas[index]
            if is_valid:  # else: only reports that a writer is gone
                taken.append((self._data(serdata), source_ns, handle))
            self._unref(serdata)
            self._serdatas[index] = None
        return taken, count == _BATCH

    def _data(self, serdata: Any) -> bytes:
        size = self._size(serdata)
        if size > len(self._buffer):
            if size > _LARGEST_BYTES:
                return b""
            self._resize(size)
        self._copy(serdata, 0, size, self._buffer)
        return self._view[:size].tobytes()

    def _resize(self, size: int) -> None:
        self._buffer = ctypes.create_string_buffer(size)
        self._view = memoryview(self._buffer)


def _topic(library: Library, participant: int, endpoint: DdsEndpoint) -> int:
    described = ctypes.byref(descriptor(endpoint.type, endpoint.fields))
    name = endpoint.topic.encode()
    code = library.dds_create_topic(participant, described, name, None, None)
    return library.check(code, f"topic {endpoint.topic}")


@contextmanager
def _qos(library: Library, endpoint: DdsEndpoint) -> Iterator[Any]:
    wanted = endpoint.qos
    qos = library.dds_create_qos()
    reliability = _RELIABLE if wanted.reliable else _BEST_EFFORT
    library.dds_qset_reliability(qos, reliability, _LONGEST_BLOCK_NS)
    library.dds_qset_history(qos, _KEEP_LAST, wanted.depth)
    library.dds_qset_durability(qos, _TRANSIENT_LOCAL if wanted.latched else _VOLATILE)
    if wanted.latched:  # this bounds what late readers receive, not the history
        none = _UNLIMITED
        library.dds_qset_durability_service(qos, 0, _KEEP_LAST, wanted.depth, none, none, none)
    library.dds_qset_writer_data_lifecycle(qos, False)  # as ROS 2 does
    library.dds_qset_userdata(qos, endpoint.user_data, len(endpoint.user_data))
    if endpoint.partition:
        library.dds_qset_partition1(qos, endpoint.partition)
    if not endpoint.receives_own:
        library.dds_qset_ignorelocal(qos, _IGNORE_OWN_PARTICIPANT)
    try:
        yield qos
    finally:
        library.dds_delete_qos(qos)


def _sertype(library: Library, participant: int, writer: int, endpoint: DdsEndpoint) -> int | None:
    """Return the library's own description of the type, which raw writes need."""
    if library.has_sertype:
        found = ctypes.c_void_p()
        code = library.dds_get_entity_sertype(writer, ctypes.byref(found))
        library.check(code, f"type of {endpoint.topic}")
        return found.value
    return _probe_sertype(library, participant, endpoint)


def _probe_sertype(library: Library, participant: int, endpoint: DdsEndpoint) -> int | None:
    """Find the type description in 0.10, which has no function for it: take a zeroed sample of our
    own and read its type. The library keeps one description per type and domain, so a separate
    topic is used: hidden from ROS 2, in a partition without other readers.
    """
    check = library.check
    probe = replace(
        endpoint,
        topic="saint_probe",
        qos=Qos(depth=1),
        user_data=NO_USER_DATA,
        partition=b"saint_probe_%d" % os.getpid(),
        receives_own=True,
    )
    with _qos(library, probe) as qos:
        topic = _topic(library, participant, probe)
        sender = check(library.dds_create_publisher(participant, qos, None), "probe")
        receiver = check(library.dds_create_subscriber(participant, qos, None), "probe")
        reader = check(library.dds_create_reader(receiver, topic, qos, None), "probe")
        writer = check(library.dds_create_writer(sender, topic, qos, None), "probe")
    size = descriptor(endpoint.type, endpoint.fields).size
    check(library.dds_write(writer, ctypes.create_string_buffer(size)), "probe")
    serdatas = (ctypes.c_void_p * 1)()
    infos = ctypes.create_string_buffer(_INFO.size)
    count = library.dds_takecdr(reader, serdatas, 1, infos, _ANY_STATE)
    for entity in (writer, reader, sender, receiver, topic):
        library.dds_delete(entity)
    if count != 1 or not serdatas[0]:
        raise SaintError(Code.BUS_UNAVAILABLE, f"{library.path} does not deliver to itself")
    found = ctypes.c_void_p.from_address(serdatas[0] + _TYPE_OFFSET).value
    library.ddsi_serdata_unref(serdatas[0])
    return found
