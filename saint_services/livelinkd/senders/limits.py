"""Senders: how fast each may send, who floods, and what was refused, by reason and by sender. Pure.
Every table is bounded: addresses can be forged, so there can be any number of them.
"""

from collections import Counter, OrderedDict

from ..protocols import Refused

MAX_SENDERS = 64  # in the table of refusals
MAX_REASONS = 512  # all that decoders can say, with a version number in one of them

FLOOD = 256  # datagrams above the limit, without a pause of FLOOD_S, that make a flood
FLOOD_S = 2.0  # a flooding sender is not heard for so long
MAX_FLOODS = 16

NOT_ACCEPTED = Refused("its sender is not accepted; accept it on the page, under Inputs")
TOO_FAST = Refused("its sender sends too fast")
SHUT_OUT = Refused("its sender floods, and was not heard for 2 s")


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


class Floods:
    """Who sends so much more than allowed that even refusing it costs others their turn."""

    def __init__(self) -> None:
        self._excess: OrderedDict[str, tuple[int, float]] = OrderedDict()  # how many, last at
        self._until_s: dict[str, float] = {}

    def count(self, ip: str, now_s: float) -> bool:
        """One datagram too many; True when this makes a flood of it."""
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
        """True when somebody may be heard again."""
        ended = [ip for ip, until_s in self._until_s.items() if now_s >= until_s]
        for ip in ended:
            del self._until_s[ip]
        return bool(ended)

    @property
    def senders(self) -> list[str]:
        """Those who are not to be heard."""
        return list(self._until_s)
