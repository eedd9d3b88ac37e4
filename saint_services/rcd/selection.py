"""Chooses which of two receivers is in charge, what failsafe samples carry, and whether the arm
switch enables the sticks. Pure. Not here: the validity of one signal (logic.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..lib.api.rc import FailsafeAction
from .config import ArmSwitch, Failover
from .logic import Receiver

PRIMARY, BACKUP = 0, 1
TITLES = ("primary", "failover")
Content = tuple[tuple[str, ...], tuple[float, ...]]
NOTHING: Content = ((), ())
# A failsafe sample without values releases control; one with channels holds what they drive; this
# one stops the robot.
STOP: Content = (("estop",), (1.0,))


def failsafe_content(action: FailsafeAction, receiver: Receiver) -> Content:
    """Return names and values of the samples that are published while the signal is lost."""
    if action == "estop":
        return STOP
    if action == "passthrough":
        return NOTHING
    if action == "neutral":
        return receiver.names, (0.0,) * len(receiver.names)
    return receiver.names, receiver.values


@dataclass(slots=True)
class Selection:
    """Selects the receiver in charge: the primary whenever its signal is good."""

    receivers: Sequence[Receiver]
    rules: Failover = field(default_factory=Failover)
    in_charge: int = PRIMARY

    @property
    def receiver(self) -> Receiver:
        """The one in charge."""
        return self.receivers[self.in_charge]

    @property
    def is_lost(self) -> bool:
        """Return True when no receiver has a signal."""
        return all(receiver.failsafe for receiver in self.receivers)

    def decide(self, now_s: float) -> bool:
        """Select again; return True when another receiver took over."""
        if len(self.receivers) < 2:
            return False
        wanted = self._wanted(now_s)
        is_new, self.in_charge = wanted != self.in_charge, wanted
        return is_new

    def due_s(self, now_s: float) -> float | None:
        """Return when to select again without a new frame; None: not before one."""
        if len(self.receivers) < 2 or self.in_charge == BACKUP:
            return None  # the primary's frames show when it is good again
        primary, backup = self.receivers
        if not primary.failsafe or backup.failsafe:
            return None
        return max(now_s, primary.good_s + self.rules.after_ms / 1000)

    def _wanted(self, now_s: float) -> int:
        primary, backup = self.receivers
        if self.in_charge == PRIMARY:
            silent_s = now_s - primary.good_s
            may_leave = primary.failsafe and silent_s >= self.rules.after_ms / 1000 - 1e-6
            return BACKUP if may_leave and not backup.failsafe else PRIMARY
        if primary.failsafe:
            return BACKUP
        is_proven = now_s - primary.live_since_s >= self.rules.return_ms / 1000
        return PRIMARY if is_proven or backup.failsafe else BACKUP


@dataclass(slots=True)
class Arming:
    """State of the arm switch: it must move from off to on, and again after each loss."""

    rules: ArmSwitch | None = None
    is_armed: bool = False
    _was_off: bool = False
    _channels: tuple[str, ...] = ()  # of the last sample
    _kept: tuple[int, ...] = ()  # positions of those published while disarmed

    def lose(self) -> None:
        """Disarm after a loss: the switch must be moved again."""
        self.is_armed = self._was_off = False

    def update(self, us: dict[int, float]) -> bool:
        """Follow the newest values (microseconds); return True when the state changed."""
        if self.rules is None:
            return False
        before = self.is_armed
        position = us.get(self.rules.number)
        if position is None or position <= self.rules.above:
            self.is_armed, self._was_off = False, position is not None
        elif self._was_off:
            self.is_armed = True
        return before != self.is_armed

    def content(self, receiver: Receiver) -> Content:
        """Return names and values of a live sample."""
        if self.rules is None or self.is_armed:
            return receiver.names, receiver.values
        if receiver.names is not self._channels:
            self._channels = receiver.names
            wanted = {f"channel_{number}" for number in (self.rules.number, *self.rules.always)}
            self._kept = tuple(i for i, name in enumerate(receiver.names) if name in wanted)
            self._names = tuple(receiver.names[i] for i in self._kept)
        return self._names, tuple(receiver.values[i] for i in self._kept)

    _names: tuple[str, ...] = ()
