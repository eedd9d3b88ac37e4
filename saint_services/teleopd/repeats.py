"""Decides which lost packets of a picture are sent a second time. Pure: times come in as arguments.

A receiver requests a lost packet again and again until it has come. On a link that is full every
repetition takes the place of something newer, and is lost as well: in the first second after a
link became narrow (1500 to 300 kbit/s) Chromium had 508 packets repeated, and commands and reports
were lost for seconds. So a packet is repeated no sooner than the answer to the last repetition
could have come, and all repetitions are a share of what is sent. What goes beyond that is given up,
and a key picture takes its place.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

SHARE: Final = 0.25  # of the packets sent: a link that loses a fifth of them is repaired
MOST_AT_ONCE: Final = 30  # packets, 36 kB; a key picture is not larger
_UNKNOWN_ROUND_TRIP_S: Final = 0.05
_KEY_S: Final = 1.0  # until a key picture has come, or the next one is due
_REMEMBERED: Final = 256  # packets; aiortc can repeat half as many


class Repeat(Enum):
    """What becomes of a requested packet."""

    NOW = "now"
    NOT_NOW = "not now"  # the last repetition may still arrive, or a key picture takes its place
    GIVEN_UP = "given up"  # as all that were sent before: a key picture is due


@dataclass(slots=True)
class RepeatRule:
    """Of one stream. Packets are known by their sequence numbers."""

    _credit: float = float(MOST_AT_ONCE)
    _sent: int = 0
    _given_up: frozenset[int] = frozenset()
    _given_up_until: int = 0  # so many sent: those numbers are of other packets then
    _given_up_s: float = float("-inf")
    _repeated: dict[int, tuple[float, int]] = field(default_factory=dict)  # when last, how often

    def requested(
        self, number: int, kept: Iterable[int], sent: int, now_s: float, round_trip_s: float | None
    ) -> Repeat:
        """Decide about a packet. `kept`: all that can be repeated, read only when they are given
        up; `sent`: how many packets were sent so far.
        """
        self._credit = min(self._credit + SHARE * (sent - self._sent), float(MOST_AT_ONCE))
        self._sent = sent
        if number in self._given_up and sent < self._given_up_until:
            return Repeat.NOT_NOW
        last_s, times = self._repeated.get(number, (float("-inf"), 0))
        wait_s = _UNKNOWN_ROUND_TRIP_S if round_trip_s is None else round_trip_s
        if now_s - last_s < wait_s * times:
            return Repeat.NOT_NOW
        if self._credit < 1.0:
            if now_s - self._given_up_s < max(wait_s, _KEY_S):
                return Repeat.NOT_NOW
            self._given_up, self._given_up_s = frozenset(kept), now_s
            self._given_up_until = sent + len(self._given_up)
            self._repeated.clear()
            return Repeat.GIVEN_UP
        self._credit -= 1.0
        self._repeated.pop(number, None)
        self._repeated[number] = now_s, times + 1
        while len(self._repeated) > _REMEMBERED:
            self._repeated.pop(next(iter(self._repeated)))
        return Repeat.NOW
