"""The data plane: publish, subscribe, serve and call, the same over every backend.

`open_bus()` picks the backend: `dds` (Cyclone DDS with ROS 2 wire conventions, the default),
`rclpy` (a sourced ROS 2 installation) or `local` (inside one process, for tests). A bus belongs to
one asyncio loop: callbacks run in the loop, and no method may be called from another thread."""

import builtins
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar


class Message(Protocol):
    """Interface of the generated message classes (see lib/generated)."""

    TYPE: ClassVar[str]  # "saint_msgs/msg/HeadCommand"
    HASH: ClassVar[str]  # "RIHS01_..." (REP 2016)
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]]


M = TypeVar("M", bound=Message)
Req = TypeVar("Req", bound=Message)
Res = TypeVar("Res", bound=Message)
M_contra = TypeVar("M_contra", bound=Message, contravariant=True)


@dataclass(frozen=True, slots=True)
class Qos:
    """The DDS quality of service in use; history is always keep-last."""

    reliable: bool = True
    depth: int = 10
    latched: bool = False  # transient local: late subscribers get the newest


@dataclass(frozen=True, slots=True)
class Topic(Generic[M]):
    """A topic: absolute ROS name, message type and quality of service; see lib.generated.topics."""

    name: str
    type: type[M]
    qos: Qos

    def at(self, **parts: str) -> "Topic[M]":
        """Return the topic with the {placeholders} of its name filled in."""
        return Topic(self.name.format(**parts), self.type, self.qos)


@dataclass(frozen=True, slots=True)
class Service(Generic[Req, Res]):
    """A service: absolute ROS name, request and response types."""

    name: str
    type: str  # "saint_msgs/srv/AdoptNode"
    hash: str  # RIHS01 of the service
    request: builtins.type[Req]
    response: builtins.type[Res]

    def at(self, **parts: str) -> "Service[Req, Res]":
        """Return the service with the {placeholders} of its name filled in."""
        return Service(self.name.format(**parts), self.type, self.hash, self.request, self.response)


@dataclass(frozen=True, slots=True)
class Sample(Generic[M]):
    """A received message.

    `age_s` is the time from the writer's clock to ours at arrival: accurate on one host, between
    hosts as accurate as their clocks agree. Freshness is judged by `received_s`, our monotonic
    clock. `origin` names the writer's participant (24 hex digits; empty if the backend does not
    report it).
    """

    message: M
    received_s: float
    age_s: float
    origin: str


class Publisher(Protocol[M_contra]):
    """Made by Bus.publisher. Publishing blocks no longer than the writer's limit (100 ms)."""

    def publish(self, message: M_contra) -> None: ...

    def send(self, data: bytes) -> None:
        """Publish a message that is already encoded (cdr.encode_into)."""
        ...

    @property
    def has_readers(self) -> bool:
        """True while a subscription of any process matches: what is costly to build need not be
        built for nobody. Costs a call of the library, no thread and no timer.
        """
        ...

    def close(self) -> None: ...


class Subscription(Protocol):
    """Made by Bus.subscribe and Bus.serve."""

    def close(self) -> None: ...


class PolledSubscription(Protocol):
    """Made by Bus.poll."""

    def read(self) -> None:
        """Call back for every sample that has arrived since the last call."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class NodeView:
    """A ROS node in the graph."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Graph:
    """Everything visible on the domain."""

    nodes: tuple[NodeView, ...]
    topics: dict[str, tuple[str, ...]]  # ROS name -> types
    services: dict[str, tuple[str, ...]]


class Bus(Protocol):
    """One ROS node of this process."""

    @property
    def origin(self) -> str:
        """Our participant, as Sample.origin of what we publish."""
        ...

    @property
    def refused(self) -> dict[str, int]:
        """Number of samples that could not be decoded, by topic."""
        ...

    def publisher(self, topic: Topic[M]) -> Publisher[M]: ...

    def subscribe(
        self, topic: Topic[M], callback: Callable[[Sample[M]], None], *, own: bool = True
    ) -> Subscription:
        """Call `callback` in the loop for every sample; `own=False` skips samples of this bus."""
        ...

    def poll(
        self, topic: Topic[M], callback: Callable[[Sample[M]], None], *, depth: int
    ) -> PolledSubscription:
        """Subscribe without being woken: samples wait for read(), at most the newest `depth`. A
        backend that cannot let them wait calls back at once; read() does nothing then.
        """
        ...

    def serve(
        self, service: Service[Req, Res], handler: Callable[[Req], Awaitable[Res | None]]
    ) -> Subscription:
        """Serve a service. All its servers get every request; a handler returns None, and so sends
        no reply, for one that is meant for another server.
        """
        ...

    async def call(self, service: Service[Req, Res], request: Req, timeout_s: float) -> Res:
        """Call a service; returns the first reply. Raises SaintError bus_timeout if no server
        exists or replies in time.
        """
        ...

    def graph(self) -> Graph: ...

    def watch_graph(self, changed: Callable[[], None]) -> bool:
        """Call `changed` in the loop when another participant has announced other endpoints, which
        may be a moment before graph() shows them. Return False if the backend cannot know.
        """
        ...

    async def close(self) -> None: ...
