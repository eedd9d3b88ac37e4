"""The `rclpy` backend, for a sourced ROS 2 installation with any middleware.

One node and one executor in one thread; the thread only passes items on, everything else happens
in the loop. Topics are sent as bytes of our codec, services with rclpy's classes (services.py).
Samples name their writer only if rclpy reports it (newer than Jazzy)."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from types import SimpleNamespace
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
    Qos,
    Req,
    Res,
    Sample,
    Service,
    Subscription,
    Topic,
    cdr,
    names,
)
from ..names import node_view
from ..refused_samples import RefusedSamples
from ..services import ServiceClients
from .inbox import Echoes, Inbox
from .messages import ros_class
from .services import RosServiceClient, RosServiceServer

_FAULT_PAUSE_S = 0.05
_CLOSE_S = 5.0
_PREFIX_BYTES = 12
# No log file per process: without a writable folder for it, rclpy refuses to start.
_ARGUMENTS = ["--ros-args", "--disable-external-lib-logs"]


async def open_ros(node_name: str, domain_id: int) -> "RosBus":
    """Open the bus. Raises SaintError bus_unavailable if no ROS 2 installation is sourced."""
    ros = await asyncio.to_thread(_rclpy)  # slow, as is making a node
    return RosBus(ros, *await asyncio.to_thread(_node, ros, node_view(node_name), domain_id))


def _rclpy() -> Any:
    """Import the parts of rclpy that are used."""
    try:
        import rclpy
        from rclpy import executors, qos, signals
    except ImportError as err:
        fix = "Source a ROS 2 installation (setup.bash), or set SAINT_BUS=dds."
        raise SaintError(Code.BUS_UNAVAILABLE, f"no rclpy: {err}", fix=fix) from err
    return SimpleNamespace(rclpy=rclpy, executors=executors, qos=qos, signals=signals)


def _node(ros: Any, node: NodeView, domain_id: int) -> tuple[Any, Any]:
    """Make a context and a node in it."""
    context = ros.rclpy.Context()
    try:
        ros.rclpy.init(
            args=_ARGUMENTS,
            context=context,
            domain_id=domain_id,
            signal_handler_options=ros.signals.SignalHandlerOptions.NO,
        )
        made = ros.rclpy.create_node(
            node.name,
            namespace=node.namespace,
            context=context,
            enable_rosout=False,
            start_parameter_services=False,
        )
    except RuntimeError as err:  # RCLError is one
        context.try_shutdown()
        raise SaintError(Code.BUS_UNAVAILABLE, f"rclpy cannot make a node: {err}") from err
    return context, made


def _own(found: Iterable[tuple[str, Iterable[str]]]) -> dict[str, tuple[str, ...]]:
    """Return the names of this robot, with their types."""
    return {names.own(name): tuple(types) for name, types in found if names.own(name)}


class RosBus:
    """Implements lib.bus.Bus over rclpy."""

    def __init__(self, ros: Any, context: Any, node: Any) -> None:
        self._ros = ros
        self._loop = asyncio.get_running_loop()
        self._refusals = RefusedSamples()
        self._parts: set[_RosPublisher | _RosSubscription | RosServiceServer] = set()
        self._clients = ServiceClients(
            lambda service: RosServiceClient(self.node, self.hop, service)
        )
        self._echoes: dict[str, list[Echoes]] = {}
        self._is_closed = False
        self._ended = self._loop.create_future()
        self._context = context
        self.node = node
        self._executor = ros.executors.SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin, name="bus-rclpy", daemon=True)
        self._thread.start()

    @property
    def origin(self) -> str:
        """Empty, because samples do not name their writer either."""
        if not _reports_writers(self._ros):
            return ""
        name, namespace = self.node.get_name(), self.node.get_namespace()
        for topic in {part.name for part in self._parts if isinstance(part, _RosPublisher)}:
            for info in self.node.get_publishers_info_by_topic(topic):
                if (info.node_name, info.node_namespace) == (name, namespace):
                    return bytes(info.endpoint_gid)[:_PREFIX_BYTES].hex()
        return ""

    @property
    def refused(self) -> dict[str, int]:
        return self._refusals.by_topic

    def publisher(self, topic: Topic[M]) -> Publisher[M]:
        self._check_open()
        publisher = _RosPublisher(self, topic)
        self._parts.add(publisher)
        return publisher

    def subscribe(
        self, topic: Topic[M], callback: Callable[[Sample[M]], None], *, own: bool = True
    ) -> Subscription:
        self._check_open()
        subscription = _RosSubscription(self, topic, callback, own)
        self._parts.add(subscription)
        return subscription

    def poll(
        self, topic: Topic[M], callback: Callable[[Sample[M]], None], *, depth: int
    ) -> PolledSubscription:
        del depth  # every sample wakes rclpy's thread, so it may as well be delivered
        self._check_open()
        subscription = _RosSubscription(self, topic, callback, True)
        self._parts.add(subscription)
        return subscription

    def serve(
        self, service: Service[Req, Res], handler: Callable[[Req], Awaitable[Res | None]]
    ) -> Subscription:
        self._check_open()
        server = RosServiceServer(self, service, handler)
        self._parts.add(server)
        return server

    async def call(self, service: Service[Req, Res], request: Req, timeout_s: float) -> Res:
        self._check_open()
        response: Res = await self._clients.of(service).call(request, timeout_s)
        return response

    def graph(self) -> Graph:
        self._check_open()
        node = self.node
        nodes = tuple(NodeView(space, name) for name, space in node.get_node_names_and_namespaces())
        topics = _own(node.get_topic_names_and_types())
        services = _own(node.get_service_names_and_types())
        return Graph(nodes, topics, services)

    def watch_graph(self, changed: Callable[[], None]) -> bool:
        return False  # rclpy does not report it to Python

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        for part in tuple(self._parts):
            part.close()
        self._executor.shutdown(timeout_sec=0)  # wakes the thread, which frees the rest
        async with asyncio.timeout(_CLOSE_S):
            await self._ended

    def profile(self, wanted: Qos) -> Any:
        """Convert a Qos to rclpy's profile."""
        qos = self._ros.qos
        reliability, durability = qos.ReliabilityPolicy, qos.DurabilityPolicy
        return qos.QoSProfile(
            history=qos.HistoryPolicy.KEEP_LAST,
            depth=wanted.depth,
            reliability=reliability.RELIABLE if wanted.reliable else reliability.BEST_EFFORT,
            durability=durability.TRANSIENT_LOCAL if wanted.latched else durability.VOLATILE,
        )

    def refuse(self, topic: str, reason: str) -> None:
        self._refusals.add(topic, reason)

    def forget(self, part: "_RosPublisher | _RosSubscription | RosServiceServer") -> None:
        self._parts.discard(part)

    def echoes(self, topic: str) -> list[Echoes]:
        """Return the echo filters of subscriptions to the topic that exclude our own samples."""
        return self._echoes.setdefault(topic, [])

    def hop(self, callback: Callable[..., None], *arguments: Any) -> None:
        """Call a function in the loop, from rclpy's thread."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(callback, *arguments)

    def _check_open(self) -> None:
        if self._is_closed:
            raise SaintError(Code.BUS_UNAVAILABLE, "the bus is closed")

    def _spin(self) -> None:
        """Run the thread. Malformed requests raise out of rclpy's `spin`."""
        while not self._is_closed:
            try:
                self._executor.spin()
            except self._ros.executors.ExternalShutdownException:
                break
            except RuntimeError as err:  # RCLError is one
                self.hop(self.refuse, "(rclpy)", str(err))
                time.sleep(_FAULT_PAUSE_S)  # a permanent fault must not use all of a processor
        self.node.destroy_node()
        self._context.try_shutdown()
        self.hop(self._end)

    def _end(self) -> None:
        if not self._ended.done():
            self._ended.set_result(None)


