"""Decides what a leader arm says: the values of its joints by LeRobot's convention, whether its
servos are to be believed, and whether its clutch is closed. Not here: the bus (lib/hw/bus_servos),
what a closed clutch does (routerd/fields/masters.py).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..lib.hw.bus_servos.scale import TickScale
from ..lib.role_config.devices import PinSpec
from ..lib.role_config.lead import ButtonClutch, Lead, SqueezeClutch

_DEGREES = 360.0 / 4095  # of one position, as LeRobot counts
# A hand turns a joint by less; a servo that reports more is at fault.
_FASTEST_TICKS_PER_S = 12_000.0
_NOISE_TICKS = 40
GOOD_S = 1.0  # without a fault before the arm is believed again
_OPEN = 0.25  # of a range: a squeeze has ended


def scale_of(name: str, pin: PinSpec, lead: Lead) -> TickScale:
    """Return what makes a value of a joint's position: degrees from the middle of its range, or
    the share of the range.
    """
    low, high = sorted(pin.ticks)
    half = (high - low) / 2 * _DEGREES
    limits = (0.0, 1.0) if name in lead.shares else (-half, half)
    return TickScale(limits, pin.ticks, pin.reversed)


class Plausibility:
    """Notices servos that report what no hand can do."""

    def __init__(self) -> None:
        self._newest: dict[str, tuple[int, float]] = {}

    def doubt(self, positions: Mapping[str, int], now_s: float) -> str:
        """Accept the positions of one turn; return why one of them is not believed, or ""."""
        found = ""
        for name, ticks in positions.items():
            before = self._newest.get(name)
            self._newest[name] = ticks, now_s
            if before is None:
                continue
            way = abs(ticks - before[0])
            if way <= _NOISE_TICKS:
                continue
            elapsed_s = max(0.0, now_s - before[1])
            if way > _NOISE_TICKS + _FASTEST_TICKS_PER_S * min(elapsed_s, 0.1):
                found = found or f"{name} has jumped by {way} positions within {elapsed_s:.3f} s"
        return found

    def forget(self) -> None:
        """Start again: the arm was away."""
        self._newest.clear()


@dataclass(slots=True)
class ArmTrust:
    """Whether the arm is believed: after a fault it has to be sound for a while."""

    fault: str = ""
    bad_s: float = -math.inf

    def saw(self, fault: str, now_s: float) -> None:
        """Accept what is wrong now, or ""."""
        if fault:
            self.fault, self.bad_s = fault, now_s
        elif now_s - self.bad_s >= GOOD_S:
            self.fault = ""


@dataclass(slots=True)
class ClutchState:
    """The clutch of a leader. A fault of the arm opens it."""

    is_closed: bool = False

    def open(self) -> None:
        """Open it: the arm is not believed."""
        self.is_closed = False


@dataclass(slots=True)
class ClutchByButton(ClutchState):
    """A button that is held, or pressed once to close and once to open."""

    is_toggle: bool = False

    def pressed(self) -> None:
        """Accept a press."""
        self.is_closed = not self.is_closed if self.is_toggle else True

    def released(self) -> None:
        """Accept that the button is up again."""
        if not self.is_toggle:
            self.is_closed = False


@dataclass(slots=True)
class ClutchBySqueeze(ClutchState):
    """Two squeezes within a time change it. Gripping an object is one squeeze alone."""

    below: float = 0.1
    within_s: float = 1.0
    _is_squeezed: bool = field(default=True, init=False)  # open it first
    _first_s: float = field(default=-math.inf, init=False)

    def saw(self, share: float, now_s: float) -> None:
        """Accept how far the gripper is open."""
        if self._is_squeezed:
            self._is_squeezed = share < max(_OPEN, 2 * self.below)
        elif share <= self.below:
            self._is_squeezed = True
            if now_s - self._first_s <= self.within_s:
                self.is_closed, self._first_s = not self.is_closed, -math.inf
            else:
                self._first_s = now_s

    def open(self) -> None:
        """Open it, and forget a first squeeze."""
        self.is_closed, self._first_s = False, -math.inf


def clutch_of(lead: Lead) -> ClutchState:
    """Return the clutch of a configuration; one that only requests close stays open."""
    wanted = lead.clutch
    if isinstance(wanted, ButtonClutch):
        return ClutchByButton(is_toggle=wanted.toggle)
    if isinstance(wanted, SqueezeClutch):
        return ClutchBySqueeze(below=wanted.below, within_s=wanted.within_s)
    return ClutchState()
