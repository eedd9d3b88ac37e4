"""Decides whether machines take the offered release by themselves now: the owner's policy, the
maintenance window, and whether the robot rests. A roll-out that a user starts is bound by none of
them. Pure.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime, time

from ...lib.api.update_policy import OfferPolicy

REJECTED = "it was rolled back: machines wait for a roll-out that a user starts"
# Without live outputs on any machine. A machine that updates may be the one with the stop button,
# whose own outputs are always safe. Less than a node's own rest (offer_rest_s): both end with the
# same output, the server sees it later, and a node that is refused requests again after an hour.
REST_S = 240.0
UNKNOWN = "it is not known whether outputs are live"
_NO_TIME = "no time server has set this server's clock since its start"
_LEAST_MINUTES = 60
_WINDOW = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Window:
    """A time of day, UTC; it may cross midnight."""

    begin: time
    end: time

    @classmethod
    def parse(cls, text: str) -> "Window | None":
        """Read "02:00-05:00"; empty: no window. Raises ValueError."""
        if not text:
            return None
        found = _WINDOW.fullmatch(text)
        if found is None:
            raise ValueError(f"{text[:40]!r} is no window; write 02:00-05:00")
        hours = [int(part) for part in found.groups()]
        window = cls(time(hours[0], hours[1]), time(hours[2], hours[3]))
        if window.minutes < _LEAST_MINUTES:
            raise ValueError(f"{text!r} is shorter than an hour; resting nodes ask once an hour")
        return window

    @property
    def minutes(self) -> int:
        """Its length."""
        begin, end = (60 * each.hour + each.minute for each in (self.begin, self.end))
        return (end - begin) % (24 * 60)

    def is_open(self, now: time) -> bool:
        """Return whether it is that time of day."""
        if self.begin < self.end:
            return self.begin <= now < self.end
        return now >= self.begin or now < self.end


@dataclass(frozen=True, slots=True)
class RobotRest:
    """Whether outputs are live on any machine. At the start of the server nothing has moved yet:
    the machines that boot with it need not wait. Times are monotonic."""

    live: str | None = None  # on which machines; None: the registry does not answer
    is_known: bool = False  # it has answered since the start
    since_s: float = float("-inf")  # of the rest

    def reported(self, live: str | None, now_s: float) -> "RobotRest":
        """Return the rest after a look at the registry."""
        is_moved = bool(live) or (live is None and self.is_known)
        was_moved = bool(self.live) or (self.live is None and self.is_known)
        since_s = now_s if is_moved or was_moved else self.since_s
        return replace(self, live=live, is_known=self.is_known or live is not None, since_s=since_s)

    def missing(self, now_s: float) -> str:
        """Return why no machine may update by itself now; empty: it may."""
        if self.live is None:
            return UNKNOWN
        if not self.live and now_s - self.since_s < REST_S:
            return f"outputs were live within the last {REST_S / 60:g} minutes"
        return self.live


def closed(policy: OfferPolicy, window_text: str, now: datetime | None) -> str:
    """Return why no machine takes a release by itself now; empty when it may. `now` is UTC, None
    while nobody has set the clock: a window stays closed then."""
    window = Window.parse(window_text)
    if policy is OfferPolicy.ASK:
        return "machines wait for a roll-out that a user starts"
    if window and now is None:
        return f"machines wait for the maintenance window: {_NO_TIME}"
    if window and now and not window.is_open(now.time()):
        hours = f"{window.begin:%H:%M} to {window.end:%H:%M}"
        return f"machines wait for the maintenance window, {hours} UTC"
    return ""


def is_open(window: str, now: datetime | None) -> bool:
    """Return whether a window (a setting) is open; without one, always."""
    found = Window.parse(window)
    return found is None or (now is not None and found.is_open(now.time()))
