"""Attitude of the wagon from accelerations and turn rates, and whether the sensor still measures.

Axes: x forward, y left, z up. Pitch is positive with the nose down, yaw to the left.
"""

from math import atan2, sqrt

from ..shared.freshness import Freshness

_DEG = 57.29578
_TIME_CONSTANT_S = 1.0  # how fast the accelerations correct the integrated rates
_TRUST_G = 0.08  # accelerations count while they are gravity alone, so much off at most
_RANGE_DPS = 500.0  # the sensor measures up to 512
_SILENT_MS = 100
_DOUBTFUL_MS = 3000  # accelerations that are never gravity: the sensor is wrong, or we fall


class Attitude:
    """Pitch, roll and rates in degrees. A sample is (ax, ay, az) in g and (gx, gy, gz) in
    degrees per second.
    """

    def __init__(self) -> None:
        self.pitch = 0.0
        self.roll = 0.0
        self.pitch_rate = 0.0
        self.yaw_rate = 0.0
        self._is_known = False
        self._raw = None
        self._last_ms = 0
        self._new = Freshness(_SILENT_MS)
        self._gravity = Freshness(_DOUBTFUL_MS)

    def measured(self, raw, sample: "tuple | None", now_ms: int) -> None:
        """Follow a sample; `raw` is the same as the sensor sent it. A sensor that repeats itself to
        the last bit does not measure: noise alone changes it.
        """
        if sample is None or raw == self._raw or not all(-1e6 < each < 1e6 for each in sample):
            return
        self._raw = raw
        ax, ay, az, gx, gy, gz = sample
        step_s = max(0, min(_SILENT_MS, now_ms - self._last_ms)) / 1000
        self._last_ms = now_ms
        self._new.feed(now_ms)
        self.pitch_rate, self.yaw_rate = gy, gz
        self.pitch += gy * step_s
        self.roll += gx * step_s
        if max(abs(gx), abs(gy), abs(gz)) > _RANGE_DPS:
            self._is_known = False  # it turned faster than was measured: begin again
        if abs(sqrt(ax * ax + ay * ay + az * az) - 1.0) > _TRUST_G:
            return
        share = step_s / (_TIME_CONSTANT_S + step_s) if self._is_known else 1.0
        self._gravity.feed(now_ms)
        self._is_known = True
        self.pitch += share * (atan2(-ax, sqrt(ay * ay + az * az)) * _DEG - self.pitch)
        roll = atan2(ay, az) * _DEG - self.roll
        self.roll += share * ((roll + 180.0) % 360.0 - 180.0)

    @property
    def tilt(self) -> float:
        """Return how far the wagon is from level, over its nose or its side."""
        return max(abs(self.pitch), abs(self.roll))

    def is_good(self, now_ms: int) -> bool:
        """Return whether the angles can be relied on."""
        return self._is_known and self._new.is_fresh(now_ms) and self._gravity.is_fresh(now_ms)


class Calibration:
    """Zero offsets of the turn rates, measured while the wagon stands still."""

    SAMPLES = 200
    _MOST_DPS = 10.0  # a larger offset is a motion
    _MOST_SPREAD_DPS = 1.5

    def __init__(self, offsets: "tuple[float, float, float]" = (0.0, 0.0, 0.0)) -> None:
        self.offsets = offsets
        self._rates: list | None = None

    @property
    def is_running(self) -> bool:
        """Return whether it measures."""
        return self._rates is not None

    def start(self) -> None:
        """Measure from the next sample on."""
        self._rates = []

    def cancel(self) -> None:
        """Keep the offsets there are."""
        self._rates = None

    def corrected(self, sample: "tuple | None") -> "tuple | None":
        """Return the sample without the offsets."""
        if sample is None:
            return None
        if self._rates is not None:
            self._rates.append(sample[3:])
        return sample[:3] + tuple(each - off for each, off in zip(sample[3:], self.offsets))

    def result(self) -> "str | None":
        """Return the outcome once there are enough samples: "ok", or why not; else None."""
        rates = self._rates
        if rates is None or len(rates) < self.SAMPLES:
            return None
        self._rates = None
        columns = [[each[n] for each in rates] for n in range(3)]
        means = [sum(column) / len(column) for column in columns]
        if max(max(column) - min(column) for column in columns) > self._MOST_SPREAD_DPS:
            return "the wagon moved"
        if max(abs(each) for each in means) > self._MOST_DPS:
            return "the offset is too large"
        self.offsets = (means[0], means[1], means[2])
        return "ok"
