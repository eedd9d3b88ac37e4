"""A ROS 2 node as any site would write one: rclpy and message packages, none of our code.

Follows lines of JSON on stdin and reports what it sees on stdout; see peers.py.
"""

import importlib
import json
import queue
import sys
import threading
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

_lock = threading.Lock()


def say(**fields: Any) -> None:
    with _lock:
        sys.stdout.write(json.dumps(fields) + "\n")
        sys.stdout.flush()


def interface(name: str) -> Any:
    """ "std_msgs/msg/String" -> its class."""
    package, kind, base = name.split("/")
    return getattr(importlib.import_module(f"{package}.{kind}"), base)


def profile(reliable: bool = True, depth: int = 10, latched: bool = False) -> QoSProfile:
    return QoSProfile(
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def filled(message: Any, value: dict[str, Any]) -> Any:
    kinds = message.get_fields_and_field_types()
    for name, one in value.items():
        current = getattr(message, name)
        if isinstance(one, dict):
            filled(current, one)
        elif one and isinstance(one, list) and isinstance(one[0], dict):
            element = interface(
                kinds[name].removeprefix("sequence<").rstrip(">").replace("/", "/msg/")
            )
            setattr(message, name, [filled(element(), each) for each in one])
        else:
            setattr(message, name, one)
    return message


def plain(value: Any) -> Any:
    """A message as JSON can hold it."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, str | bool | int | float):
        return value
    return [plain(one) for one in value]


class StockNode:
    def __init__(self, name: str) -> None:
        self.node = rclpy.create_node(name)
        self.publishers: dict[str, Any] = {}
        self.clients: dict[str, Any] = {}
        self.timers: dict[str, Any] = {}

    def publish(self, topic: str, type: str, value: Any, qos: Any = None, count: int = 1) -> None:
        publisher = self.publisher(topic, type, qos or {})
        message = filled(interface(type)(), value)
        for _ in range(count):
            publisher.publish(message)

    def publisher(self, topic: str, type: str, qos: Any) -> Any:
        if topic not in self.publishers:
            made = self.node.create_publisher(interface(type), topic, profile(**qos))
            self.publishers[topic] = made
        return self.publishers[topic]

    def burst(self, topic: str, type: str, count: int, qos: Any) -> None:
        """Numbered strings, as fast as they go."""
        publisher = self.publisher(topic, type, qos)
        for number in range(count):
            publisher.publish(interface(type)(data=str(number)))

    def garbage(self, topic: str, type: str, qos: Any, data: str) -> None:
        """Bytes that are no message of the type, in hexadecimal."""
        self.publisher(topic, type, qos).publish(bytes.fromhex(data))

    def repeat(self, topic: str, type: str, value: Any, qos: Any, hz: float) -> None:
        """As `ros2 topic pub --rate` does, until stopped."""
        publisher = self.publisher(topic, type, qos)
        message = filled(interface(type)(), value)

        def tick() -> None:
            if hasattr(message, "sequence"):
                message.sequence += 1
            publisher.publish(message)

        self.timers[topic] = self.node.create_timer(1.0 / hz, tick)

    def stop(self, topic: str) -> None:
        self.node.destroy_timer(self.timers.pop(topic))

    def subscribe(self, topic: str, type: str, qos: Any = None) -> None:
        def report(message: Any) -> None:
            say(topic=topic, value=plain(message))

        self.node.create_subscription(interface(type), topic, report, profile(**(qos or {})))

    def serve(self, name: str, type: str, value: Any) -> None:
        def handle(request: Any, response: Any) -> Any:
            say(topic=name, value=plain(request))
            return filled(response, value)

        self.node.create_service(interface(type), name, handle)

    def call(self, name: str, type: str, value: Any, timeout_s: float) -> Any:
        kind = interface(type)
        client = self.clients.setdefault(name, self.node.create_client(kind, name))
        if not client.wait_for_service(timeout_s):
            return {"error": "no server"}
        future = client.call_async(filled(kind.Request(), value))
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=timeout_s)
        return plain(future.result()) if future.done() else {"error": "no answer"}

    def graph(self) -> Any:
        nodes = [[namespace, name] for name, namespace in self.node.get_node_names_and_namespaces()]
        return {
            "nodes": nodes,
            "topics": dict(self.node.get_topic_names_and_types()),
            "services": dict(self.node.get_service_names_and_types()),
        }

    def endpoints(self, topic: str) -> Any:
        """As `ros2 topic info -v` shows them."""
        found = self.node.get_publishers_info_by_topic(topic)
        found += self.node.get_subscriptions_info_by_topic(topic)
        return [
            {"node": one.node_name, "type": one.topic_type, "hash": str(one.topic_type_hash)}
            for one in found
        ]


def read_commands(commands: "queue.Queue[str | None]") -> None:
    for line in sys.stdin:
        commands.put(line)
    commands.put(None)


def main() -> None:
    rclpy.init()
    stock = StockNode(sys.argv[1])
    executor = SingleThreadedExecutor()
    commands: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=read_commands, args=(commands,), daemon=True).start()
    say(ready=True)
    while True:
        rclpy.spin_once(stock.node, executor=executor, timeout_sec=0.02)
        while not commands.empty():
            line = commands.get()
            if line is None:
                stock.node.destroy_node()
                rclpy.shutdown()
                return
            order = json.loads(line)
            say(answer=getattr(stock, order.pop("do"))(**order))


if __name__ == "__main__":
    main()
