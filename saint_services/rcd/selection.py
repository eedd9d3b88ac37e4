"""What the robot gets of one or two receivers: which one is in charge, what a loss means, whether
the arm switch lets the sticks through. Pure. Not here: whether one signal may be believed (logic).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..lib.api.rc import FailsafeAction
from .config import Arm, Failover
from .logic import Receiver

PRIMARY, BACKUP = 0, 1
TITLES = ("primary", "failover")
Content = tuple[tuple[str, ...], tuple[float, ...]]
NOTHING: Content = ((), ())
# What a failsafe sample says to the router: no values: let go; channels: keep what is driven by
# them; this: stop everything.
STOP: Content = (("estop",), (1.0,))


def failsafe_content(action: FailsafeAction, receiver: Receiver) -> Content:
    """Names and values of the samples while the signal is lost."""
    if action == "estop":
        return STOP
    if action == "passthrough":
        return NOTHING
    if action == "neutral":
        return receiver.names, (0.0,) * len(receiver.names)
    return receiver.names, receiver.values


@dataclass(slots=True)
class Selection:
    """Which of the receivers is in charge: the first one whenever it can be."""

    receivers: Sequence[Receiver]
    rules: Failover = field(default_factory=Failover)
    in_charge: int = PRIMARY

    @property
    def receiver(self) -> Receiver:
        """The one in charge."""
        return self.receivers[self.in_charge]

    @property
    def is_lost(self) -> bool:
        """No receiver has a signal, so there is nobody to wait for."""
        return all(receiver.failsafe for receiver in self.receivers)

    def decide(self, now_s: float) -> bool:
        """Whether another receiver is in charge from now on."""
        if len(self.receivers) < 2:
            return False
        wanted = self._wanted(now_s)
        is_new, self.in_charge = wanted != self.in_charge, wanted
        return is_new

    def due_s(self, now_s: float) -> float | None:
        """When to decide again though nothing arrives."""
        if len(self.receivers) < 2 or self.in_charge == BACKUP:
            return None  # the first one's frames tell when it is good again
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
    """The arm switch: counts when it was seen off and then on, and again after each loss."""

    rules: Arm | None = None
    is_armed: bool = False
    _was_off: bool = False
    _channels: tuple[str, ...] = ()  # for these names ...
    _kept: tuple[int, ...] = ()  # ... the places that count while it is off

    def lose(self) -> None:
        """The signal was lost: the switch must be moved again."""
        self.is_armed = self._was_off = False

    def take(self, us: dict[int, float]) -> bool:
        """The newest values; whether something changed."""
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
        """Names and values of a live sample."""
        if self.rules is None or self.is_armed:
            return receiver.names, receiver.values
        if receiver.names is not self._channels:
            self._channels = receiver.names
            wanted = {f"channel_{number}" for number in (self.rules.number, *self.rules.always)}
            self._kept = tuple(i for i, name in enumerate(receiver.names) if name in wanted)
            self._names = tuple(receiver.names[i] for i in self._kept)
        return self._names, tuple(receiver.values[i] for i in self._kept)

    _names: tuple[str, ...] = ()
