"""Follows the e-stop for this node: relays the latch to the guard, and publishes stop reports for
roles whose outputs the guard made safe, or whose process has ended. Not here: the reports of a role
that works (lib/role/stop_reports.py), the guard (guardd).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from ..lib.bus import Bus
from ..lib.generated.topics import ESTOP_REPORTS
from ..lib.role.gate import CommandGate
from ..lib.role.latch import SILENT_MS, LatchFollower
from ..lib.role.stop_reports import REPEAT_S, ReportedOutcome, StopPublisher
from .adapters.guard import CarriedOut
from .lifecycle.model import RoleLifecycle

_UNKNOWN = "the node was stopped by a participant that the router may not know"


class NodeStopReports:
    """The stop reports of one node. `relay` gets the latch, `read` returns the roles by slot,
    `make_safe` has the guard make a target's outputs safe and returns why that failed,
    `on_unanswered` gets the target of a role that does not answer a stop."""

    def __init__(
        self,
        bus: Bus,
        node_id: str,
        relay: Callable[[bool], None],
        read: Callable[[], Mapping[int, RoleLifecycle]],
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
        self._is_stopped = asyncio.Event()
        self._gate = CommandGate(SILENT_MS)
        self._server_key = ""
        self._follower = LatchFollower(bus, "", self._gate, self._latch_changed)

    def follow(self, server_key: str) -> None:
        """Follow the router of the server with this key: any participant stops, that router alone
        clears, as for the roles. A stop in force stays until that router clears it."""
        if server_key == self._server_key:
            return
        was_latched, self._server_key = self._gate.latched, server_key
        self._follower.close()
        self._gate = CommandGate(SILENT_MS)
        if was_latched:
            self._gate.trip()
        self._follower = LatchFollower(self._bus, server_key, self._gate, self._latch_changed)

    def carried_out(self, event: CarriedOut) -> None:
        """Record that the guard carried out a role's will, or could not."""
        self._by_guard[event.target] = event
        self.look()

    def works(self, target: str, *, is_stopped: bool) -> None:
        """Record that a role works: what the guard did before says nothing of its outputs."""
        self._by_guard.pop(target, None)
        self._unanswered.discard(target)
        if is_stopped:
            self._stopped.add(target)
        else:
            self._stopped.discard(target)

    def look(self) -> None:
        """Publish the outcomes that are new; nothing while the robot is not stopped."""
        if not self._gate.latched:
            self._publisher.forget()
            return
        for target in self._targets():
            if event := self._by_guard.get(target):
                outcome: ReportedOutcome = "stopping" if event.failed else "guard"
                detail = event.failed or event.why
                self._publisher.publish(self._gate, target, outcome, detail)

    async def repeat(self) -> None:
        """Publish again while a stop lasts, and make safe what no process answers for, until
        cancelled."""
        while True:
            await self._is_stopped.wait()
            await asyncio.sleep(REPEAT_S)
            self._publisher.forget()
            self.look()
            if not self._gate.latched:
                continue
            if not self._gate.is_press_known:  # people must see every stop
                for target in self._targets():
                    self._publisher.repeat(self._gate, target, "unknown", _UNKNOWN)
            await self.rescue()
            self.look_for_answers()

    def look_for_answers(self) -> None:
        """Name the roles that have not reported for two looks since the stop began. A role that
        works reports a stop at once; the time-out of a role that is frozen at rest is much longer,
        and until then nothing would confirm that its outputs are safe.
        """
        awaited = self._unanswered & {*self._targets(is_alive=True)}
        for target in sorted(self._overdue & awaited):
            self._unanswered.discard(target)
            self._on_unanswered(target)
        self._overdue = awaited & self._unanswered

    async def rescue(self) -> None:
        """Have the guard make safe the outputs of roles whose process has ended."""
        for target in self._away():
            failed = await self._make_safe(target)
            if target in self._away():  # else its role came back and reports for itself
                self.carried_out(CarriedOut(target, "its process has ended", failed))

    def _away(self) -> list[str]:
        """Return the targets of roles whose process has ended, unless the guard has acted."""
        targets = self._targets(is_alive=False)
        return [target for target in targets if target not in self._by_guard]

    def _targets(self, *, is_alive: bool | None = None) -> list[str]:
        lives = self._read().values()
        chosen = [life for life in lives if is_alive in (None, life.role_alive)]
        return [life.config_in_use.target for life in chosen if life.config_in_use]

    def _latch_changed(self, was_latched: bool) -> None:
        is_latched = self._gate.latched
        if is_latched != was_latched:
            self._relay(is_latched)
            self._unanswered = {*self._targets()} - self._stopped if is_latched else set()
            self._overdue.clear()
        if is_latched:
            self._is_stopped.set()
        else:
            self._is_stopped.clear()
        self.look()
