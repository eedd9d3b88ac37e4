"""Publishes what a stop did to a role's outputs: when it begins, when a newer press arrives, when
the outputs come to rest, and regularly while it lasts. Not here: the stop itself (session.py).
"""

from collections.abc import Callable
from typing import Literal

from ..clock import stamp
from ..generated.saint_msgs import StopReport
from .gate import Gate
from .timers import Clock, Handle

Outcome = Literal["stopped", "stopping", "guard"]
LOOK_S = 0.01  # while an output still moves
REPEAT_S = 0.5  # a router that starts, or a proof that comes late, finds the report again


class StopReports:
    """Of one role. `moving` returns why the outputs are not at rest; empty when they are."""

    def __init__(
        self,
        gate: Gate,
        clock: Clock,
        moving: Callable[[], str],
        publish: Callable[[StopReport], None],
        node_id: str,
        target: str,
    ) -> None:
        self._gate = gate
        self._clock = clock
        self._moving = moving
        self._publish = publish
        self._node_id = node_id
        self._target = target
        self._published: object = None
        self._timer: Handle | None = None

    def look(self) -> None:
        """Publish what is new."""
        gate = self._gate
        if not gate.latched:
            self._published = None
            return
        why = self._moving()
        news = gate.controller, gate.generation, gate.is_press_known, why
        if news != self._published:
            self._published = news
            self._send(why)
        if why and self._timer is None:
            self._timer = self._clock.call_at(self._clock.time() + LOOK_S, self._look_again)

    def repeat(self) -> None:
        """Publish again while the stop lasts."""
        self._published = None
        self.look()

    def close(self) -> None:
        """Publish nothing any more."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _look_again(self) -> None:
        self._timer = None
        self.look()

    def _send(self, why: str) -> None:
        outcome: Outcome = "stopping" if why else "stopped"
        report = StopReport(
            stamp(), self._node_id, self._target, self._gate.generation,
            self._gate.is_press_known, outcome, why,
        )  # fmt: skip
        self._publish(report)
