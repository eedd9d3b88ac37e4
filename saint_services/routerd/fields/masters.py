"""Masters of an arm: inputs that come with a pose of their own. A leader locks its targets by its
clutch, a sequence by a request; a target has one master at a time, and begins softly where its
joints stand. Not here: the locks (locks.py), which claim drives a field (claims.py).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from ..inputs.sources import InputSource
from .claims import OutputField
from .locks import Lock, Locks

# The one name of the samples in which a leader reports its clutch: 1 while it is closed.
CLUTCH: Final = ("clutch",)
SEQUENCE: Final = "autonomous:sequence_"  # and the target; no participant has such a name
REMOTE: Final = "websocket:remote:"  # and a name; no client of a WebSocket has a colon in its own


class LockTaker(Protocol):
    """Locks a target for a source."""

    def __call__(
        self, target: str, holder: str, timeout_s: float, now: float, *, takes_over: bool
    ) -> None: ...


def has_pose(holder: str) -> bool:
    """Return whether a master has a pose of its own, which may be far from that of the joints."""
    return holder.startswith(("leader:", SEQUENCE, REMOTE))


def sequence_source(target: str) -> str:
    """Return the source of the sequence that a target plays."""
    return SEQUENCE + target.replace(".", "_")


@dataclass(slots=True)
class Masters:
    """Locks targets for leaders. `places_of` returns the measured positions of a target's fields,
    as far as its role reports them.
    """

    locks: Locks
    outputs: Sequence[OutputField]
    refused: Counter[str]
    take: LockTaker
    release: Callable[[str, str, float], None]
    forget: Callable[[str], None]  # a source: its next motion is its first
    places_of: Callable[[str], Mapping[str, float]] = lambda _: {}

    def clutch(
        self, source: InputSource, old: Sequence[float], new: Sequence[float], now: float
    ) -> None:
        """Lock the targets of a leader when its clutch is closed, until it is opened. One that is
        closed when the leader appears, or returns, has to be opened first. A leader ends a
        sequence, never the control of a person or of another leader. A leader that got the lock by
        a request holds it with an open clutch too.
        """
        if source.kind != "leader" or not old:
            return
        if old[0] and not new[0]:
            self.disengage(source, now)
        elif new[0] and not old[0]:
            for target in self.led_by(source, now):
                self._engage(source, target, now)

    def _engage(self, source: InputSource, target: str, now: float) -> None:
        lock = self.locks.held.get(target)
        if lock is None or lock.holder == source.name or lock.holder.startswith(SEQUENCE):
            self.take(target, source.name, source.timeout_s, now, takes_over=True)
        else:
            self.refused[f"clutch: {target} is locked by {lock.holder}"] += 1

    def disengage(self, source: InputSource, now: float) -> None:
        """End the locks of a leader: its clutch is open, or it has lost its arm."""
        if source.kind == "leader":
            for target in self.held_by(source.name):
                self.release(target, source.name, now)

    def begin(self, holder: str, ended: Sequence[Lock], now: float) -> None:
        """Have the targets that this source has just locked begin softly: those of a master with a
        pose, and those that were taken from one.
        """
        new = {name for name in self.held_by(holder) if self.locks.held[name].since == now}
        if not has_pose(holder):
            new &= {lock.target for lock in ended if has_pose(lock.holder)}
        for output in self.outputs:
            if output.target in new:
                output.start_softly()

    def place(self, output: OutputField) -> float | None:
        """Return where the joint of a field stands, if that is known."""
        return self.places_of(output.target).get(output.field)

    def led_by(self, source: InputSource, now: float) -> list[str]:
        """Return the targets that a leader commands now."""
        found = [
            stream.target
            for stream in source.streams.values()
            if stream.target and stream.received + source.timeout_s > now
        ]
        return list(dict.fromkeys(found))

    def held_by(self, holder: str) -> list[str]:
        """Return the targets that a source has locked."""
        return [name for name, lock in self.locks.held.items() if lock.holder == holder]
