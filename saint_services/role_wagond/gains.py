"""Decides whether gains of the balance controller may be set: within their range, and while the
wagon is armed in small steps only. Pure.
"""

import struct
from dataclasses import dataclass
from math import isfinite

from saint_services.lib.wagon.can_frames import WagonGains
from saint_services.lib.wagon.meanings import GAIN_MOST, GAIN_STEP_LEAST, GAIN_STEP_SHARE

PAUSE_S = 1.0  # between two steps while the wagon is armed
_NAMES = ("kp", "ki", "kd")


@dataclass(slots=True)
class GainSteps:
    """The gains as last set since the start of this role; the board does not report its own."""

    last: WagonGains | None = None
    _set_s: float = 0.0

    def refusal(self, wanted: WagonGains, now_s: float, *, is_armed: bool) -> str:
        """Return why gains are not set, or ""."""
        for name in _NAMES:
            value = getattr(wanted, name)
            if not isfinite(value) or not 0.0 <= value <= GAIN_MOST:
                return f"{name} is {value:g}; it must be 0 to {GAIN_MOST:g}"
        return self._large_step(wanted, now_s) if is_armed else ""

    def _large_step(self, wanted: WagonGains, now_s: float) -> str:
        if self.last is None:
            return "the present gains are not known; set them once while the wagon is disarmed"
        if now_s - self._set_s < PAUSE_S:
            return f"gains were changed just now; wait {PAUSE_S:g} s between two steps"
        for name in _NAMES:
            before, value = getattr(self.last, name), getattr(wanted, name)
            step = max(abs(before) * GAIN_STEP_SHARE, GAIN_STEP_LEAST)
            if abs(value - before) > step + _rounding(before):
                return (
                    f"{name} would go from {before:g} to {value:g}; while the wagon is armed a "
                    f"step is {step:g} at most"
                )
        return ""

    def accept(self, gains: WagonGains, now_s: float) -> None:
        """Record gains that were sent, as half floats carry them."""
        self.last = WagonGains(*(_carried(getattr(gains, name)) for name in _NAMES))
        self._set_s = now_s


def _carried(value: float) -> float:
    return float(struct.unpack("<e", struct.pack("<e", value))[0])


def _rounding(value: float) -> float:
    """Return what a half float may be off by."""
    return abs(value) * 2.0**-11
