"""Whether the control of a session has to be released before it moves the robot again. Pure.

Of the form without a time: a reliable channel delivers at once what a stall has held back, also a
release of long ago, and the motion that followed it. Nothing in such a command says how old it is.
So after a gap the control has to stay released, without another gap, for as long as the gap was. A
burst that arrives at twice the speed of the hand or faster is over by then. What is owed becomes
less by the time that passes meanwhile, because the burst does too; else a link with a short gap
every few seconds would keep everybody from driving for good.
"""

from dataclasses import dataclass

MOST_OWED_S = 3.0  # longer would be safer where a stall ends slowly, and nobody would wait for it


@dataclass(slots=True)
class ControlRelease:
    """What one session owes before it moves anything again."""

    least_s: float = 0.0  # so long it has to last whenever it is required
    most_s: float = MOST_OWED_S
    is_required: bool = False
    has_stopped: bool = False  # the robot meanwhile: a walker has damped
    owed_s: float = 0.0  # so long has it to last now
    _owed_at_s: float = 0.0
    _since_s: float | None = None  # since when the control is released

    def require(self, now_s: float, *, has_stopped: bool) -> None:
        """Require a release: the operator has changed, or the picture has ended."""
        self._owe(self._left_s(now_s), now_s)
        self.has_stopped |= has_stopped

    def note_gap(self, begin_s: float, end_s: float) -> None:
        """Require a release that lasts: nothing has arrived meanwhile."""
        self._owe(self._left_s(begin_s) + end_s - begin_s, end_s)
        self.has_stopped = True

    def allows(self, now_s: float, *, is_moving: bool) -> bool:
        """Return whether a command of now counts; one without motion always does."""
        if is_moving:
            self._since_s = None
            return not self.is_required
        if self._since_s is None:
            self._since_s = now_s
        if now_s - self._since_s >= self.owed_s:
            self._end()
        return True

    def rest(self, now_s: float) -> None:
        """Note that the sender says so: it counts like a release of `least_s`, but not for more."""
        if self.owed_s <= self.least_s:
            self._since_s = now_s - self.least_s
            self._end()

    def was_released(self, at_s: float) -> bool:
        """Return whether the control was released at this time, the newest message's."""
        return self._since_s is not None and at_s - self._since_s >= self.least_s

    def _end(self) -> None:
        self.is_required = self.has_stopped = False
        self.owed_s = 0.0

    def _owe(self, owed_s: float, now_s: float) -> None:
        self.owed_s = min(max(owed_s, self.least_s), self.most_s)
        self._owed_at_s = now_s
        self.is_required, self._since_s = True, None

    def _left_s(self, now_s: float) -> float:
        return max(0.0, self.owed_s - max(0.0, now_s - self._owed_at_s))
