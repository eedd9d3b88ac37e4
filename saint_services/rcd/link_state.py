"""State of the RC link as published: one state machine. Pure: no time, no values. Not here: whether
a signal is valid (logic.py), which receiver counts and what a sample carries (selection.py).

    IDLE --frame--> LIVE --missing--> QUIET --lost--> LOST      any but IDLE --block--> RELEASED
    frame: from each state to LIVE                              RELEASED --overdue--> LOST
"""

from dataclasses import dataclass, field
from enum import Enum, auto

from ..lib.api.rc import FailsafeAction


class LinkPhase(Enum):
    """Phase of the link, as the robot knows it."""

    IDLE = auto()  # nothing was driven yet, so nothing can be lost
    LIVE = auto()  # frames drive
    QUIET = auto()  # frames are missing, but the signal is not lost yet
    WAITING = auto()  # lost, and the standby receiver is about to take over
    LOST = auto()
    RELEASED = auto()  # released on purpose, which is no loss, whatever the lines report


class Blocker(Enum):
    """Reason why the sticks drive nothing."""

    OFF = auto()
    LINE = auto()  # the connection is being changed, or its protocol detected
    CALIBRATION = auto()


_ACTIVE = (LinkPhase.LIVE, LinkPhase.QUIET, LinkPhase.WAITING)


@dataclass(slots=True)
class LinkState:
    """Follows events; each method returns True when a sample must be published at once."""

    phase: LinkPhase = LinkPhase.IDLE
    blockers: set[Blocker] = field(default_factory=lambda: {Blocker.OFF})

    def frame(self) -> bool:
        """Record a valid frame; return True when it drives."""
        if self.blockers:
            return False
        self.phase = LinkPhase.LIVE
        return True

    def missing(self) -> bool:
        """Record that frames are overdue: the robot stops, but no other source takes over yet."""
        return self._go(LinkPhase.QUIET, (LinkPhase.LIVE,))

    def wait_for_standby(self) -> bool:
        """Record that the receiver in charge has lost its signal while the standby has one."""
        return self._go(LinkPhase.WAITING, (LinkPhase.LIVE, LinkPhase.QUIET, LinkPhase.LOST))

    def lose(self) -> bool:
        """Record that no receiver has a signal."""
        return self._go(LinkPhase.LOST, _ACTIVE)

    def block(self, blocker: Blocker) -> bool:
        """Release control, and drive nothing until the blocker is removed."""
        self.blockers.add(blocker)
        if self.phase is LinkPhase.IDLE:
            return False
        self.phase = LinkPhase.RELEASED
        return True

    def unblock(self, blocker: Blocker) -> None:
        """Remove a blocker; the next frame drives unless another one remains."""
        self.blockers.discard(blocker)

    def acquisition_timed_out(self) -> bool:
        """Record that no signal was acquired in the time allowed after a release."""
        return not self.blockers and self._go(LinkPhase.LOST, (LinkPhase.RELEASED,))

    @property
    def is_lost(self) -> bool:
        """Return True when the next frame acquires the signal."""
        return self.phase not in _ACTIVE

    def action(self, wanted: FailsafeAction) -> FailsafeAction | None:
        """Return the action that failsafe samples request now, `wanted` being that of a loss; None
        without failsafe samples.
        """
        if self.phase is LinkPhase.LOST:
            return wanted
        if self.phase is LinkPhase.WAITING:
            return "passthrough" if wanted == "passthrough" else "hold"
        return "hold" if self.phase is LinkPhase.QUIET else None

    def _go(self, phase: LinkPhase, among: tuple[LinkPhase, ...]) -> bool:
        if self.phase not in among:
            return False
        self.phase = phase
        return True
