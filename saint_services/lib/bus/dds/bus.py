"""The `dds` backend: one participant, one ROS node, one waiting thread. Not here: details of the
library (library.py, entities.py), services (service.py), graph (graph.py).
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ...errors import SaintError
from ...generated.errors import Code
from .. import (
    Graph,
    M,
    Message,
    NodeView,
    PolledSubscription,
    Publisher,
    Req,
    Res,
    Sample,
    Service,
    Subscription,
    Topic,
    cdr,
    names,
)
from ..refused_samples import RefusedSamples
from ..services import ServiceClients
from . import domain, selftest, settings
from .entities import NO_USER_DATA, DdsEndpoint, DdsReader, DdsWriter, RawSample, SampleBatch
from .graph import NodeGraph
from .library import Library, load
from .link import ParticipantLink
from .remote_endpoints import WriterOrigins, origin_of
from .service import DdsServiceClient, DdsServiceServer
from .waiter import Waiter

_PARTICIPANT_USER_DATA = b"enclave=/;"
_UNREADABLE = 10_000  # samples that wait to be counted
_NOT_SENT = "a reader does not keep up, a sample was not sent"


async def open_dds(node_name: str, domain_id: int) -> "DdsBus":
    """Open the bus. Raises SaintError bus_unavailable if the library is missing or does not
    work.
    """
    node = names.node_view(node_name)
    library = await asyncio.to_thread(load)
    options = await settings.when_addressed()
    await asyncio.to_thread(domain.prepare, library, options, domain_id)
    return DdsBus(library, options, node, domain_id)


class DdsBus:
    """Implements lib.bus.Bus over Cyclone DDS."""

    def __init__(
        self, library: Library, options: settings.DdsSettings, node: NodeView, domain_id: int
    ) -> None:
        self._library = library
        self._domain_id = domain_id
        self._loop = asyncio.get_running_loop()
        self._refusals = RefusedSamples()
        self._unreadable: deque[str] = deque(maxlen=_UNREADABLE)
        self._clients = ServiceClients(
            lambda service: DdsServiceClient(self._link, self._graph, service)
        )
        self._parts: set[_DdsPublisher | _DdsSubscription | DdsServiceServer] = set()
        self._is_closed = False
        domain.hold(library, options, domain_id, self._on_unreadable)
        self._participant = 0
        try:
            self._participant = _participant(library, domain_id)
            batch = SampleBatch(library)
            selftest.run(library, self._participant, batch)
            self.origin = origin_of(library, self._participant)
            waiter = Waiter(library, self._participant, self._free)
        except SaintError:
            self._free()
            raise
        origins = WriterOrigins(library)
        self._link = ParticipantLink(
            library, self._participant, waiter, batch, origins, self._refusals
        )
        self._graph = NodeGraph(self._link, node, options.gid_bytes)

    @property
    def refused(self) -> dict[str, int]:
        return self._refusals.by_topic

    def publisher(self, topic: Topic[M]) -> Publisher[M]:
        self._check_open()
        publisher = _DdsPublisher(self._link, self._graph, topic, self._parts.discard)
        self._parts.add(publisher)
        return publisher

    def subscribe(
        self, topic: Topic[M], callback: Callable[[Sample[M]], None], *, own: bool = True
    ) -> Subscription:
        self._check_open()
        subscription = _DdsSubscription(
            self._link, self._graph, topic, callback, own, self._parts.discard
        )
        self._parts.add(subscription)
        return subscription

    def poll(
        self, topic: Topic[M], callback: Callable[[Sample[M]], None], *, depth: int
    ) -> PolledSubscription:
        self._check_open()
        deep = replace(topic, qos=replace(topic.qos, depth=depth))
        subscription = _DdsSubscription(
            self._link, self._graph, deep, callback, True, self._parts.discard, is_polled=True
        )
        self._parts.add(subscription)
        return subscription

    def serve(
        self, service: Service[Req, Res], handler: Callable[[Req], Awaitable[Res | None]]
    ) -> Subscription:
        self._check_open()
        server = DdsServiceServer(self._link, self._graph, service, handler, self._parts.discard)
        self._parts.add(server)
        return server

    async def call(self, service: Service[Req, Res], request: Req, timeout_s: float) -> Res:
        self._check_open()
        response: Res = await self._clients.of(service).call(request, timeout_s)
        return response

    def graph(self) -> Graph:
        self._check_open()
        return self._graph.view()

    def watch_graph(self, changed: Callable[[], None]) -> bool:
        self._graph.watch(changed)
        return True

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._graph.close()
        for part in (*self._parts, *self._clients):
            part.close()
        self._clients.clear()
        await self._link.waiter.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise SaintError(Code.BUS_UNAVAILABLE, "the bus is closed")

    def _free(self) -> None:
        """Free the entities, on the waiter's thread: this may take a moment if a reader is slow."""
        if self._participant:
            self._library.dds_delete(self._participant)
        domain.release(self._library, self._domain_id, self._on_unreadable)

    def _on_unreadable(self, dds_topic: str) -> None:
        """Queue a count for the loop; called on a thread of the library, which could not read a
        sample.
        """
        self._unreadable.append(dds_topic)
        if len(self._unreadable) == 1:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._count_unreadable)

    def _count_unreadable(self) -> None:
        while self._unreadable:
            self._refusals.add(*names.unreadable(self._unreadable.popleft()))


