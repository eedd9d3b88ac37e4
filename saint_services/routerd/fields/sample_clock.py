"""The time between the samples of one stream, and what follows from it for all one-euro filters of
the stream: computed once a sample instead of once a value. Pure.
"""

from dataclasses import dataclass, field

from ..routes.filters import TURN
from .motion import FOREVER, NEVER


@dataclass(slots=True, eq=False)
class SpeedWeight:
    """How far the measured speed of filters with this cut-off moves with one sample."""

    hz: float
    share: float = 0.0


@dataclass(slots=True, eq=False)
class SampleClock:
    """Ticks with each sample. `before` is the time of the sample before, for those who have
    received that one; NEVER equals no time of a sample."""

    patience_s: float = FOREVER  # the shortest one of its readers
    before: float | None = None  # None: the first sample, or one after a pause
    at: float = NEVER
    elapsed: float = 0.0
    turn_s: float = 0.0
    weights: list[SpeedWeight] = field(default_factory=list)

    def weight(self, hz: float) -> SpeedWeight:
        """Return the weight for this cut-off, shared by all filters that have it."""
        for each in self.weights:
            if each.hz == hz:
                return each
        self.weights.append(SpeedWeight(hz))
        return self.weights[-1]

    def tick(self, at: float) -> None:
        """Take the time of the next sample."""
        elapsed = at - self.at
        self.before = self.at if 0.0 < elapsed < self.patience_s else None
        self.at = at
        if self.before is None:
            return
        self.elapsed = elapsed
        self.turn_s = turn_s = TURN * elapsed
        for each in self.weights:
            weight = turn_s * each.hz
            each.share = weight / (1.0 + weight)
