"""The ROS graph: announces our node and endpoints, and shows those of others.

Nodes are announced on the topic `ros_discovery_info`, endpoints are discovered by DDS itself.
Source: rmw_dds_common. Not here: names (bus/names.py)."""

import asyncio
import ctypes
from collections.abc import Callable, Iterator
from typing import Any

from ...generated import rmw_dds_common
from .. import Graph, NodeView, Qos, cdr, names
from . import humble
from .entities import NO_USER_DATA, DdsEndpoint, DdsReader, DdsWriter
from .library import BuiltinEndpoint, Library
from .link import ParticipantLink
from .remote_endpoints import guid_of

_TOPIC = "ros_discovery_info"
_PARTICIPANTS, _PUBLICATIONS, _SUBSCRIPTIONS = 0x7FFF_0001, 0x7FFF_0003, 0x7FFF_0004
_ENTRIES = 4096  # read of each kind
_FOREIGN = 512  # participants remembered
_INFO_BYTES = 64  # dds_sample_info_t
_VALID_OFFSET = 12  # of valid_data in it


class NodeGraph:
    """The entry of our node, and those of others."""

    def __init__(self, link: ParticipantLink, node: NodeView, gid_bytes: int) -> None:
        self._link = link
        self._messages: Any = humble if gid_bytes == 24 else rmw_dds_common
        self._gid_bytes = gid_bytes
        self._node = node
        self._guid = guid_of(link.library, link.participant)
        self._readers: dict[int, bytes] = {}
        self._writers: dict[int, bytes] = {}
        self._others: dict[bytes, tuple[NodeView, ...]] = {}
        self._watchers: list[Callable[[], None]] = []
        self._is_stale = False
        self._is_closed = False
        self._info = self._messages.ParticipantEntitiesInfo
        self._decode = cdr.decoder(self._info)
        self._writer = DdsWriter(link.library, link.participant, self._endpoint(depth=1))
        self._reader = DdsReader(link.library, link.participant, self._endpoint(depth=_FOREIGN))
        link.waiter.attach(self._reader.condition, self)
        self._announce()

    def add_reader(self, entity: int) -> None:
        self._readers[entity] = guid_of(self._link.library, entity)
        self._announce_soon()

    def add_writer(self, entity: int) -> None:
        self._writers[entity] = guid_of(self._link.library, entity)
        self._announce_soon()

    def remove(self, *entities: int) -> None:
        for entity in entities:
            self._readers.pop(entity, None)
            self._writers.pop(entity, None)
        self._announce_soon()

    def watch(self, changed: Callable[[], None]) -> None:
        """Call this with each announcement of another participant."""
        self._watchers.append(changed)

    def close(self) -> None:
        self._is_closed = True  # also cancels a scheduled announcement

    def view(self) -> Graph:
        """Return everything visible now."""
        library, participant = self._link.library, self._link.participant
        alive = set(_participants(library, participant))
        nodes = [self._node]
        for guid, theirs in self._others.items():
            nodes += theirs if guid in alive else ()
        topics: dict[str, set[str]] = {}
        services: dict[str, set[str]] = {}
        for builtin in (_PUBLICATIONS, _SUBSCRIPTIONS):
            for topic, type_name in _endpoints(library, participant, builtin):
                ros_type = names.ros_type(type_name)
                if name := names.ros_topic(topic):
                    topics.setdefault(name, set()).add(ros_type)
                elif builtin == _PUBLICATIONS and (name := names.ros_service(topic)):
                    services.setdefault(name, set()).add(ros_type)
        return Graph(tuple(nodes), _sorted(topics), _sorted(services))

    def drain(self, _woke_s: float) -> bool:
        """Read announcements of other participants."""
        samples, is_more = self._link.batch.take(self._reader)
        for data, _time, _handle in samples:
            try:
                self._note(self._decode(data))
            except cdr.CdrError as err:
                self._link.refusals.add(_TOPIC, err.message)
        return is_more

    def _note(self, info: Any) -> None:
        for changed in self._watchers:
            changed()
        guid = bytes(info.gid.data[:16])
        self._others.pop(guid, None)
        nodes = tuple(
            NodeView(one.node_namespace, one.node_name) for one in info.node_entities_info_seq
        )
        if not nodes:
            return
        if len(self._others) >= _FOREIGN:
            self._forget_the_dead()
        self._others[guid] = nodes

    def _forget_the_dead(self) -> None:
        alive = set(_participants(self._link.library, self._link.participant))
        self._others = {guid: nodes for guid, nodes in self._others.items() if guid in alive}
        while len(self._others) >= _FOREIGN:
            del self._others[next(iter(self._others))]

    def _announce_soon(self) -> None:
        """Schedule one announcement for all endpoints made in this turn of the loop."""
        if not self._is_stale:
            self._is_stale = True
            asyncio.get_running_loop().call_soon(self._announce)

    def _announce(self) -> None:
        self._is_stale = False
        if self._is_closed:
            return
        node = self._messages.NodeEntitiesInfo(
            self._node.namespace,
            self._node.name,
            [self._gid(guid) for guid in self._readers.values()],
            [self._gid(guid) for guid in self._writers.values()],
        )
        self._writer.write(cdr.encode(self._info(self._gid(self._guid), [node])))

    def _gid(self, guid: bytes) -> Any:
        return self._messages.Gid(guid.ljust(self._gid_bytes, b"\0"))

    def _endpoint(self, depth: int) -> DdsEndpoint:
        return DdsEndpoint(
            topic=_TOPIC,
            type=names.dds_type(self._info.TYPE),
            fields=self._info.FIELDS,
            qos=Qos(depth=depth, latched=True),
            user_data=f"typehash={self._info.HASH};".encode() if self._info.HASH else NO_USER_DATA,
            receives_own=False,
        )


def _participants(library: Library, participant: int) -> Iterator[bytes]:
    for address in _builtin(library, participant, _PARTICIPANTS):
        yield ctypes.string_at(address, 16)


def _endpoints(library: Library, participant: int, topic: int) -> Iterator[tuple[str, str]]:
    for address in _builtin(library, participant, topic):
        found = BuiltinEndpoint.from_address(address)
        yield found.topic.decode(errors="replace"), found.type.decode(errors="replace")


def _builtin(library: Library, participant: int, topic: int) -> Iterator[int]:
    """Yield addresses of samples of a built-in DDS topic; each is valid until the next step."""
    reader = library.check(library.dds_create_reader(participant, topic, None, None), "graph")
    samples = (ctypes.c_void_p * _ENTRIES)()
    infos = ctypes.create_string_buffer(_ENTRIES * _INFO_BYTES)
    try:
        count = library.check(library.dds_read(reader, samples, infos, _ENTRIES, _ENTRIES), "graph")
        for index in range(count):
            address = samples[index]
            if address and infos[index * _INFO_BYTES + _VALID_OFFSET] != b"\0":
                yield address
        if count:
            library.dds_return_loan(reader, samples, count)
    finally:
        library.dds_delete(reader)


def _sorted(found: dict[str, set[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(sorted(found[name])) for name in sorted(found)}
