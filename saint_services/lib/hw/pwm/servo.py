"""Converts a field's unit (degrees, ratio) to the length of a servo's pulse: the lower limit is the
first pulse width of the manifest, the upper limit the second; values are clamped. With a centre
each side has its own slope.
"""

from ...limits import clamp


class ServoScale:
    """Scale of one joint: linear, or of two slopes that meet in the centre."""

    __slots__ = ("_places", "_pulses_us")

    def __init__(
        self,
        limits: tuple[float, float],
        pulse_us: tuple[int, int],
        is_reversed: bool = False,
        centre_us: int | None = None,
    ) -> None:
        low, high = limits
        first_us, last_us = pulse_us[::-1] if is_reversed else pulse_us
        middle = centre_of(limits)
        straight_us = first_us + (middle - low) / (high - low) * (last_us - first_us)
        self._places = low, middle, high
        self._pulses_us = first_us, straight_us if centre_us is None else centre_us, last_us

    def pulse_us(self, value: float) -> float:
        """Return the pulse of a value, which is clamped. NaN raises ValueError."""
        low, middle, high = self._places
        first_us, centre_us, last_us = self._pulses_us
        value = clamp(value, low, high)
        if value < middle:
            return first_us + (value - low) / (middle - low) * (centre_us - first_us)
        return centre_us + (value - middle) / (high - middle) * (last_us - centre_us)

    def value(self, pulse_us: float) -> float:
        """Return the value of a pulse, e.g. of one found on the pin at start."""
        low, middle, high = self._places
        first_us, centre_us, last_us = self._pulses_us
        if (pulse_us < centre_us) == (first_us < centre_us):
            share = (pulse_us - first_us) / (centre_us - first_us)
            return clamp(low + share * (middle - low), low, high)
        share = (pulse_us - centre_us) / (last_us - centre_us)
        return clamp(middle + share * (high - middle), low, high)


def centre_of(limits: tuple[float, float]) -> float:
    """Return the value of a servo's centre: 0 between the limits, else their middle."""
    low, high = limits
    return 0.0 if low < 0.0 < high else (low + high) / 2.0
