"""This node's own view of the e-stop: relays the latch to the guard, and reports for roles whose
outputs the guard made safe, or whose process is away. Not here: the reports of a role that works
(lib/role/stop_reports.py), the guard (guardd).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from ..lib.bus import Bus, Sample, Subscription
from ..lib.bus.open import is_unproven_bus_accepted
from ..lib.generated.saint_msgs import EStop, RouterHeartbeat
from ..lib.generated.topics import ESTOP, ESTOP_REPORTS, ROUTER_CREDENTIAL, ROUTER_HEARTBEAT
from ..lib.role.gate import Gate
from ..lib.role.proof import Proofs
from ..lib.role.stop_reports import REPEAT_S, Outcome, StopPublisher
from .adapters.guard import CarriedOut
from .lifecycle.model import Life

_SILENCE_MS = 150  # of the router; after that another proven one may take its place
_UNKNOWN = "the node was stopped by a participant that the router may not know"


class StopReports:
    """Of one node. `relay` gets the latch, `read` returns the roles by slot, `make_safe` has the
    guard make a target's outputs safe and returns why that failed, `on_unanswered` gets the target
    of a role that does not answer a stop."""

    def __init__(
        self,
        bus: Bus,
        node_id: str,
        relay: Callable[[bool], None],
        read: Callable[[], Mapping[int, Life]],
        make_safe: Callable[[str], Awaitable[str]],
        on_unanswered: Callable[[str], None],
    ) -> None:
        self._bus = bus
        self._relay = relay
        self._read = read
        self._make_safe = make_safe
        self._on_unanswered = on_unanswered
        self._publisher = StopPublisher(bus.publisher(ESTOP_REPORTS).publish, node_id)
        self._by_guard: dict[str, CarriedOut] = {}  # the newest of a target, until its role works
        self._stopped: set[str] = set()  # targets whose role reported last that it is stopped
        self._unanswered: set[str] = set()  # targets whose role has not reported since the stop
        self._overdue: set[str] = set()  # those that had not at the last look
        self._gate = Gate(_SILENCE_MS)
        self._server_key: str | None = None
        self._credentials: Subscription | None = None
        self.serve("")
        bus.subscribe(ROUTER_HEARTBEAT, self._on_heartbeat)
        bus.subscribe(ESTOP, self._on_estop)

    def serve(self, server_key: str) -> None:
        """Believe the router of the server with this key: anyone stops, that router alone releases,
        as for the roles. A stop in force stays until it does."""
        if server_key == self._server_key:
            return
        was_latched, self._server_key = self._gate.latched, server_key
        self._gate = Gate(_SILENCE_MS)
        if was_latched:
            self._gate.trip()
        if is_unproven_bus_accepted(self._bus.origin):
            self._gate.prove("", 0)
        if self._credentials:
            self._credentials.close()
        proofs = Proofs(server_key, self._gate.prove)
        self._credentials = self._bus.subscribe(ROUTER_CREDENTIAL, proofs.receive)

    def carried_out(self, event: CarriedOut) -> None:
        """The guard has written a role's will, or could not."""
        self._by_guard[event.target] = event
        self.look()

    def works(self, target: str, *, is_stopped: bool) -> None:
        """A role reports that it works: what the guard did before says nothing of its outputs."""
        self._by_guard.pop(target, None)
        self._unanswered.discard(target)
        if is_stopped:
            self._stopped.add(target)
        else:
            self._stopped.discard(target)

    def look(self) -> None:
        """Publish what is new; nothing while the robot is not stopped."""
        if not self._gate.latched:
            self._publisher.forget()
            return
        for target in self._targets():
            if event := self._by_guard.get(target):
                outcome: Outcome = "stopping" if event.failed else "guard"
                detail = event.failed or event.why
                self._publisher.publish(self._gate, target, outcome, detail)

    async def repeat(self) -> None:
        """Publish again while the stop lasts, and make safe what no process answers for, until
        stopped."""
        while True:
            await asyncio.sleep(REPEAT_S)
            self._publisher.forget()
            self.look()
            if not self._gate.latched:
                continue
            if not self._gate.is_press_known:  # no stop may stay that people do not see
                for target in self._targets():
                    self._publisher.repeat(self._gate, target, "unknown", _UNKNOWN)
            await self.rescue()
            self.look_for_answers()

    def look_for_answers(self) -> None:
        """Name the roles that have not reported for two looks since the stop began. A role that
        works reports a stop at once; one that is frozen at rest would be waited for much longer,
        and nothing would say of its outputs that they are safe.
        """
        awaited = self._unanswered & {*self._targets(is_alive=True)}
        for target in sorted(self._overdue & awaited):
            self._unanswered.discard(target)
            self._on_unanswered(target)
        self._overdue = awaited & self._unanswered

    async def rescue(self) -> None:
        """Have the guard make safe the outputs of roles whose process is away."""
        for target in self._away():
            failed = await self._make_safe(target)
            if target in self._away():  # else its role came back: the guard speaks for it no more
                self.carried_out(CarriedOut(target, "its process is away", failed))

    def _away(self) -> list[str]:
        """The targets of roles whose process is away, as far as the guard has not acted."""
        targets = self._targets(is_alive=False)
        return [target for target in targets if target not in self._by_guard]

    def _targets(self, *, is_alive: bool | None = None) -> list[str]:
        lives = self._read().values()
        chosen = [life for life in lives if is_alive in (None, life.role_alive)]
        return [life.config_in_use.target for life in chosen if life.config_in_use]

    def _on_heartbeat(self, sample: Sample[RouterHeartbeat]) -> None:
        beat, was = sample.message, self._gate.latched
        self._gate.heartbeat(
            sample.origin, beat.sequence, beat.estop, beat.estop_generation, sample.received_s
        )
        self._changed(was)

    def _on_estop(self, sample: Sample[EStop]) -> None:
        was = self._gate.latched
        self._gate.estop(sample.message.active, sample.message.generation, sample.origin)
        self._changed(was)

    def _changed(self, was: bool) -> None:
        if self._gate.latched != was:
            self._relay(self._gate.latched)
            self._unanswered = {*self._targets()} - self._stopped if not was else set()
            self._overdue.clear()
        self.look()
