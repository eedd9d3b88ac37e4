"""Follows the router's e-stop latch for participants that no command moves: by the e-stop topic and
the router's credential instead of by its heartbeat, whose 20 samples a second would wake an idle
process. Not here: what a report of the latch means (gate.py).
"""

from collections import OrderedDict
from collections.abc import Callable
from math import inf

from ..bus import Bus, Sample
from ..bus.open import is_unproven_bus_accepted
from ..generated.saint_msgs import EStop, RouterCredential, RouterHeartbeat
from ..generated.topics import ESTOP, ROUTER_CREDENTIAL, ROUTER_HEARTBEAT
from .gate import CommandGate
from .proof import Proofs

# The router repeats its credential every 2 s (routerd/proof.py); after this it counts as gone.
SILENT_MS = 5_000
_MOST_WRITERS = 16


class LatchFollower:
    """Feeds `gate` until closed. `on_sample` is called after each sample, with the latch as it was
    before.

    The e-stop topic has the same latch and generation as the heartbeat, is reliable, and is
    delivered to late readers. A sample that came before its router was proven is used once it is.
    """

    def __init__(
        self, bus: Bus, server_key: str, gate: CommandGate, on_sample: Callable[[bool], None]
    ) -> None:
        self.unproven_s = -inf  # the newest credential of a router that is not proven
        self._gate = gate
        self._on_sample = on_sample
        self._sequence = 0
        self._latches: OrderedDict[str, tuple[bool, int]] = OrderedDict()  # newest, by writer
        self._proofs = Proofs(server_key, gate.prove)
        self._subscriptions = [
            bus.subscribe(ROUTER_CREDENTIAL, self._on_credential),
            bus.subscribe(ESTOP, self._on_estop),
        ]
        if is_unproven_bus_accepted(bus.origin):  # routers publish no credential there
            gate.prove("", 0)
            self._subscriptions.append(bus.subscribe(ROUTER_HEARTBEAT, self._on_heartbeat))

    def close(self) -> None:
        """Stop following; the gate keeps its latch."""
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()

    def _on_credential(self, sample: Sample[RouterCredential]) -> None:
        was_latched = self._gate.latched
        self._proofs.receive(sample)
        if not self._gate.is_proven(sample.origin):
            self.unproven_s = sample.received_s
        self._follow(sample.origin, sample.received_s)
        self._on_sample(was_latched)

    def _on_estop(self, sample: Sample[EStop]) -> None:
        was_latched = self._gate.latched
        report = sample.message.active, sample.message.generation
        self._store(sample.origin, report)
        self._gate.estop(*report, sample.origin)
        self._follow(sample.origin, sample.received_s)
        self._on_sample(was_latched)

    def _on_heartbeat(self, sample: Sample[RouterHeartbeat]) -> None:
        was_latched = self._gate.latched
        self._store(sample.origin, (sample.message.estop, sample.message.estop_generation))
        self._follow(sample.origin, sample.received_s)
        self._on_sample(was_latched)

    def _store(self, origin: str, report: tuple[bool, int]) -> None:
        self._latches[origin] = report
        self._latches.move_to_end(origin)
        if len(self._latches) > _MOST_WRITERS:
            unproven = (each for each in self._latches if not self._gate.is_proven(each))
            del self._latches[next(unproven, next(iter(self._latches)))]

    def _follow(self, origin: str, now_s: float) -> None:
        """Give a proven router's newest report to the gate as its heartbeat. The first may only
        supersede the controller before; then the second makes this router the controller."""
        report = self._latches.get(origin)
        if report is None or not self._gate.is_proven(origin):
            return
        for _ in range(2):
            self._sequence += 1
            self._gate.heartbeat(origin, self._sequence, *report, now_s)
            if self._gate.controller == origin:
                return
