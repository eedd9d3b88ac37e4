"""Decides whether a change of the wireless network holds, and why one gave no address. An address
that the radio still has of the network before does not count. Pure: time, address and messages come
in.
"""

from dataclasses import dataclass
from enum import Enum

from .logic import HOTSPOT_ADDRESS

# networkd keeps the address of a radio that lost its network for 3 s (systemd.network, Wi-Fi).
LEAVE_LIMIT_S = 10.0
JOIN_LIMIT_S = 60.0
LOOK_S = 0.5


class WifiVerdict(Enum):
    """What to do next."""

    WAIT = "wait"
    HOLDS = "holds"
    LOST = "lost"


@dataclass(slots=True)
class WifiTrial:
    """Of one network, from the moment when the one before was left."""

    begun_s: float
    is_hotspot: bool
    stale: str = ""  # an address that the radio would not give up
    join_limit_s: float = JOIN_LIMIT_S

    def judge(self, now_s: float, address: str) -> WifiVerdict:
        """`address` is the radio's IPv4 address with its length, empty without one."""
        if address != self.stale and self._is_right(address.partition("/")[0]):
            return WifiVerdict.HOLDS
        return WifiVerdict.LOST if now_s - self.begun_s >= self.join_limit_s else WifiVerdict.WAIT

    def _is_right(self, address: str) -> bool:
        if self.is_hotspot:
            return address == HOTSPOT_ADDRESS
        is_own = address == HOTSPOT_ADDRESS or address.startswith("169.254.")
        return bool(address) and not is_own


# Events of wpa_supplicant 2.10 (src/common/wpa_ctrl.h), and its sentence about a wrong password.
_REFUSES_PASSWORD = ("reason=WRONG_KEY", "pre-shared key may be incorrect")
_LETS_IN = ("CTRL-EVENT-CONNECTED",)
_IS_THERE = ("Trying to associate", "Trying to authenticate", "Authentication with ")


def cause(said: str) -> str:
    """Return why the network gave no address, from the messages of wpa_supplicant; the most
    specific reason first."""
    if not said.strip():
        return "a wrong password, a misspelt name, or out of range"
    if _has(said, _REFUSES_PASSWORD):
        return "the network refuses this password"
    if _has(said, _LETS_IN):
        return "the network accepted the server but gave it no address (DHCP)"
    if _has(said, _IS_THERE):
        return "in range, but the network refuses the server, mostly for a wrong password"
    return "no network of that name was found: a misspelt name, or out of range"


def _has(said: str, words: tuple[str, ...]) -> bool:
    return any(word in said for word in words)
