"""The topics that clients may subscribe: who wants them, and their newest state as one ready frame
that all subscribers share. Not here: how a frame gets to a client (adapters/outbox.py).
"""

import asyncio
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

from ...lib.clock import wall_s
from ..websocket.frames import text_frame

Snapshot = Callable[[], dict[str, Any] | None]


class Subscriber(Protocol):
    """A client that wants to know when a topic changed."""

    def offer(self, topic: str) -> None: ...


def encoded(message: dict[str, Any]) -> bytes:
    """A message as a frame."""
    return text_frame(orjson.dumps(message))  # not a number becomes null


@dataclass(slots=True)
class _Group:
    """Subscribers of one topic at one rate: they become due together and share one frame."""

    period_s: float
    members: dict[Subscriber, None] = field(default_factory=dict)
    due_s: float = 0.0
    timer: asyncio.TimerHandle | None = None


def _next(now_s: float, period_s: float) -> float:
    """The next point of the grid that all topics and clients of a rate share."""
    return (math.floor(now_s / period_s + 1e-3) + 1) * period_s


@dataclass(slots=True)
class _Topic:
    snapshot: Snapshot
    frame: bytes | None = None
    is_encoded: bool = False
    groups: dict[float, _Group] = field(default_factory=dict)  # by period


class Hub:
    """State goes in by changed(); subscribers are told when they may have it and take it then."""

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
        return bool(self._topics[topic].groups)

    def subscribe(self, topic: str, subscriber: Subscriber, period_s: float) -> None:
        """At most one state in so many seconds; 0: every one. It is told of what there is, too."""
        entry = self._topics[topic]
        if not entry.groups:
            self._on_wanted.get(topic, bool)(True)
        group = entry.groups.setdefault(period_s, _Group(period_s))
        group.members[subscriber] = None
        entry.is_encoded = False  # ages in it have grown
        subscriber.offer(topic)

    def unsubscribe(self, topic: str, subscriber: Subscriber) -> None:
        """Harmless when it was not subscribed."""
        groups = self._topics[topic].groups
        group = next((each for each in groups.values() if subscriber in each.members), None)
        if group is None:
            return
        del group.members[subscriber]
        if group.members:
            return
        del groups[group.period_s]
        if group.timer:
            group.timer.cancel()
        if not groups:
            self._on_wanted.get(topic, bool)(False)

    def changed(self, topic: str) -> None:
        """There is something newer; nothing is encoded before somebody takes it."""
        entry = self._topics[topic]
        entry.is_encoded = False
        for group in tuple(entry.groups.values()):
            if group.timer is None:
                self._plan(topic, group)

    def _plan(self, topic: str, group: _Group) -> None:
        """Now, or when the group may have the next one."""
        if group.period_s:
            loop = asyncio.get_running_loop()
            now_s = loop.time()
            if now_s < group.due_s:
                group.timer = loop.call_at(group.due_s, self._due, topic, group)
                return
            group.due_s = _next(now_s, group.period_s)
        self._offer(topic, group)

    def _due(self, topic: str, group: _Group) -> None:
        group.timer = None
        now_s = asyncio.get_running_loop().time()  # timers may be a little early
        group.due_s = _next(max(now_s, group.due_s), group.period_s)
        self._offer(topic, group)

    def _offer(self, topic: str, group: _Group) -> None:
        for subscriber in tuple(group.members):
            subscriber.offer(topic)

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
