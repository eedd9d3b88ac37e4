"""Measures how a subject's values move: robust ranges and the noise from frame to frame. The frames
of a measurement are held in memory, so their number is bounded. Not here: requests (control.py).
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from ..lib.api.measurement import MeasuredValue, Measurement

MOST = 4  # measurements at a time
MOST_FRAMES = 2000  # 8 s of 240 frames a second
FASTEST_HZ = 1000.0  # a stream that floods is no faster for the filters
OUTLIERS = 0.05  # share of the frames above and below a range
# The median of |a - b| of two equal normal distributions is 0.6745 * sqrt(2) deviations.
_TO_DEVIATION = 1.0483


@dataclass(slots=True, eq=False)
class RunningMeasurement:
    """The frames of one subject since the start."""

    subject: str
    frames: list[tuple[tuple[str, ...], tuple[float, ...]]] = field(default_factory=list)

    def take(self, names: tuple[str, ...], values: tuple[float, ...]) -> None:
        """Add a frame; one without values had no face."""
        is_repeated = bool(values and self.frames) and self.frames[-1] == (names, values)
        if not is_repeated and len(self.frames) < MOST_FRAMES:
            self.frames.append((names, values))

    def result(self, seconds: float, wanted: Collection[str] = ()) -> Measurement:
        """Return what was measured. Only frames with the names of the last one count as tracked."""
        tracked = [frame for frame in self.frames if frame[1]]
        names = tracked[-1][0] if tracked else ()
        rows = [values for given, values in tracked if given == names]
        series = zip(names, zip(*rows, strict=True), strict=True)
        found = {name: measured(each) for name, each in series if not wanted or name in wanted}
        rate_hz = min(round(len(self.frames) / seconds, 1), FASTEST_HZ)
        return Measurement(
            frames=len(self.frames), tracked=len(rows), rate_hz=rate_hz, values=found
        )


def measured(series: Sequence[float]) -> MeasuredValue:
    """Return range and noise of one value; the series has at least one element."""
    ordered = sorted(series)
    low, high = (percentile(ordered, share) for share in (OUTLIERS, 1.0 - OUTLIERS))
    return MeasuredValue(low=low, middle=median(ordered), high=high, noise=noise(series))


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which this share lies, between two neighbours in proportion."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def noise(series: Iterable[float]) -> float:
    """Return the standard deviation of white noise on the series. Differences of neighbours leave
    slow movements out, their median leaves quick ones out, as a blink.
    """
    steps = [abs(after - before) for before, after in pairwise(series)]
    return _TO_DEVIATION * median(steps) if steps else 0.0
