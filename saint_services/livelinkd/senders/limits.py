"""Limits the rate of each sender, detects floods, and counts refusals by reason and sender. Pure.
Every table is bounded, as any number of addresses can be forged.
"""

from collections import Counter, OrderedDict

from ..protocols import Refused

MAX_SENDERS = 64  # in the table of refusals
MAX_REASONS = 512  # of all decoders, one of them with a version number

FLOOD = 256  # datagrams above the limit, without a pause of FLOOD_S, are a flood
FLOOD_S = 2.0  # a flooding sender is dropped for so long
MAX_FLOODS = 16

NOT_ACCEPTED = Refused("the sender is not accepted; accept it on the page, under Inputs")
TOO_FAST = Refused("the sender exceeds its rate limit")
SHUT_OUT = Refused(f"the sender floods; its datagrams are dropped for {FLOOD_S:g} s")


class SenderLimit:
    """A token bucket per sender's address."""

    def __init__(self, per_second: float, max_senders: int = 256) -> None:
        self._per_second = per_second
        self._max_senders = max_senders
        self._buckets: dict[str, tuple[float, float]] = {}  # tokens left, at

    def allows(self, ip: str, now_s: float) -> bool:
        """Return True when one more datagram of this sender may be processed."""
        tokens, then_s = self._buckets.pop(ip, (self._per_second, now_s))
        tokens = min(tokens + (now_s - then_s) * self._per_second, self._per_second)
        allowed = tokens >= 1.0
        if len(self._buckets) >= self._max_senders:
            del self._buckets[next(iter(self._buckets))]  # the longest silent one
        self._buckets[ip] = (tokens - allowed, now_s)
        return allowed


class Refusals:
    """Counts refusals by reason and by sender."""

    def __init__(self) -> None:
        self.by_reason: Counter[str] = Counter()
        self.by_sender: OrderedDict[str, Counter[str]] = OrderedDict()

    def count(self, refused: Refused, ip: str) -> None:
        """Count one refusal."""
        reason = refused.reason
        if reason not in self.by_reason and len(self.by_reason) >= MAX_REASONS:
            reason = "another reason"
        self.by_reason[reason] += 1
        sender = self.by_sender.get(ip)
        if sender is None:
            if len(self.by_sender) >= MAX_SENDERS:
                self.by_sender.popitem(last=False)  # the one with the oldest refusal
            sender = self.by_sender[ip] = Counter()
        else:
            self.by_sender.move_to_end(ip)
        sender[reason] += 1


class Floods:
    """Senders that exceed the limit so far that the kernel must drop their datagrams."""

    def __init__(self) -> None:
        self._excess: OrderedDict[str, tuple[int, float]] = OrderedDict()  # how many, last at
        self._until_s: dict[str, float] = {}

    def count(self, ip: str, now_s: float) -> bool:
        """Count one datagram above the limit; return True when a flood begins."""
        number, last_s = self._excess.pop(ip, (0, now_s))
        number = number + 1 if now_s - last_s < FLOOD_S else 1
        if number >= FLOOD and len(self._until_s) < MAX_FLOODS and ip not in self._until_s:
            self._until_s[ip] = now_s + FLOOD_S
            return True
        self._excess[ip] = number, now_s
        if len(self._excess) > MAX_SENDERS:
            self._excess.popitem(last=False)
        return False

    def over(self, now_s: float) -> bool:
        """End floods after FLOOD_S; return True when one ended."""
        ended = [ip for ip, until_s in self._until_s.items() if now_s >= until_s]
        for ip in ended:
            del self._until_s[ip]
        return bool(ended)

    @property
    def senders(self) -> list[str]:
        """Return the senders to drop."""
        return list(self._until_s)
