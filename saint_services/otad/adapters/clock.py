"""Queries whether a time server has set this machine's clock. A Pi's own clock stands while it has
no power, so it counts the hours for which the robot was on. Not here: what depends on it
(rollout/offers.py).
"""

from typing import Any, Protocol

from ...lib.errors import SaintError
from ...lib.update.dbus import CallError, Peer

_TIMEDATE = "org.freedesktop.timedate1"
_CLOCK = Peer(_TIMEDATE, "/org/freedesktop/timedate1", "org.freedesktop.DBus.Properties")
_LIMIT_S = 5.0


class _Bus(Protocol):
    async def call(
        self, peer: Peer, member: str, signature: str = "", *body: Any, limit_s: float = 10.0
    ) -> tuple[Any, ...]: ...


async def is_set(bus: _Bus) -> bool:
    """Return whether the clock is set; False where nobody knows."""
    try:
        (found,) = await bus.call(
            _CLOCK, "Get", "ss", _TIMEDATE, "NTPSynchronized", limit_s=_LIMIT_S
        )
    except (CallError, SaintError):
        return False
    return found is True
