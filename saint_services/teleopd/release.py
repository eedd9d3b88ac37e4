"""Whether a command without a time may move the robot after a gap. Pure.

A reliable channel delivers at once what a stall has held back: also a release of long ago, and the
motion that followed it. Nothing in such a command says how old it is. So after a gap the control
has to stay released, without another gap, for as long as the gap was. A burst that arrives at twice
the speed of the hand or faster is over by then. What is owed becomes less by the time that passes
between two gaps, because the burst does too; else a link with a short gap every few seconds would
keep everybody from driving for good.
"""

from dataclasses import dataclass

MOST_OWED_S = 3.0  # longer would be safer where a stall ends slowly, and nobody would wait for it


@dataclass(slots=True)
class ControlRelease:
    """What one session owes before it moves anything again."""

    is_required: bool = False
    owed_s: float = 0.0  # so long has it to last after a gap; 0: after a change of control
    _gap_end_s: float = 0.0
    _since_s: float | None = None  # since when the control is released

    def require(self) -> None:
        """Require a release: the operator has changed."""
        self.is_required, self._since_s = True, None

    def note_gap(self, begin_s: float, end_s: float) -> None:
        """Require a release that lasts: nothing has arrived meanwhile."""
        left_s = max(0.0, self.owed_s - (begin_s - self._gap_end_s))
        self.owed_s = min(left_s + end_s - begin_s, MOST_OWED_S)
        self._gap_end_s = end_s
        self.require()

    def allows(self, now_s: float, *, is_moving: bool) -> bool:
        """Return whether a command of now counts; one without motion always does."""
        if not is_moving and self._since_s is None:
            self._since_s = now_s
        if self._since_s is not None and now_s - self._since_s >= self.owed_s:
            self.is_required, self.owed_s = False, 0.0
        if is_moving:
            self._since_s = None
        return not (is_moving and self.is_required)
