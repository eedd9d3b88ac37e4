"""Follows what the BALANCE board reports. Pure: time comes in as an argument. What is old or
unknown counts as the safe case: not armed, the pilot drives.
"""

from dataclasses import dataclass
from math import inf

from saint_services.lib.wagon.can_frames import WagonAttitude, WagonPower, WagonReceivers
from saint_services.lib.wagon.meanings import (
    BOARD_SILENT_MS,
    LEVEL_MS,
    POWER_PERIOD_MS,
    TILT_LIMIT_DEG,
    FlagsOfAttitude,
    WagonMode,
    WagonState,
    flags_of,
)

SILENT_S = BOARD_SILENT_MS / 1000
LEVEL_S = LEVEL_MS / 1000
POWER_OLD_S = 10 * POWER_PERIOD_MS / 1000


@dataclass(slots=True)
class BoardView:
    """The newest report of each kind, and its time."""

    _attitude: WagonAttitude | None = None
    _power: WagonPower | None = None
    _attitude_s: float = -inf
    _power_s: float = -inf
    _level_since_s: float = inf
    _receivers: WagonReceivers | None = None
    _receivers_s: float = -inf

    def received(self, message: object, now_s: float) -> None:
        """Store a report; other messages are ignored."""
        if isinstance(message, WagonAttitude):
            if not abs(message.pitch) <= TILT_LIMIT_DEG:
                self._level_since_s = inf
            elif self.attitude(now_s) is None or self._level_since_s == inf:
                self._level_since_s = now_s  # what a silent board did is not known
            self._attitude, self._attitude_s = message, now_s
        elif isinstance(message, WagonPower):
            self._power, self._power_s = message, now_s
        elif isinstance(message, WagonReceivers):
            self._receivers, self._receivers_s = message, now_s

    def attitude(self, now_s: float) -> WagonAttitude | None:
        """Return the newest attitude; None while the board is silent."""
        return self._attitude if 0.0 <= now_s - self._attitude_s <= SILENT_S else None

    def has_settled(self, now_s: float) -> bool:
        """Return whether the wagon has been level for long enough to be armed, as far as its pitch
        says: the board reports no roll."""
        return now_s - self._level_since_s >= LEVEL_S

    def power(self, now_s: float) -> WagonPower | None:
        """Return the newest battery report; None when it is old."""
        return self._power if 0.0 <= now_s - self._power_s <= POWER_OLD_S else None

    def receivers(self, now_s: float) -> WagonReceivers | None:
        """Return the newest signal strengths; None when they are old."""
        return self._receivers if 0.0 <= now_s - self._receivers_s <= POWER_OLD_S else None

    def state(self, now_s: float) -> WagonState | None:
        """Return the state of the drive; None while it is not known."""
        found = self.attitude(now_s)
        if found is None:
            return None
        return WagonState(found.state) if found.state in _STATES else None

    def flags(self, now_s: float) -> FlagsOfAttitude | None:
        """Return the flags; None while the board is silent."""
        found = self.attitude(now_s)
        return None if found is None else flags_of(found.flags)

    def is_armed(self, now_s: float) -> bool:
        """Return whether motors may turn, as far as is known."""
        return self.state(now_s) is WagonState.ARMED

    def is_host_driving(self, now_s: float) -> bool:
        """Return whether speed and steering of the computer count."""
        flags = self.flags(now_s)
        return flags is not None and flags.mode is not WagonMode.RC


_STATES = frozenset(WagonState)
