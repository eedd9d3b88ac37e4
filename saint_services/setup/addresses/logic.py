"""Decides whether this server may give addresses: not before a search has found no other DHCP
server, not while one was seen in the last minutes, and not when a search cannot be sent. Pure:
link, replies and time come in. Not here: the sentences for people (text.py).

Nothing of the robot needs these addresses: nodes have one of their own. So doubt means none.

Two servers of ours on one network: the one that serves goes on, the other one stays silent and
takes over when the first is gone. If both serve, as after a common start, the one with the smaller
mark goes on and the other one stops.
"""

import math
from dataclasses import dataclass, field
from enum import StrEnum

from .dhcp import DhcpServer

SHORT_LEASE = "2m"  # the shortest that dnsmasq gives
# For so long at most has a device of a home network no internet that got an address of ours before
# its router was found. A node renews after half of it; without a server it has its own address.
LONG_LEASE = "1h"


class AddressState(StrEnum):
    """What this server does."""

    NO_LINK = "no_link"
    LOOKING = "looking"
    SERVING = "serving"
    REFUSED = "refused"  # another server was seen
    UNSURE = "unsure"  # a search could not be sent


@dataclass(frozen=True, slots=True)
class Pace:
    """When to search; tests are quicker."""

    # dnsmasq, in many home routers, offers only after it has tried the address for 3 s.
    sends_s: tuple[float, ...] = (0.0, 2.0, 4.0)
    listen_s: float = 3.5  # after the last
    # A switch may pass nothing for 30 s after the link came up (spanning tree): search soon again.
    first_pause_s: float = 10.0
    longest_pause_s: float = 60.0
    refused_pause_s: float = 30.0
    # A router that restarts is silent for two or three minutes.
    quiet_s: float = 300.0
    # After a power cut at home a Pi starts sooner than a router: who gets an address of ours by
    # mistake loses it soon.
    short_leases_s: float = 300.0


@dataclass(slots=True)
class AddressGuard:
    """Of one network interface."""

    own: str  # mark of this server
    pace: Pace = Pace()
    state: AddressState = AddressState.NO_LINK
    other: DhcpServer | None = (
        None  # why it is REFUSED; while SERVING: one of ours, which will stop
    )
    fault: str = ""  # why it is UNSURE
    _due_s: float = math.inf  # of the next search
    _began_s: float | None = None  # of this search
    _last_sent_s: float = 0.0
    _sends: int = 0
    _faults: list[str] = field(default_factory=list)
    _is_answered: bool = False
    _seen_s: float = -math.inf
    _pause_s: float = 0.0
    _serving_since_s: float = 0.0

    def link(self, *, is_up: bool, now_s: float) -> None:
        """Start again with every link: behind it may be another network."""
        if is_up == (self.state is not AddressState.NO_LINK):
            return
        self.state = AddressState.LOOKING if is_up else AddressState.NO_LINK
        self.other, self.fault, self._began_s = None, "", None
        self._seen_s = -math.inf
        self._due_s = now_s if is_up else math.inf

    def is_due(self, now_s: float) -> bool:
        """Advance; return whether to send a search now. `sent` must follow if so."""
        if self.state is AddressState.NO_LINK:
            return False
        if self._began_s is None:
            if now_s < self._due_s:
                return False
            self._began_s, self._sends, self._is_answered = now_s, 0, False
            self._faults = []
        if self._sends < len(self.pace.sends_s):
            return now_s >= self._began_s + self.pace.sends_s[self._sends]
        if now_s >= self._last_sent_s + self.pace.listen_s:
            self._conclude(now_s)
        return False

    def sent(self, now_s: float, fault: str = "") -> None:
        """Note that a search was sent, or why it was not."""
        self._sends += 1
        self._last_sent_s = now_s
        if fault:
            self._faults.append(fault)

    def received(self, server: DhcpServer, now_s: float) -> None:
        """Note a reply of another server, to us or to anyone."""
        if self.state is AddressState.NO_LINK or server.mark == self.own:  # a loop in the cabling
            return
        self._is_answered, self._seen_s, self.other = True, now_s, server
        will_stop = bool(server.mark) and self.own < server.mark
        if self.state is AddressState.SERVING and will_stop:
            return
        self.state, self.fault = AddressState.REFUSED, ""
        if self._began_s is None:
            self._due_s = min(self._due_s, now_s + self.pace.refused_pause_s)

    def _conclude(self, now_s: float) -> None:
        self._began_s = None
        self._due_s = now_s + self.pace.refused_pause_s
        is_serving = self.state is AddressState.SERVING
        is_quiet = now_s - self._seen_s >= self.pace.quiet_s
        if len(self._faults) == len(self.pace.sends_s) and not self._is_answered:
            self.state, self.fault, self.other = AddressState.UNSURE, self._faults[-1], None
        elif is_serving or (not self._is_answered and is_quiet):
            self._serve(now_s, is_serving)

    def _serve(self, now_s: float, was_serving: bool) -> None:
        if not was_serving:
            self._serving_since_s, self._pause_s = now_s, self.pace.first_pause_s / 2
        if not self._is_answered:
            self.other = None
        self.state, self.fault = AddressState.SERVING, ""
        self._pause_s = min(self._pause_s * 2, self.pace.longest_pause_s)
        self._due_s = now_s + self._pause_s

    def lease(self, now_s: float) -> str:
        """Return for how long addresses are given; empty: none is given."""
        if self.state is not AddressState.SERVING:
            return ""
        is_new = now_s < self._serving_since_s + self.pace.short_leases_s
        return SHORT_LEASE if is_new else LONG_LEASE

    def due_s(self, now_s: float) -> float:
        """Return when to look again if nothing happens."""
        if self.state is AddressState.NO_LINK:
            return math.inf
        if self._began_s is None:
            due_s = self._due_s
        elif self._sends < len(self.pace.sends_s):
            due_s = self._began_s + self.pace.sends_s[self._sends]
        else:
            due_s = self._last_sent_s + self.pace.listen_s
        if self.lease(now_s) == SHORT_LEASE:
            due_s = min(due_s, self._serving_since_s + self.pace.short_leases_s)
        return due_s
