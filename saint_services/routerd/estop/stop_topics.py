"""Raises the e-stop for the topics on which stops and faults arrive. Not here: stops that routes
make of inputs (logic.py), requests (api.py).
"""

from collections.abc import Callable

from ...lib.bus import Bus, PolledSubscription, Sample
from ...lib.clock import monotonic_s
from ...lib.generated import topics
from ...lib.generated.saint_msgs import ArmState, EStop, RoleFault
from ...lib.generated.std_msgs import Bool
from ..inputs.neighbours import Neighbours
from ..logic import Router
from .latch import PressEdges
from .outcomes import LONGEST_NODE_ID, ReceivedReport, StopState

# States of an arm that wait for poll(). An arm publishes one every 50 ms; the rest is room, so that
# no fault between two calls is lost. A fault that stops the robot also has a topic that wakes.
ARM_STATES = 16
_LONGEST = 200  # characters of a text from the bus that a reason repeats
_UNSEEN = {
    StopState.STOPPED: "its role reports that it has stopped",
    StopState.GUARD: "its guard reports that it has made the outputs safe",
}
_DOUBTFUL = "its role reports a stop, and an output may still move"


class StopTopics:
    """Raises the latch. `settle` acts on what a stop changed in the router."""

    def __init__(
        self, bus: Bus, router: Router, neighbours: Neighbours, settle: Callable[[], None]
    ) -> None:
        self._router = router
        self._neighbours = neighbours
        self._settle = settle
        self._programs, self._routers = PressEdges(), PressEdges()
        self._polled: list[PolledSubscription] = []
        bus.subscribe(topics.ESTOP, self._on_foreign_estop, own=False)
        bus.subscribe(topics.TRACKS_ESTOP, self._on_tracks_estop)
        bus.subscribe(topics.ROLE_FAULTS, self._on_role_fault)
        for target in router.robot.fields:
            role, _, instance = target.partition(".")
            if role == "arms":
                state = topics.ARM_STATE.at(instance=instance)
                receive = self._arm_receiver(target)
                self._polled.append(bus.poll(state, receive, depth=ARM_STATES))

    def poll(self) -> None:
        """Read the arms' states, which wake nothing."""
        for polled in self._polled:
            polled.read()

    def on_unseen_stop(self, report: ReceivedReport) -> None:
        """Raise the latch for a role of this robot that has stopped by itself: people must see that
        and clear it.
        """
        reason = _UNSEEN.get(report.state, _DOUBTFUL)
        text = f"{reason}: {report.detail}" if report.detail else reason
        self._raise(report.target, text, monotonic_s(), is_repeat=True)

    def _on_foreign_estop(self, sample: Sample[EStop]) -> None:
        """Raise the latch for another participant's press: the roles obey it, so people must see it
        and clear it.
        """
        # Each message of a program is a press. Another robot's router answers our press with one of
        # its own, and that must not go on without end.
        is_edge = self._routers.is_edge(sample.origin, sample.message.active)
        is_press = is_edge or sample.origin not in self._neighbours or not self._router.latch.active
        if sample.message.active and is_press:
            source = f"participant {sample.origin or 'unnamed'}"
            reason = f"{topics.ESTOP.name}: {sample.message.reason[:_LONGEST]}"
            self._raise(source, reason, sample.received_s)

    def _on_tracks_estop(self, sample: Sample[Bool]) -> None:
        is_edge = self._programs.is_edge(sample.origin, sample.message.data)
        if sample.message.data:
            reason = f"{topics.TRACKS_ESTOP.name} is true"
            self._raise("ros", reason, sample.received_s, is_repeat=not is_edge)

    def _on_role_fault(self, sample: Sample[RoleFault]) -> None:
        """Raise the latch for a fault that stops the robot; the roles know which ones do."""
        fault = sample.message
        if fault.stops_robot:
            source = fault.target if fault.target in self._router.robot.fields else "a role"
            reason = f"{fault.text[:_LONGEST]} ({fault.node_id[:LONGEST_NODE_ID]})"
            self._raise(source, reason, sample.received_s, is_repeat=True)

    def _arm_receiver(self, target: str) -> Callable[[Sample[ArmState]], None]:
        """Raise the latch when an arm's fault begins; it can be cleared while the fault lasts."""
        was_faulty = False

        def receive(sample: Sample[ArmState]) -> None:
            nonlocal was_faulty
            is_faulty = sample.message.error_state
            if is_faulty and not was_faulty:
                reason = sample.message.error_message or "the role reports a fault"
                self._raise(target, reason, sample.received_s, is_repeat=True)
            was_faulty = is_faulty

        return receive

    def _raise(self, source: str, reason: str, now: float, *, is_repeat: bool = False) -> None:
        self._router.raise_estop(source, reason, now, is_repeat=is_repeat)
        self._settle()
