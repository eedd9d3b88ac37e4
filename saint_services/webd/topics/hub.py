"""The topics that clients subscribe: their subscribers, and their newest state as one encoded frame
that all subscribers share. A state that says the same as the last one is sent only as a sign of
life: its producer still reports. Not here: sending a frame (websocket/outbox.py).
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

# Between two states that say the same: a page shows data of 380 ms as stale (web/lib/store.js).
LIFE_S = 0.1
AGE_STEP_MS = 50  # an age is another one in such steps, so a reader notices a limit so much later


class Subscriber(Protocol):
    """A client that is notified when a topic has changed."""

    def offer(self, topic: str) -> None: ...


def encoded(message: dict[str, Any]) -> bytes:
    """Encode a message as a frame."""
    return text_frame(orjson.dumps(message))  # not a number becomes null


def says_the_same(before: Any, after: Any, name: str = "") -> bool:
    """Return whether two states show the same, of the field `name`."""
    if before == after:
        return True
    if type(before) is not type(after):
        return False
    if isinstance(after, dict):
        return before.keys() == after.keys() and all(
            says_the_same(before[key], value, key) for key, value in after.items()
        )
    if isinstance(after, list):
        return len(before) == len(after) and all(map(says_the_same, before, after))
    if isinstance(after, int) and name.endswith("age_ms"):
        return bool(before // AGE_STEP_MS == after // AGE_STEP_MS)
    return False


@dataclass(slots=True)
class _Group:
    """Subscribers of one topic at one rate: they are due together and share one frame."""

    period_s: float
    members: dict[Subscriber, None] = field(default_factory=dict)
    due_s: float = 0.0
    offered: int = -1  # version of the state that was offered last
    life_s: float = -math.inf  # a state of that version is offered again from then on
    timer: asyncio.TimerHandle | None = None


def _next(now_s: float, period_s: float) -> float:
    """Return the next point of the grid that all topics and clients of a rate share."""
    return (math.floor(now_s / period_s + 1e-3) + 1) * period_s


@dataclass(slots=True)
class _Topic:
    snapshot: Snapshot
    data: dict[str, Any] | None = None  # as read last
    is_read: bool = False
    version: int = 0  # of what the state says
    frame: bytes | None = None
    is_encoded: bool = False
    groups: dict[float, _Group] = field(default_factory=dict)  # by period


class Hub:
    """Notifies subscribers of changed states at their rates; they then fetch the frame."""

    def __init__(self, topics: dict[str, Snapshot], counters: Counter[str]) -> None:
        self._topics = {name: _Topic(snapshot) for name, snapshot in topics.items()}
        self._counters = counters
        self._on_subscribed: dict[str, Callable[[bool], None]] = {}

    def when_subscribed(self, topic: str, notify: Callable[[bool], None]) -> None:
        """Call `notify(True)` at the topic's first subscriber, `notify(False)` after the last."""
        self._on_subscribed[topic] = notify

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all topics."""
        return tuple(self._topics)

    def is_subscribed(self, topic: str) -> bool:
        return bool(self._topics[topic].groups)

    def subscribe(self, topic: str, subscriber: Subscriber, period_s: float) -> None:
        """Offer at most one state per period, 0: every one; the present state at once."""
        entry = self._topics[topic]
        if not entry.groups:
            self._on_subscribed.get(topic, bool)(True)
        group = entry.groups.setdefault(period_s, _Group(period_s))
        group.members[subscriber] = None
        entry.is_read = False  # the ages in it have grown
        subscriber.offer(topic)

    def unsubscribe(self, topic: str, subscriber: Subscriber) -> None:
        """End a subscription, if there is one."""
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
            self._on_subscribed.get(topic, bool)(False)

    def changed(self, topic: str) -> None:
        """Offer a state, unless the subscribers have one that says the same; it is encoded when the
        first subscriber fetches it.
        """
        entry = self._topics[topic]
        entry.is_read = False
        for group in tuple(entry.groups.values()):
            if group.timer is None:
                self._schedule(topic, group)

    def _schedule(self, topic: str, group: _Group) -> None:
        """Offer the state now, or when the group is due."""
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
        version, now_s = self._read(topic).version, asyncio.get_running_loop().time()
        if version == group.offered and now_s < group.life_s:
            self._counters["states_unchanged"] += 1
            return
        group.offered, group.life_s = version, now_s + LIFE_S
        for subscriber in tuple(group.members):
            subscriber.offer(topic)

    def frame(self, topic: str) -> bytes | None:
        """Return the newest state as a frame; None while there is none."""
        entry = self._read(topic)
        if not entry.is_encoded:
            entry.frame = None if entry.data is None else self._encode(topic, entry.data)
            entry.is_encoded = True
        return entry.frame

    def _read(self, topic: str) -> _Topic:
        """Take the newest state, if there is a newer one; another version when it says more."""
        entry = self._topics[topic]
        if not entry.is_read:
            before, entry.data = entry.data, entry.snapshot()
            entry.is_read, entry.is_encoded = True, False
            if not says_the_same(before, entry.data):
                entry.version += 1
        return entry

    def _encode(self, topic: str, data: dict[str, Any]) -> bytes:
        self._counters["states_encoded"] += 1
        stamp = round(wall_s(), 3)
        return encoded({"type": "state", "node": topic, "timestamp": stamp, "data": data})
