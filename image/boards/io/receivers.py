"""Chooses between the two RC receivers: Crossfire, and ELRS where Crossfire is lost."""

from ..shared import tables as t
from ..shared.freshness import Freshness, Steadiness
from .crsf import CrsfParser

CROSSFIRE, ELRS, NEITHER = 0, 1, 2
NEUTRAL_US = (1500,) * 4 + (1000,) * 12  # for lost receivers; the arm switch at DISARM
_PAUSE_MS = 5  # a frame takes 1.5 ms
_GAP_MS = 100
_BACK_MS = 1000  # Crossfire must be steady for so long to be used again
_FIRST_MS = 200  # and any receiver after both were lost


class Receiver:
    """One receiver: its newest channels and how old they are."""

    def __init__(self) -> None:
        self.channels = NEUTRAL_US
        self.rssi_dbm = t.NO_SIGNAL_DBM
        self.quality = 100  # until it reports its link
        self.is_new = False
        self.fresh = Freshness(t.RC_LOST_MS)
        self._steady = Steadiness(_GAP_MS, _BACK_MS)
        self._first = Steadiness(_GAP_MS, _FIRST_MS)
        self._bytes = Freshness(_PAUSE_MS)
        self._parser = CrsfParser()

    def feed(self, data: bytes, now_ms: int) -> None:
        """Read bytes of its line, or none."""
        if data:
            if not self._bytes.is_fresh(now_ms):
                self._accept(self._parser.flush(), now_ms)
            self._bytes.feed(now_ms)
            self._accept(self._parser.feed(data), now_ms)
        elif not self._bytes.is_fresh(now_ms):
            self._accept(self._parser.flush(), now_ms)

    def _accept(self, found: list, now_ms: int) -> None:
        for each in found:
            if each[0] == "link":
                self.rssi_dbm, self.quality = max(-128, each[1]), each[2]
            elif self.quality > 0:  # some receivers repeat old channels without a radio link
                self.channels, self.is_new = each[1], True
                self.fresh.feed(now_ms)
                self._steady.feed(now_ms)
                self._first.feed(now_ms)

    def is_alive(self, now_ms: int) -> bool:
        """Return whether its channels may drive."""
        return self.quality > 0 and self.fresh.is_fresh(now_ms)

    def signal_dbm(self, now_ms: int) -> int:
        """Return its strength, for people; none while it is lost."""
        return self.rssi_dbm if self.is_alive(now_ms) else t.NO_SIGNAL_DBM

    def may_take_over(self, now_ms: int) -> bool:
        """Return whether it may replace a receiver that was lost just now."""
        return self.is_alive(now_ms) and self.fresh.age_ms(now_ms) <= _GAP_MS

    def may_return(self, now_ms: int) -> bool:
        """Return whether it may replace a receiver that lives."""
        return self.is_alive(now_ms) and self._steady.is_steady(now_ms)

    def may_begin(self, now_ms: int) -> bool:
        """Return whether it may end the loss of both."""
        return self.is_alive(now_ms) and self._first.is_steady(now_ms)


class Receivers:
    """Both receivers, and the one in use."""

    def __init__(self) -> None:
        self.each = (Receiver(), Receiver())
        self.active = NEITHER

    def update(self, now_ms: int) -> None:
        """Choose. A receiver that lives takes over at once from a lost one; both lost stay lost
        until one is steady.
        """
        crossfire, elrs = self.each
        if self.active == CROSSFIRE and not crossfire.is_alive(now_ms):
            self.active = ELRS if elrs.may_take_over(now_ms) else NEITHER
        elif self.active == ELRS:
            if crossfire.may_return(now_ms):
                self.active = CROSSFIRE
            elif not elrs.is_alive(now_ms):
                self.active = CROSSFIRE if crossfire.may_take_over(now_ms) else NEITHER
        if self.active == NEITHER:
            if crossfire.may_begin(now_ms):
                self.active = CROSSFIRE
            elif elrs.may_begin(now_ms):
                self.active = ELRS

    @property
    def channels(self) -> "tuple[int, ...]":
        """Return the channels in use; neutral and disarmed without a receiver."""
        return NEUTRAL_US if self.active == NEITHER else self.each[self.active].channels

    def report(self) -> "tuple[int, ...]":
        """Return the values of a message with channels and flags, and note that it was sent."""
        flags, channels = 0, self.channels
        if self.active != NEITHER:
            receiver = self.each[self.active]
            flags = t.RC_FLAG_ALIVE | (t.RC_FLAG_ELRS if self.active == ELRS else 0)
            flags |= t.RC_FLAG_NEW if receiver.is_new else 0
        for receiver in self.each:
            receiver.is_new = False
        return channels + (flags,)

    @property
    def has_news(self) -> bool:
        """Return whether the receiver in use has channels that were not sent."""
        return self.active != NEITHER and self.each[self.active].is_new
