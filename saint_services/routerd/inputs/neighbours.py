"""Participants of other robots on the same bus: their routers, and the daemons that write inputs
for them. Nothing that they publish moves this robot, but their stops count. A false claim can only
keep a participant from driving. Not here: writers of inputs for this robot (writers.py).
"""

from collections import OrderedDict
from collections.abc import Collection

from ...lib.bus import Bus, Publisher, Sample
from ...lib.generated import topics
from ...lib.generated.saint_msgs import RouterCredential, RouterHeartbeat, RouterWriters

# A participant that sends commands counts as a program after this time: a router would have sent
# ten heartbeats by then.
GRACE_S = 0.5
_MOST = 256


class Neighbours:
    """Remembers the participants that belong to other robots."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._foreign: OrderedDict[str, None] = OrderedDict()
        self._first_s: OrderedDict[str, float] = OrderedDict()

    def add(self, origins: Collection[str]) -> None:
        """Record participants of another robot. Our own participant never is one."""
        for origin in origins:
            if origin and origin != self._origin and len(origin) <= len(self._origin):
                self._foreign[origin] = None
                self._foreign.move_to_end(origin)
                if len(self._foreign) > _MOST:
                    self._foreign.popitem(last=False)

    def __contains__(self, origin: str) -> bool:
        return origin in self._foreign

    def is_program(self, origin: str, now: float) -> bool:
        """Return whether a participant that sends commands is a program: it has done so for GRACE_S
        and belongs to no other robot.
        """
        first_s = self._first_s.setdefault(origin, now)
        if len(self._first_s) > _MOST:
            self._first_s.popitem(last=False)
        return now - first_s >= GRACE_S and origin not in self._foreign


class WriterAnnouncements:
    """Publishes the participants that write inputs for this robot, and receives those of others."""

    def __init__(self, bus: Bus, neighbours: Neighbours) -> None:
        self._neighbours = neighbours
        self._origins: set[str] = set()
        self._publisher: Publisher[RouterWriters] = bus.publisher(topics.ROUTER_WRITERS)
        bus.subscribe(topics.ROUTER_HEARTBEAT, self._on_heartbeat, own=False)
        bus.subscribe(topics.ROUTER_CREDENTIAL, self._on_credential, own=False)
        bus.subscribe(topics.ROUTER_WRITERS, self._on_writers, own=False)

    def changed(self, origin: str, is_there: bool) -> None:
        """Publish a new writer of this robot. One that left stays in the list."""
        if is_there and origin not in self._origins:
            self._origins.add(origin)
            self._publisher.publish(RouterWriters(tuple(sorted(self._origins))[-_MOST:]))

    def _on_heartbeat(self, sample: Sample[RouterHeartbeat]) -> None:
        if sample.origin not in self._neighbours:
            self._neighbours.add([sample.origin])

    def _on_credential(self, sample: Sample[RouterCredential]) -> None:
        self._neighbours.add([sample.origin])

    def _on_writers(self, sample: Sample[RouterWriters]) -> None:
        self._neighbours.add([sample.origin, *sample.message.origins[:_MOST]])
