"""Exclusive control: one source alone drives a target until it releases the target or times out.
Class safety is never locked out. The e-stop ignores locks, and ends those of people. Locks do not
outlive the process. A leader drives only what it has locked; not here: when it does (masters.py).
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from ...lib.config.spelling import hint_or_all
from ...lib.errors import Code, SaintError
from ..inputs.source_classes import kind_of
from ..routes.checks import ANY
from .claims import Claim
from .motion import FOREVER, NEVER


@dataclass(slots=True)
class Lock:
    """Exclusive control of one target. Every sample of the holder renews `until`."""

    target: str
    holder: str
    timeout_s: float
    until: float
    since: float = NEVER


@dataclass(slots=True)
class Locks:
    """At most one lock per target."""

    targets: Collection[str]
    held: dict[str, Lock] = field(default_factory=dict)

    def take(
        self, target: str, holder: str, timeout_s: float, now: float, *, takes_over: bool = False
    ) -> list[Lock]:
        """Lock a target for a source; return the locks of others that this has ended. Raises
        SaintError conflict if another source holds it, unless the source takes over.
        """
        wanted = self._targets(target)
        if kind_of(holder) is None:
            raise SaintError(
                Code.REQUEST_INVALID,
                f"{holder!r} is not the name of a source",
                fix="Name a source, such as rc, websocket:panel or leader:left.",
            )
        for each in wanted:
            lock = self.held.get(each)
            if lock is not None and lock.holder != holder and not takes_over:
                raise SaintError(
                    Code.CONFLICT,
                    f"{each} is locked by {lock.holder} for {lock.until - now:.1f} s more",
                    fix="Wait until the holder releases it, or take it over.",
                )
        ended: list[Lock] = []
        for each in wanted:
            lock = self.held.get(each)
            is_same = lock is not None and lock.holder == holder
            since = lock.since if lock is not None and is_same else now
            if lock is not None and not is_same:
                ended.append(lock)
            self.held[each] = Lock(each, holder, timeout_s, now + timeout_s, since)
        return ended

    def release(self, target: str, holder: str, *, force: bool) -> None:
        """Release a target; one that is not locked stays so. Raises SaintError conflict if another
        source holds it, unless forced.
        """
        wanted = self._targets(target)
        for each in wanted:
            lock = self.held.get(each)
            if lock is not None and lock.holder != holder and not force:
                raise SaintError(
                    Code.CONFLICT,
                    f"{each} is locked by {lock.holder}, not by {holder or 'you'}",
                    fix="If the holder cannot release it, release it with force.",
                )
        for each in wanted:
            self.held.pop(each, None)

    def renew(self, holder: str, now: float) -> None:
        """Extend the locks of this source: it sent a sample."""
        for lock in self.held.values():
            if lock.holder == holder:
                lock.until = now + lock.timeout_s

    def expire(self, now: float) -> list[Lock]:
        """Drop and return the locks that timed out."""
        over = [lock for lock in self.held.values() if lock.until <= now]
        for lock in over:
            del self.held[lock.target]
        return over

    def end_of_people(self) -> bool:
        """Drop the locks that clients hold; return whether there were any: a stop ends what a
        person tries. A leader arm is no person, and keeps its lock.
        """
        over = [lock for lock in self.held.values() if kind_of(lock.holder) == "websocket"]
        for lock in over:
            del self.held[lock.target]
        return bool(over)

    @property
    def wake_at(self) -> float:
        return min((lock.until for lock in self.held.values()), default=FOREVER)

    def apply(self, claims: Iterable[Claim]) -> None:
        """Mark the claims that are locked out."""
        for claim in claims:
            holder = self.holder(claim)
            claim.is_locked = holder != claim.source and (holder != "" or _needs_lock(claim))

    def holder(self, claim: Claim) -> str:
        """Return the source that locks this claim out, or holds the lock itself; empty if there is
        none, and for class safety.
        """
        lock = self.held.get(claim.output.target)
        return "" if lock is None or claim.overrides else lock.holder

    def _targets(self, target: str) -> list[str]:
        if target == ANY:
            return list(self.targets)
        if target not in self.targets:
            meant = hint_or_all(target, self.targets)
            raise SaintError(Code.NOT_FOUND, f"there is no target {target!r}{meant}")
        return [target]


def _needs_lock(claim: Claim) -> bool:
    """Return whether a claim counts under a lock only: a leader's commands to a target."""
    return claim.is_direct and kind_of(claim.source) == "leader"