class _RosPublisher:
    def __init__(self, bus: RosBus, topic: Topic[Any]) -> None:
        self._bus = bus
        message: type[Message] = topic.type
        self._encode = cdr.encoder(message)
        self._echoes = bus.echoes(topic.name)
        self._publisher = bus.node.create_publisher(
            ros_class(topic.type.TYPE), names.full(topic.name), bus.profile(topic.qos)
        )
        self._is_open = True
        self.name = names.full(topic.name)

    def publish(self, message: Any) -> None:
        self.send(self._encode(message))

    def send(self, data: bytes) -> None:
        if not self._is_open:
            return
        for echoes in self._echoes:
            echoes.sent(data, time.monotonic())
        self._publisher.publish(data)  # bytes are not encoded again

    @property
    def has_readers(self) -> bool:
        return self._is_open and bool(self._publisher.get_subscription_count())

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._bus.node.destroy_publisher(self._publisher)
            self._bus.forget(self)


class _RosSubscription:
    def __init__(
        self,
        bus: RosBus,
        topic: Topic[Any],
        callback: Callable[[Sample[Any]], None],
        own: bool,
    ) -> None:
        self._bus = bus
        self._name = topic.name
        message: type[Message] = topic.type
        self._decode = cdr.decoder(message)
        self._callback = callback
        self._echoes = None if own else Echoes()
        if self._echoes:
            bus.echoes(topic.name).append(self._echoes)
        self._is_open = True
        # As many as the reader's depth; the newest win.
        self._inbox = Inbox(bus.hop, max(1, topic.qos.depth), self._deliver)
        self._subscription = bus.node.create_subscription(
            ros_class(topic.type.TYPE),
            names.full(topic.name),
            self._take,
            bus.profile(topic.qos),
            raw=True,
        )

    def read(self) -> None:
        """Samples do not wait on this bus."""

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            if self._echoes:
                self._bus.echoes(self._name).remove(self._echoes)
            self._bus.node.destroy_subscription(self._subscription)
            self._bus.forget(self)

    def _take(self, data: bytes, info: Any) -> None:
        """Receive a sample, on rclpy's thread."""
        self._inbox.put(data, info, time.monotonic())

    def _deliver(self, data: bytes, info: Any, received_s: float) -> None:
        if not self._is_open or (self._echoes and self._echoes.is_own(data, received_s)):
            return
        try:
            message = self._decode(data)
        except cdr.CdrError as err:
            self._bus.refuse(self._name, err.message)
            return
        age_s = (time.time_ns() - info["source_timestamp"]) * 1e-9
        self._callback(Sample(message, received_s, age_s, _origin(info)))


def _reports_writers(ros: Any) -> bool:
    kind = getattr(getattr(ros.rclpy, "subscription", None), "MessageInfo", None)
    return "publisher_gid" in getattr(kind, "__annotations__", {})


def _origin(info: Any) -> str:
    """Return the writer's participant if rclpy reports it."""
    gid = info.get("publisher_gid") if hasattr(info, "get") else None
    data = gid.get("data") if isinstance(gid, dict) else gid
    return bytes(data)[:_PREFIX_BYTES].hex() if data else ""
