"""One of our buses in a process of its own, over the backend that SAINT_BUS names.

Follows lines of JSON on stdin and reports what it sees on stdout; see peers.py.
"""

import asyncio
import json
import sys
from dataclasses import asdict
from typing import Any

from saint_services.lib.bus import Bus, Publisher, Qos, Sample, Service, Topic
from saint_services.lib.bus.cdr import Array, Sequence
from saint_services.lib.bus.open import open_bus
from saint_services.lib.errors import SaintError
from saint_services.lib.generated import topics


def say(**fields: Any) -> None:
    sys.stdout.write(json.dumps(fields, default=list) + "\n")
    sys.stdout.flush()


def filled(kind: Any, value: Any) -> Any:
    """A message of ours from plain values."""
    if isinstance(kind, Array | Sequence):
        return tuple(filled(kind.of, one) for one in value)
    if not isinstance(value, dict):
        return value
    fields = dict(kind.FIELDS)
    return kind(**{name: filled(fields[name], one) for name, one in value.items()})


def topic_of(name: str, type: str, qos: dict[str, Any] | None) -> Topic[Any]:
    return Topic(name, topics.BY_TYPE[type], Qos(**(qos or {})))


def service_of(name: str, type: str) -> Service[Any, Any]:
    found = (one for one in vars(topics).values() if isinstance(one, Service) and one.type == type)
    kind = next(found)
    return Service(name, type, kind.hash, kind.request, kind.response)


class OurBus:
    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._publishers: dict[str, Publisher[Any]] = {}

    async def publish(
        self, topic: str, type: str, value: Any, qos: Any = None, count: int = 1
    ) -> None:
        publisher = self._publisher(topic, type, qos)
        for _ in range(count):
            publisher.publish(filled(topics.BY_TYPE[type], value))

    async def burst(self, topic: str, type: str, count: int, qos: Any) -> None:
        """Numbered strings, as fast as they go."""
        publisher = self._publisher(topic, type, qos)
        for number in range(count):
            publisher.publish(topics.BY_TYPE[type](data=str(number)))

    async def subscribe(self, topic: str, type: str, qos: Any = None, own: bool = True) -> None:
        def report(sample: Sample[Any]) -> None:
            value = asdict(sample.message)
            say(topic=topic, value=value, age_s=sample.age_s, origin=sample.origin)

        self._bus.subscribe(topic_of(topic, type, qos), report, own=own)

    async def serve(self, name: str, type: str, value: Any) -> None:
        service = service_of(name, type)

        async def handle(request: Any) -> Any:
            say(topic=name, value=asdict(request))
            return filled(service.response, value)

        self._bus.serve(service, handle)

    async def call(self, name: str, type: str, value: Any, timeout_s: float) -> Any:
        service = service_of(name, type)
        try:
            return asdict(await self._bus.call(service, filled(service.request, value), timeout_s))
        except SaintError as err:
            return {"error": str(err.code)}

    async def graph(self) -> Any:
        graph = self._bus.graph()
        nodes = [[node.namespace, node.name] for node in graph.nodes]
        return {"nodes": nodes, "topics": graph.topics, "services": graph.services}

    async def about(self) -> Any:
        return {"origin": self._bus.origin, "refused": dict(self._bus.refused)}

    def _publisher(self, topic: str, type: str, qos: Any) -> Publisher[Any]:
        if topic not in self._publishers:
            self._publishers[topic] = self._bus.publisher(topic_of(topic, type, qos))
        return self._publishers[topic]


async def main() -> None:
    loop = asyncio.get_running_loop()
    commands = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    bus = await open_bus(sys.argv[1])
    ours = OurBus(bus)
    say(ready=True)
    while line := await commands.readline():
        order = json.loads(line)
        say(answer=await getattr(ours, order.pop("do"))(**order))
    await bus.close()


if __name__ == "__main__":
    asyncio.run(main())
