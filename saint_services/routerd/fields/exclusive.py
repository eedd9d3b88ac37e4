"""What locks do to the fields: claims of others are locked out, and the end of a lock ends the
motion of its holder. Not here: who holds which lock (locks.py), how a leader takes one
(masters.py).
"""

from collections.abc import Callable, Iterable

from .board import FieldBoard
from .claims import Claim
from .locks import Lock, Locks


class ExclusiveControl:
    """Applies the locks to the claims and fields of the router."""

    def __init__(
        self,
        locks: Locks,
        board: FieldBoard,
        claims: Callable[[], Iterable[Claim]],
        is_stopped: Callable[[], bool],
    ) -> None:
        self._locks = locks
        self._board = board
        self._claims = claims
        self._is_stopped = is_stopped

    def take(
        self, target: str, holder: str, timeout_s: float, now: float, *, takes_over: bool
    ) -> list[Lock]:
        """Lock a target; return the locks of others that this has ended. The fields follow with
        `relock`. Raises SaintError conflict."""
        return self._locks.take(target, holder, timeout_s, now, takes_over=takes_over)

    def release(self, target: str, holder: str, now: float, *, force: bool) -> None:
        """End a lock."""
        self._locks.release(target, holder, force=force)
        self.relock(now)

    def expire(self, now: float) -> None:
        """End the locks that timed out."""
        if self._locks.held and (over := self._locks.expire(now)):
            self._end_motion(over)
            self.relock(now)

    def apply(self) -> None:
        """Lock out the claims of all who do not hold the lock of their target."""
        self._locks.apply(self._claims())

    def relock(self, now: float) -> None:
        """Apply the locks, which are others now, and decide again for every field."""
        self.apply()
        self._board.wake(self._locks.wake_at)
        if self._is_stopped():
            return
        for output in self._board.outputs:
            if output.held_by is not None and output.held_by.is_locked:
                output.unhold()
        self._board.decide_all(now)

    def _end_motion(self, over: Iterable[Lock]) -> None:
        """Let the holder of a lock that timed out drive its target no longer: a lock may be shorter
        than the time-out of its source.
        """
        for lock in over:
            for claim in self._claims():
                is_holders = claim.source == lock.holder and claim.output.target == lock.target
                if is_holders and (stream := claim.stream) is not None:
                    stream.received = min(stream.received, lock.until - claim.timeout_s)
