"""Senders: how fast each may send, and what was refused, by reason and by sender. Pure. Every table
is bounded: addresses can be forged, so there can be any number of them.
"""

from collections import Counter, OrderedDict

from .protocols import Refused

MAX_SENDERS = 64  # in the table of refusals
MAX_REASONS = 512  # all that decoders can say, with a version number in one of them

TOO_FAST = Refused("its sender sends too fast")


class SenderLimit:
    """A token bucket per sender's address."""

    def __init__(self, per_second: float, max_senders: int = 256) -> None:
        self._per_second = per_second
        self._max_senders = max_senders
        self._buckets: dict[str, tuple[float, float]] = {}  # tokens left, at

    def allows(self, ip: str, now_s: float) -> bool:
        """Whether one more datagram of this sender may be looked at."""
        tokens, then_s = self._buckets.pop(ip, (self._per_second, now_s))
        tokens = min(tokens + (now_s - then_s) * self._per_second, self._per_second)
        allowed = tokens >= 1.0
        if len(self._buckets) >= self._max_senders:
            del self._buckets[next(iter(self._buckets))]  # the one not heard for longest
        self._buckets[ip] = (tokens - allowed, now_s)
        return allowed


class Refusals:
    """Counts refusals."""

    def __init__(self) -> None:
        self.by_reason: Counter[str] = Counter()
        self.by_sender: OrderedDict[str, Counter[str]] = OrderedDict()

    def count(self, refused: Refused, ip: str) -> None:
        """One more."""
        reason = refused.reason
        if reason not in self.by_reason and len(self.by_reason) >= MAX_REASONS:
            reason = "another reason"
        self.by_reason[reason] += 1
        sender = self.by_sender.get(ip)
        if sender is None:
            if len(self.by_sender) >= MAX_SENDERS:
                self.by_sender.popitem(last=False)  # the one refused for the last time longest ago
            sender = self.by_sender[ip] = Counter()
        else:
            self.by_sender.move_to_end(ip)
        sender[reason] += 1
