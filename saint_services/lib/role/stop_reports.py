"""Publishes what a stop did to a role's outputs: when it begins, when a newer press arrives, when
the outputs come to rest, and regularly while it lasts. Not here: the stop itself (session.py), what
a node reports for a role that cannot (noded/stop_reports.py).
"""

from collections.abc import Callable
from typing import Literal

from ..clock import stamp
from ..generated.saint_msgs import StopReport
from .gate import CommandGate
from .timers import Clock, Handle

ReportedOutcome = Literal["stopped", "stopping", "guard", "unknown"]
LOOK_S = 0.01  # while an output still moves
REPEAT_S = 0.5  # a router that starts, or a proof that comes late, finds the report again
_LONGEST_DETAIL = 200


class StopPublisher:
    """Publishes the reports of one node, or of one of its roles."""

    def __init__(self, send: Callable[[StopReport], None], node_id: str) -> None:
        self._send = send
        self._node_id = node_id
        self._published: dict[str, object] = {}  # by target

    def forget(self) -> None:
        """Publish the next report of every target, new or not."""
        self._published.clear()

    def publish(
        self, gate: CommandGate, target: str, outcome: ReportedOutcome, detail: str
    ) -> None:
        """Publish the outcome of the stop in `gate` for a target when it is new: another outcome, a
        newer press, another router."""
        report = gate.controller, gate.generation, gate.is_press_known, outcome, detail
        if report != self._published.get(target):
            self._published[target] = report
            self.repeat(gate, target, outcome, detail)

    def repeat(self, gate: CommandGate, target: str, outcome: ReportedOutcome, detail: str) -> None:
        """Publish the outcome, new or not."""
        report = StopReport(
            stamp(), self._node_id, target, gate.generation, gate.is_press_known, outcome,
            detail[:_LONGEST_DETAIL],
        )  # fmt: skip
        self._send(report)


class RoleStopReports:
    """The reports of one role. `moving` returns why its outputs are not at rest; empty when they
    are."""

    def __init__(
        self,
        gate: CommandGate,
        clock: Clock,
        moving: Callable[[], str],
        publish: Callable[[StopReport], None],
        node_id: str,
        target: str,
    ) -> None:
        self._gate = gate
        self._clock = clock
        self._moving = moving
        self._publisher = StopPublisher(publish, node_id)
        self._target = target
        self._timer: Handle | None = None

    def look(self) -> None:
        """Publish the outcome when it is new."""
        gate = self._gate
        if not gate.latched:
            self._publisher.forget()
            return
        why = self._moving()
        self._publisher.publish(gate, self._target, "stopping" if why else "stopped", why)
        if why and self._timer is None:
            self._timer = self._clock.call_at(self._clock.time() + LOOK_S, self._look_again)

    def repeat(self) -> None:
        """Publish the outcome again while the stop lasts."""
        self._publisher.forget()
        self.look()

    def close(self) -> None:
        """Publish nothing any more."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _look_again(self) -> None:
        self._timer = None
        self.look()
