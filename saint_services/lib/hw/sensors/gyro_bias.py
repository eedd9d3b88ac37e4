"""Measures a gyroscope's bias at rest, to be subtracted. Pure.

A gyroscope that is off by 1 deg/s turns a robot's heading by a right angle in 90 s. The bias is
learnt once, from the first second in which nothing moved.
"""

from ..ports import Vector

_SAMPLES = 100
# At rest, noise is below 0.01 rad/s; a robot that is carried is far above.
_STILL_RADS = 0.05
_MOST_RADS = 0.35  # InvenSense PS-MPU-6000A-00 rev 3.4, 6.1: zero-rate output +-20 deg/s


class GyroBias:
    """Learns the bias from samples."""

    __slots__ = ("_count", "_high", "_low", "_sum", "is_known", "value")

    def __init__(self) -> None:
        self.is_known = False
        self.value: Vector = (0.0, 0.0, 0.0)
        self._begin()

    def learn(self, rates: Vector) -> None:
        """Account for one sample, as measured."""
        if self.is_known:
            return
        for axis, rate in enumerate(rates):
            self._low[axis] = min(self._low[axis], rate)
            self._high[axis] = max(self._high[axis], rate)
            self._sum[axis] += rate
        self._count += 1
        spans = zip(self._low, self._high, strict=True)
        if any(high - low > _STILL_RADS or max(high, -low) > _MOST_RADS for low, high in spans):
            self._begin()
        elif self._count == _SAMPLES:
            x, y, z = (total / _SAMPLES for total in self._sum)
            self.value, self.is_known = (x, y, z), True

    def _begin(self) -> None:
        self._count = 0
        self._sum = [0.0] * 3
        self._low, self._high = [float("inf")] * 3, [float("-inf")] * 3
