"""Collects what the roles report of a stop, publishes it, and lets replies wait for it. The stop
itself waits for nothing here. Not here: what counts as confirmed (outcomes.py).
"""

import asyncio
from collections.abc import Callable, Mapping
from math import nan

from ...lib.api.adoption import WATCH_NODES, NodeInfo, RobotNodes
from ...lib.api.endpoint import WatchRequest
from ...lib.api.routing import StopOutcomeInfo
from ...lib.bus import Bus, Sample
from ...lib.clock import stamp
from ...lib.errors import SaintError
from ...lib.generated import saint_msgs as msgs
from ...lib.generated import topics
from ...lib.ipc import Client, Watch
from .latch import Latch
from .outcomes import LONGEST_DETAIL, LONGEST_NODE_ID, ReceivedReport, StopState, TargetOutcomes
from .proven_roles import ProvenRoles

ANSWER_S = 0.3  # the reply to a press waits for the confirmations for at most this long
HOLD_S = 5.0  # adoptiond reports at least so often which node holds which role
KNOWN_S = 10.0  # after so long without its report the holders are unknown
_REPORTED = {StopState.STOPPED, StopState.STOPPING, StopState.GUARD}


class Confirmations:
    """Confirmations of the newest press. `on_unseen` is called with the report of a role that has
    stopped while the latch is not active: people must see that stop, and be able to clear it.
    """

    def __init__(
        self,
        bus: Bus,
        targets: tuple[str, ...],
        proven: ProvenRoles,
        adoptiond: Client,
        on_unseen: Callable[[ReceivedReport], None],
    ) -> None:
        self.outcomes = TargetOutcomes(targets)
        self.nodes: list[NodeInfo] = []  # of adoptiond's newest report
        self._proven = proven
        self.on_robot: Callable[[str], None] = lambda _: None  # gets the mark of the robot in force
        self._adoptiond = Watch(adoptiond, WATCH_NODES, self._receive_nodes, self._lost)
        self._on_unseen = on_unseen
        self._forgetting: asyncio.TimerHandle | None = None
        self._changed = asyncio.Event()
        self._watchers: list[Callable[[], None]] = []
        self._publisher = bus.publisher(topics.ESTOP_OUTCOME)
        bus.subscribe(topics.ESTOP_REPORTS, self._receive)

    def watch(self, on_change: Callable[[], None]) -> None:
        """Call this soon after each press, clear and report that changed an outcome."""
        self._watchers.append(on_change)

    def latched(self, latch: Latch, now_s: float) -> None:
        """Start over after a press or a clear."""
        self._set(self.outcomes.latched(latch.generation, now_s, is_active=latch.active))

    def listed(self) -> list[StopOutcomeInfo]:
        """Return the outcomes as they stand in replies."""
        return [
            StopOutcomeInfo(
                target=each.target,
                node_id=each.node_id,
                state=each.state.value,
                after_ms=each.after_ms,
                detail=each.detail,
            )
            for each in self.outcomes.listed()
        ]

    async def settled(self) -> None:
        """Wait until every expected role has confirmed the newest press, at most ANSWER_S."""
        try:
            async with asyncio.timeout(ANSWER_S):
                while self.outcomes.is_active and not self.outcomes.is_confirmed:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return

    async def work(self) -> None:
        """Watch the nodes and their roles until stopped."""
        self._adoptiond.begin(WatchRequest(hold_s=HOLD_S))
        await self._adoptiond.run()

    def _receive_nodes(self, found: RobotNodes) -> None:
        """Update which node holds which role; unknown KNOWN_S after the last report."""
        if self._forgetting:
            self._forgetting.cancel()
        self._forgetting = asyncio.get_running_loop().call_later(KNOWN_S, self._forget)
        self.nodes = found.nodes
        self.on_robot(found.robot_mark)
        self._set(self.outcomes.held_by(holders(found.nodes)))

    def _lost(self, _: SaintError) -> None:
        """Keep what is known until it is too old: adoptiond may be starting again."""

    def _forget(self) -> None:
        self._set(self.outcomes.held_by(None))

    def _receive(self, sample: Sample[msgs.StopReport]) -> None:
        message, now_s = sample.message, sample.received_s
        is_state = message.outcome in _REPORTED
        report = ReceivedReport(
            target=message.target,
            node_id=message.node_id[:LONGEST_NODE_ID],
            generation=message.generation,
            state=StopState(message.outcome) if is_state else StopState.SILENT,
            detail=message.detail[:LONGEST_DETAIL],
            is_proven=self._proven.is_reporter(sample.origin, message, now_s),
        )
        if not self.outcomes.is_active:
            self._check_unseen(report, is_known=message.is_known)
        if is_state:
            self._set(self.outcomes.after(report, now_s))

    def _check_unseen(self, report: ReceivedReport, *, is_known: bool) -> None:
        """Raise the latch for a role of this robot that has stopped by itself, even if its report
        does not count as a confirmation. Roles of another robot are ignored.
        """
        is_ours = report.is_proven or self.outcomes.is_holder(report)
        is_late = is_known and report.generation < self.outcomes.generation
        if is_ours and not is_late and report.target in self.outcomes.targets:
            self._on_unseen(report)

    def _set(self, outcomes: TargetOutcomes) -> None:
        before, self.outcomes = self.outcomes, outcomes
        if outcomes.generation != before.generation or outcomes.listed() != before.listed():
            self._changed.set()
            self._publisher.publish(self._message())
            for watcher in self._watchers:  # in a later turn: a fault in one must not end the stop
                asyncio.get_running_loop().call_soon(watcher)

    def _message(self) -> msgs.StopOutcomes:
        found = self.outcomes
        return msgs.StopOutcomes(
            stamp(),
            found.is_active,
            found.generation,
            found.is_confirmed,
            tuple(
                msgs.StopOutcome(
                    each.target,
                    each.node_id,
                    each.state.value,
                    nan if each.after_ms is None else each.after_ms,
                    each.detail,
                )
                for each in found.listed()
            ),
        )


def holders(nodes: list[NodeInfo]) -> Mapping[str, str]:
    """Map each target to the node of this robot that holds its role, offline nodes included."""
    return {
        f"{role.role}.{role.instance}" if role.instance else role.role: node.node_id
        for node in nodes
        if node.is_ours or not node.server
        for role in node.roles
    }