class _DdsPublisher:
    def __init__(
        self,
        link: ParticipantLink,
        graph: NodeGraph,
        topic: Topic[Any],
        forget: Callable[[Any], None],
    ) -> None:
        self._writer = DdsWriter(link.library, link.participant, _endpoint(topic))
        message: type[Message] = topic.type
        self._encode = cdr.encoder(message)
        self._write = self._writer.write
        self._name = topic.name
        self._refusals = link.refusals
        self._graph = graph
        self._forget = forget
        graph.add_writer(self._writer.entity)

    def publish(self, message: Any) -> None:
        if not self._write(self._encode(message)):
            self._refusals.add(self._name, _NOT_SENT)

    def send(self, data: bytes) -> None:
        if not self._write(data):
            self._refusals.add(self._name, _NOT_SENT)

    @property
    def has_readers(self) -> bool:
        return self._writer.has_readers

    def close(self) -> None:
        self._graph.remove(self._writer.entity)
        self._writer.close()
        self._forget(self)


class _DdsSubscription:
    def __init__(
        self,
        link: ParticipantLink,
        graph: NodeGraph,
        topic: Topic[Any],
        callback: Callable[[Sample[Any]], None],
        own: bool,
        forget: Callable[[Any], None],
        *,
        is_polled: bool = False,
    ) -> None:
        self._reader = DdsReader(link.library, link.participant, _endpoint(topic, own))
        message: type[Message] = topic.type
        self._decode = cdr.decoder(message)
        self._callback = callback
        self._name = topic.name
        self._link = link
        self._take = link.batch.take
        self._origin_of = link.origins.of
        self._backlog: deque[RawSample] = deque()
        self._graph = graph
        self._forget = forget
        graph.add_reader(self._reader.entity)
        if not is_polled:
            link.waiter.attach_reader(self._reader.entity, self)

    def read(self) -> None:
        while self.drain(time.monotonic()):
            pass

    def drain(self, woke_s: float) -> bool:
        """Deliver the newest batch, or the rest of one in which a callback raised."""
        if not self._reader.is_open:
            return False
        backlog, is_more = self._backlog, True
        if not backlog:
            samples, is_more = self._take(self._reader)
            backlog.extend(samples)
        now_ns = time.time_ns()
        reader = self._reader.entity
        while backlog:  # a callback may close the subscription, which empties the backlog
            data, source_ns, handle = backlog.popleft()
            try:
                message = self._decode(data)
            except cdr.CdrError as err:
                self._link.refusals.add(self._name, err.message)
                continue
            origin = self._origin_of(reader, handle)
            self._callback(Sample(message, woke_s, (now_ns - source_ns) * 1e-9, origin))
        return is_more

    def close(self) -> None:
        self._backlog.clear()
        self._link.waiter.detach(self)
        self._graph.remove(self._reader.entity)
        self._reader.close()
        self._forget(self)


def _endpoint(topic: Topic[Any], receives_own: bool = True) -> DdsEndpoint:
    message = topic.type
    return DdsEndpoint(
        topic=names.dds_topic(topic.name),
        type=names.dds_type(message.TYPE),
        fields=message.FIELDS,
        qos=topic.qos,
        user_data=f"typehash={message.HASH};".encode() if message.HASH else NO_USER_DATA,
        receives_own=receives_own,
    )


def _participant(library: Library, domain_id: int) -> int:
    qos = library.dds_create_qos()
    library.dds_qset_userdata(qos, _PARTICIPANT_USER_DATA, len(_PARTICIPANT_USER_DATA))
    code = library.dds_create_participant(domain_id, qos, None)
    library.dds_delete_qos(qos)
    return library.check(code, f"no participant in DDS domain {domain_id}")
