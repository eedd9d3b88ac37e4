"""What the robot is told of the RC signal: one state machine. Pure: no time, no values. Not here:
whether a signal may be believed (logic.py), whose counts and what a sample carries (selection.py).

    IDLE --frame--> LIVE --missing--> QUIET --lost--> LOST      any but IDLE --begin--> RELEASED
    frame: from each state to LIVE                              RELEASED --overdue--> LOST
"""

from dataclasses import dataclass, field
from enum import Enum, auto

from ..lib.api.rc import FailsafeAction


class LinkPhase(Enum):
    """Where the signal is, as the robot knows it."""

    IDLE = auto()  # nothing was driven yet, so nothing can be lost
    LIVE = auto()  # frames drive
    QUIET = auto()  # frames are missing; it is no loss yet
    WAITING = auto()  # lost, but the other receiver will take over
    LOST = auto()
    RELEASED = auto()  # let go on purpose: that is no loss, whatever the lines say


class Blocker(Enum):
    """What keeps the sticks from moving anything."""

    OFF = auto()
    LINE = auto()  # its connection is being changed, or listened to
    CALIBRATION = auto()


_UNDER_WAY = (LinkPhase.LIVE, LinkPhase.QUIET, LinkPhase.WAITING)


@dataclass(slots=True)
class LinkState:
    """Events in; each answers whether something is to be told at once."""

    phase: LinkPhase = LinkPhase.IDLE
    works: set[Blocker] = field(default_factory=lambda: {Blocker.OFF})

    def frame(self) -> bool:
        """One that counts has come; whether it drives."""
        if self.works:
            return False
        self.phase = LinkPhase.LIVE
        return True

    def missing(self) -> bool:
        """Frames are overdue: the robot must stop, but nobody else may take over yet."""
        return self._go(LinkPhase.QUIET, (LinkPhase.LIVE,))

    def wait(self) -> bool:
        """The one in charge has lost its signal, the other has one."""
        return self._go(LinkPhase.WAITING, (LinkPhase.LIVE, LinkPhase.QUIET, LinkPhase.LOST))

    def lose(self) -> bool:
        """Nobody has a signal."""
        return self._go(LinkPhase.LOST, _UNDER_WAY)

    def begin(self, work: Blocker) -> bool:
        """From now on nothing is driven."""
        self.works.add(work)
        if self.phase is LinkPhase.IDLE:
            return False
        self.phase = LinkPhase.RELEASED
        return True

    def end(self, work: Blocker) -> None:
        """It is done; the next frame drives if nothing else is in the way."""
        self.works.discard(work)

    def overdue(self) -> bool:
        """Nobody has a signal although there was time for it to come back."""
        return not self.works and self._go(LinkPhase.LOST, (LinkPhase.RELEASED,))

    @property
    def is_lost(self) -> bool:
        """The next frame is a signal that was acquired."""
        return self.phase not in _UNDER_WAY

    def action(self, wanted: FailsafeAction) -> FailsafeAction | None:
        """What failsafe samples ask for now, where a loss means what is `wanted`; None: there are
        none.
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
