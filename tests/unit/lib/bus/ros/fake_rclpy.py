"""A fake of the part of rclpy that lib/bus/ros uses: one process, one domain, a real spinning
thread. Written from rclpy's documentation and source (Jazzy); the real one is used in tests/ros.
"""

import queue
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any


class ExternalShutdownException(Exception):  # noqa: N818  # its name in rclpy
    """The context was shut down."""


class Domain:
    """The middleware: delivers between nodes."""

    def __init__(self) -> None:
        self.subscriptions: list[Subscription] = []
        self.services: list[Service] = []
        self.executors: list[Executor] = []


DOMAIN = Domain()


class Context:
    def try_shutdown(self) -> None: ...


class Executor:
    """Runs callbacks in the spinning thread."""

    def __init__(self, context: Context) -> None:
        self._work: queue.Queue[Callable[[], None] | None] = queue.Queue()
        DOMAIN.executors.append(self)

    def add_node(self, node: "Node") -> None:
        node.executor = self

    def do(self, work: Callable[[], None]) -> None:
        self._work.put(work)

    def spin(self) -> None:
        while work := self._work.get(timeout=10):
            work()

    def shutdown(self, timeout_sec: float) -> None:
        assert timeout_sec == 0
        self._work.put(None)


class Publisher:
    def __init__(self, topic: str) -> None:
        self.topic = topic

    def publish(self, data: bytes) -> None:
        assert type(data) is bytes
        info = {"source_timestamp": time.time_ns(), "received_timestamp": time.time_ns()}
        for subscription in DOMAIN.subscriptions:
            if subscription.topic == self.topic:
                subscription.receive(data, info)


class Subscription:
    def __init__(self, node: "Node", topic: str, callback: Callable[[Any, Any], None]) -> None:
        self.node, self.topic, self.callback = node, topic, callback

    def receive(self, data: bytes, info: Any) -> None:
        assert self.node.executor
        self.node.executor.do(lambda: self.callback(data, info))


class Future:
    def __init__(self) -> None:
        self._callbacks: list[Callable[[Future], None]] = []
        self._result: Any = None
        self._is_done = False

    def done(self) -> bool:
        return self._is_done

    def result(self) -> Any:
        return self._result

    def add_done_callback(self, callback: Callable[["Future"], None]) -> None:
        self._callbacks.append(callback)

    def set_result(self, result: Any) -> None:
        self._result, self._is_done = result, True
        for callback in self._callbacks:
            callback(self)


class Service:
    def __init__(self, node: "Node", kind: Any, name: str, callback: Any) -> None:
        self.node, self.kind, self.name, self.callback = node, kind, name, callback

    def send_response(self, response: Any, header: Future) -> None:
        assert isinstance(response, self.kind.Response)
        header.set_result(response)

    def receive(self, request: Any, header: Future) -> None:
        def run() -> None:
            self.send_response(self.callback(request, self.kind.Response()), header)

        assert self.node.executor
        self.node.executor.do(run)


class Client:
    def __init__(self, name: str) -> None:
        self.name = name
        self.removed: list[Future] = []

    def service_is_ready(self) -> bool:
        return any(service.name == self.name for service in DOMAIN.services)

    def call_async(self, request: Any) -> Future:
        future = Future()
        for service in DOMAIN.services:
            if service.name == self.name:
                service.receive(request, future)
        return future

    def remove_pending_request(self, future: Future) -> None:
        self.removed.append(future)


class Node:
    def __init__(self, name: str, namespace: str) -> None:
        self.name, self.namespace = name, namespace
        self.executor: Executor | None = None
        self.is_destroyed = False

    def create_publisher(self, kind: Any, topic: str, profile: Any) -> Publisher:
        assert profile.history == "KEEP_LAST"
        return Publisher(topic)

    def create_subscription(
        self, kind: Any, topic: str, callback: Any, profile: Any, *, raw: bool
    ) -> Subscription:
        assert raw
        subscription = Subscription(self, topic, callback)
        DOMAIN.subscriptions.append(subscription)
        return subscription

    def create_service(self, kind: Any, name: str, callback: Any) -> Service:
        service = Service(self, kind, name, callback)
        DOMAIN.services.append(service)
        return service

    def create_client(self, kind: Any, name: str) -> Client:
        return Client(name)

    def destroy_publisher(self, publisher: Publisher) -> None: ...

    def destroy_subscription(self, subscription: Subscription) -> None:
        DOMAIN.subscriptions.remove(subscription)

    def destroy_service(self, service: Service) -> None:
        DOMAIN.services.remove(service)

    def destroy_node(self) -> None:
        self.is_destroyed = True

    def get_node_names_and_namespaces(self) -> list[tuple[str, str]]:
        return [(self.name, self.namespace)]

    def get_topic_names_and_types(self) -> list[tuple[str, list[str]]]:
        return [("/chatter", ["std_msgs/msg/String"])]

    def get_service_names_and_types(self) -> list[tuple[str, list[str]]]:
        return []


def create_node(name: str, *, namespace: str, **options: Any) -> Node:
    assert options["enable_rosout"] is False
    assert options["start_parameter_services"] is False
    return Node(name, namespace)


def made() -> Any:
    """Return what ros._rclpy() returns."""
    names = ("KEEP_LAST", "RELIABLE", "BEST_EFFORT", "TRANSIENT_LOCAL", "VOLATILE")
    policy = SimpleNamespace(**{name: name for name in names})
    DOMAIN.__init__()  # type: ignore[misc]  # a fresh one for each test
    return SimpleNamespace(
        rclpy=SimpleNamespace(
            Context=Context, init=lambda **_options: None, create_node=create_node
        ),
        executors=SimpleNamespace(
            SingleThreadedExecutor=Executor, ExternalShutdownException=ExternalShutdownException
        ),
        qos=SimpleNamespace(
            QoSProfile=SimpleNamespace,
            HistoryPolicy=policy,
            ReliabilityPolicy=policy,
            DurabilityPolicy=policy,
        ),
        signals=SimpleNamespace(SignalHandlerOptions=SimpleNamespace(NO=0)),
    )
