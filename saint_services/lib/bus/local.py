"""The bus inside one process, with the real wire encoding: the backend of unit tests.

Quality of service is matched as DDS does it, latched samples reach late subscribers, callbacks run
in the loop. Not here: other processes, lost samples, back pressure."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from ..errors import SaintError
from ..generated.errors import Code
from . import (
    Graph,
    M,
    NodeView,
    PolledSubscription,
    Publisher,
    Qos,
    Req,
    Res,
    Sample,
    Service,
    Subscription,
    Topic,
    cdr,
)
from .names import node_view
from .refused_samples import RefusedSamples
from .services import ServiceHandlers


class LocalDomain:
    """A DDS domain for buses of one process. One per test."""

    def __init__(self) -> None:
        self.buses: list[LocalBus] = []
        self.publishers: list[_LocalPublisher] = []
        self.subscriptions: list[_LocalSubscription] = []
        self.servers: list[_Server] = []
        self.graph_watchers: list[tuple[LocalBus, Callable[[], None]]] = []
        self._opened = 0
        self._waiting: list[asyncio.Future[None]] = []

    def bus(self, node_name: str) -> "LocalBus":
        self._opened += 1
        bus = LocalBus(self, node_view(node_name), f"{self._opened:024x}")
        self.buses.append(bus)
        return bus

    def announce(self, bus: "LocalBus") -> None:
        """Report to the others that this bus has other endpoints."""
        for other, changed in self.graph_watchers:
            if other is not bus:
                _soon(changed)

    def publish_bytes(self, topic: Topic[Any], data: bytes, origin: str = "f" * 24) -> None:
        """Publish raw bytes as a foreign writer might; for tests of malformed samples."""
        foreign = _LocalPublisher(self, topic, origin)
        self.deliver(foreign, data)

    def deliver(self, publisher: "_LocalPublisher", data: bytes) -> None:
        written_s = time.time()
        for subscription in tuple(self.subscriptions):
            if subscription.accepts(publisher):
                _soon(subscription.receive, data, written_s, publisher.origin)

    async def servers_of(self, service: Service[Any, Any]) -> "list[_Server]":
        """Return the servers of the service; wait for the first one."""
        while True:
            wanted = (service.name, service.type)
            found = [one for one in self.servers if (one.service.name, one.service.type) == wanted]
            if found:
                return found
            changed = asyncio.get_running_loop().create_future()
            self._waiting.append(changed)
            await changed

    def add_server(self, server: "_Server") -> None:
        self.servers.append(server)
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
        self._waiting.clear()


class LocalBus:
    """One node of a LocalDomain."""

    def __init__(self, domain: LocalDomain, node: NodeView, origin: str) -> None:
        self._domain = domain
        self._refusals = RefusedSamples()
        self._parts: list[_LocalPublisher | _LocalSubscription | _Server] = []
        self.node = node
        self.origin = origin

    @property
    def refused(self) -> dict[str, int]:
        return self._refusals.by_topic

    def publisher(self, topic: Topic[M]) -> Publisher[M]:
        publisher = _LocalPublisher(self._domain, topic, self.origin)
        self._domain.publishers.append(publisher)
        self._parts.append(publisher)
        self._domain.announce(self)
        return publisher

    def subscribe(
        self, topic: Topic[M], callback: Callable[[Sample[M]], None], *, own: bool = True
    ) -> Subscription:
        return self._subscribed(topic, callback, "" if own else self.origin)

    def _subscribed(
        self, topic: Topic[Any], callback: Callable[[Sample[Any]], None], excluded: str
    ) -> "_LocalSubscription":
        subscription = _LocalSubscription(self._domain, topic, callback, excluded, self._refusals)
        self._domain.subscriptions.append(subscription)
        self._parts.append(subscription)
        self._domain.announce(self)
        subscription.catch_up()
        return subscription

    def poll(
        self, topic: Topic[M], callback: Callable[[Sample[M]], None], *, depth: int
    ) -> PolledSubscription:
        del depth  # every sample is called back for at once
        return self._subscribed(topic, callback, excluded="")

    def serve(
        self, service: Service[Req, Res], handler: Callable[[Req], Awaitable[Res | None]]
    ) -> Subscription:
        server = _Server(self._domain, service, handler, self._refusals)
        self._domain.add_server(server)
        self._parts.append(server)
        self._domain.announce(self)
        return server

    async def call(self, service: Service[Req, Res], request: Req, timeout_s: float) -> Res:
        data = cdr.encode(request)
        try:
            async with asyncio.timeout(timeout_s):
                servers = await self._domain.servers_of(service)
                reply = asyncio.get_running_loop().create_future()
                for server in servers:
                    server.receive(data, reply)
                return cdr.decode(service.response, await reply)
        except TimeoutError as err:
            text = f"{service.name} did not answer within {timeout_s:g} s"
            raise SaintError(Code.BUS_TIMEOUT, text) from err

    def graph(self) -> Graph:
        domain = self._domain
        ends: list[_LocalPublisher | _LocalSubscription] = [
            *domain.publishers,
            *domain.subscriptions,
        ]
        return Graph(
            nodes=tuple(bus.node for bus in domain.buses),
            topics={end.topic.name: (end.topic.type.TYPE,) for end in ends},
            services={one.service.name: (one.service.type,) for one in domain.servers},
        )

    def watch_graph(self, changed: Callable[[], None]) -> bool:
        self._domain.graph_watchers.append((self, changed))
        return True

    async def close(self) -> None:
        for part in self._parts:
            part.close()
        self._parts.clear()
        self._domain.graph_watchers = [
            each for each in self._domain.graph_watchers if each[0] is not self
        ]
        if self in self._domain.buses:
            self._domain.buses.remove(self)


class _LocalPublisher:
    def __init__(self, domain: LocalDomain, topic: Topic[Any], origin: str) -> None:
        self._domain = domain
        self.topic = topic
        self.origin = origin
        self.newest: tuple[bytes, float] | None = None

    def publish(self, message: Any) -> None:
        self.send(cdr.encode(message))

    def send(self, data: bytes) -> None:
        if self not in self._domain.publishers:
            return
        if self.topic.qos.latched:
            self.newest = (data, time.time())
        self._domain.deliver(self, data)

    @property
    def has_readers(self) -> bool:
        is_open = self in self._domain.publishers
        return is_open and any(each.accepts(self) for each in self._domain.subscriptions)

    def close(self) -> None:
        if self in self._domain.publishers:
            self._domain.publishers.remove(self)


class _LocalSubscription:
    def __init__(
        self,
        domain: LocalDomain,
        topic: Topic[Any],
        callback: Callable[[Sample[Any]], None],
        excluded: str,
        refusals: RefusedSamples,
    ) -> None:
        self._domain = domain
        self._callback = callback
        self._excluded = excluded
        self._refusals = refusals
        self.topic = topic

    def accepts(self, publisher: _LocalPublisher) -> bool:
        ours, theirs = self.topic, publisher.topic
        return (
            (ours.name, ours.type.TYPE) == (theirs.name, theirs.type.TYPE)
            and _matches(offered=theirs.qos, wanted=ours.qos)
            and publisher.origin != self._excluded
        )

    def catch_up(self) -> None:
        """Deliver the newest sample of each publisher of a latched topic."""
        for publisher in self._domain.publishers if self.topic.qos.latched else ():
            if publisher.newest and self.accepts(publisher):
                _soon(self.receive, *publisher.newest, publisher.origin)

    def read(self) -> None:
        """Samples do not wait on this bus."""

    def receive(self, data: bytes, written_s: float, origin: str) -> None:
        if self not in self._domain.subscriptions:
            return
        try:
            message = cdr.decode(self.topic.type, data)
        except cdr.CdrError as err:
            self._refusals.add(self.topic.name, err.message)
            return
        self._callback(Sample(message, time.monotonic(), time.time() - written_s, origin))

    def close(self) -> None:
        if self in self._domain.subscriptions:
            self._domain.subscriptions.remove(self)


class _Server:
    def __init__(
        self,
        domain: LocalDomain,
        service: Service[Any, Any],
        handler: Callable[[Any], Awaitable[Any]],
        refusals: RefusedSamples,
    ) -> None:
        self._domain = domain
        self._handler = handler
        self._refusals = refusals
        self._handlers = ServiceHandlers()
        self.service = service

    def receive(self, data: bytes, reply: "asyncio.Future[bytes]") -> None:
        if self._handlers.is_full:
            self._refusals.add(self.service.name, "too many requests at once")
            return

        async def answer() -> None:
            response = await self._handler(cdr.decode(self.service.request, data))
            if response is not None and not reply.done():
                reply.set_result(cdr.encode(response))

        self._handlers.start(answer)

    def close(self) -> None:
        self._handlers.close()
        if self in self._domain.servers:
            self._domain.servers.remove(self)


def _matches(*, offered: Qos, wanted: Qos) -> bool:
    return offered.reliable >= wanted.reliable and offered.latched >= wanted.latched


def _soon(callback: Callable[..., None], *arguments: Any) -> None:
    asyncio.get_running_loop().call_soon(callback, *arguments)


_process_domains: dict[int, LocalDomain] = {}


def process_domain(domain_id: int) -> LocalDomain:
    """Return the domain of open_bus(backend="local"): one per number and process."""
    return _process_domains.setdefault(domain_id, LocalDomain())
