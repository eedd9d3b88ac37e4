"""Converts a field's unit (degrees, ratio) to the length of a servo's pulse: the lower limit is the
first pulse width of the manifest, the upper limit the second; values are clamped.
"""

from ...limits import clamp


class ServoScale:
    """Linear scale of one joint."""

    __slots__ = ("_first_us", "_high", "_last_us", "_low")

    def __init__(
        self, limits: tuple[float, float], pulse_us: tuple[int, int], is_reversed: bool = False
    ) -> None:
        self._low, self._high = limits
        self._first_us, self._last_us = pulse_us[::-1] if is_reversed else pulse_us

    def pulse_us(self, value: float) -> float:
        """Return the pulse of a value, which is clamped. NaN raises ValueError."""
        share = (clamp(value, self._low, self._high) - self._low) / (self._high - self._low)
        return self._first_us + share * (self._last_us - self._first_us)

    def value(self, pulse_us: float) -> float:
        """Return the value of a pulse, e.g. of one found on the pin at start."""
        share = (pulse_us - self._first_us) / (self._last_us - self._first_us)
        return clamp(self._low + share * (self._high - self._low), self._low, self._high)
