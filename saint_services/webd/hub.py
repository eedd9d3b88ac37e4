"""The topics that clients may subscribe: who wants them, and their newest state as one ready frame
that all subscribers share. Not here: how a frame gets to a client (adapters/outbox.py).
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

from ..lib.clock import wall_s
from .frames import text_frame

Snapshot = Callable[[], dict[str, Any] | None]


class Subscriber(Protocol):
    """A client that wants to know when a topic changed."""

    def changed(self, topic: str) -> None: ...


def encoded(message: dict[str, Any]) -> bytes:
    """A message as a frame."""
    return text_frame(orjson.dumps(message))  # not a number becomes null


@dataclass(slots=True)
class _Topic:
    snapshot: Snapshot
    frame: bytes | None = None
    is_encoded: bool = False
    subscribers: dict[Subscriber, None] = field(default_factory=dict)


class Hub:
    """State goes in by changed(); every subscriber is told at once and takes it when it may."""

    def __init__(self, topics: dict[str, Snapshot], counters: Counter[str]) -> None:
        self._topics = {name: _Topic(snapshot) for name, snapshot in topics.items()}
        self._counters = counters
        self._on_wanted: dict[str, Callable[[bool], None]] = {}

    def when_wanted(self, topic: str, tell: Callable[[bool], None]) -> None:
        """Call `tell(True)` at the topic's first subscriber, `tell(False)` after the last."""
        self._on_wanted[topic] = tell

    @property
    def names(self) -> tuple[str, ...]:
        """All topics."""
        return tuple(self._topics)

    def is_wanted(self, topic: str) -> bool:
        """Somebody subscribed it."""
        return bool(self._topics[topic].subscribers)

    def subscribe(self, topic: str, subscriber: Subscriber) -> None:
        """It is told of the state there is, too."""
        if not self.is_wanted(topic):
            self._on_wanted.get(topic, bool)(True)
        self._topics[topic].subscribers[subscriber] = None
        self._topics[topic].is_encoded = False  # ages in it have grown
        subscriber.changed(topic)

    def unsubscribe(self, topic: str, subscriber: Subscriber) -> None:
        """Harmless when it was not subscribed."""
        was_wanted = self.is_wanted(topic)
        self._topics[topic].subscribers.pop(subscriber, None)
        if was_wanted and not self.is_wanted(topic):
            self._on_wanted.get(topic, bool)(False)

    def changed(self, topic: str) -> None:
        """There is something newer; nothing is encoded before somebody takes it."""
        entry = self._topics[topic]
        entry.is_encoded = False
        for subscriber in tuple(entry.subscribers):
            subscriber.changed(topic)

    def frame(self, topic: str) -> bytes | None:
        """The newest state; None while there is none."""
        entry = self._topics[topic]
        if not entry.is_encoded:
            data = entry.snapshot()
            entry.frame = None if data is None else self._encode(topic, data)
            entry.is_encoded = True
        return entry.frame

    def _encode(self, topic: str, data: dict[str, Any]) -> bytes:
        self._counters["states_encoded"] += 1
        stamp = round(wall_s(), 3)
        return encoded({"type": "state", "node": topic, "timestamp": stamp, "data": data})
