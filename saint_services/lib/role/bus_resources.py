"""What a role has open for its assignment: subscriptions, publishers and timers, released together.
Not here: which of them a role needs (session.py).
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, Generic, Protocol

from ..bus import Bus, M, PolledSubscription, Publisher, Sample, Topic
from ..errors import SaintError
from .timers import Clock, Ticker


class Closable(Protocol):
    """What is released at the end of an assignment."""

    def close(self) -> None: ...


class RolePublisher(Generic[M]):
    """Publishes on a topic of a role. What cannot be sent is counted: it must not stop a role."""

    def __init__(self, publisher: Publisher[M], counters: Counter[str]) -> None:
        self._publisher = publisher
        self._counters = counters

    def __call__(self, message: M) -> None:
        try:
            self._publisher.publish(message)
        except SaintError:
            self._counters["publish_failed"] += 1

    @property
    def has_readers(self) -> bool:
        """False while building a message would be for nobody."""
        return self._publisher.has_readers


class BusResources:
    """Opens subscriptions, publishers and timers of one assignment, and closes them."""

    def __init__(self, clock: Clock, counters: Counter[str]) -> None:
        self.clock = clock
        self.counters = counters
        self._bus: Bus | None = None
        self._resources: list[Closable] = []
        self._tickers: dict[float, Ticker] = {}

    def keep(self, resource: Closable) -> None:
        """Close this with the others."""
        self._resources.append(resource)

    def subscribe(self, topic: Topic[M], callback: Callable[[Sample[M]], None]) -> None:
        """Subscribe to a topic that does not command."""
        assert self._bus
        self.keep(self._bus.subscribe(topic, callback))

    def poll(
        self, topic: Topic[M], callback: Callable[[Sample[M]], None], depth: int
    ) -> PolledSubscription:
        """Subscribe to a topic that wakes nothing: samples wait for `read`."""
        assert self._bus
        polled = self._bus.poll(topic, callback, depth=depth)
        self.keep(polled)
        return polled

    def publisher(self, topic: Topic[M]) -> RolePublisher[M]:
        """Return what publishes on a topic when it is called."""
        assert self._bus
        publisher: Publisher[Any] = self._bus.publisher(topic)
        self.keep(publisher)
        return RolePublisher(publisher, self.counters)

    def every(self, period_s: float, callback: Callable[[], None]) -> None:
        """Call back regularly. Callbacks of one period share a timer, so the process wakes once."""
        if ticker := self._tickers.get(period_s):
            ticker.add(callback)
            return
        self._tickers[period_s] = ticker = Ticker(self.clock, period_s, callback)
        self.keep(ticker)

    def coincide(self, period_s: float) -> None:
        """Have the timer of this period, if there is one, fire together with what happens now."""
        if ticker := self._tickers.get(period_s):
            ticker.coincide()

    def close_resources(self) -> None:
        """Release everything."""
        for resource in self._resources:
            resource.close()
        self._resources.clear()
