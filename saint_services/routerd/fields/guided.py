"""A claim with filters, conditions or a combination other than the sum: its value depends on the
samples before and on other inputs. Mappings without these never come here (routes/mapping.py).
Pure: the time is that of the sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...lib.limits import clamp
from ..routes.conditions import ConditionGate
from ..routes.filters import OneEuro, ValueFilter
from ..routes.mapping import Line, Shape
from .combining import combined, held_back
from .motion import FOREVER, NEVER
from .sample_clock import SpeedWeight

SETTLED = 1e-5  # of the field's range: a filter that is so near is there


@dataclass(slots=True, eq=False)
class GuidedTerm:
    """One mapping of the claim."""

    index: int  # of the input
    shape: Shape
    free: Shape  # without bounds
    filters: tuple[ValueFilter, ...] = ()
    gates: tuple[ConditionGate, ...] = ()
    wanted: float = 0.0  # before the filters
    value: float = 0.0
    is_running: bool = False  # false: the filters start with the next sample
    line: Line | None = None  # that the shape is, if it is a straight one

    def stand_at(self, value: float) -> None:
        """Go on from this value."""
        self.value = value
        for each in self.filters:
            each.stand_at(value)

    @property
    def deadline(self) -> float:
        """Until when its conditions hold."""
        return min((gate.deadline for gate in self.gates), default=FOREVER)


# A one-euro filter behind a straight mapping: index of the input; gain, offset and bounds; lowest
# cut-off, its slope; how near it settles, both ways. One row of memory (guided_samples.py).
EuroLine = tuple[
    GuidedTerm, OneEuro, SpeedWeight, int,
    float, float, float, float, float, float, float, float,
]  # fmt: skip


@dataclass(slots=True, eq=False)
class Guide:
    """Evaluates the claim. Its filters start again whenever the claim gets control, and after a
    pause of `patience_s`.
    """

    terms: tuple[GuidedTerm, ...]
    low: float
    high: float
    rest: float
    is_velocity: bool
    combine: str
    patience_s: float = FOREVER
    at: float = NEVER  # of the newest sample
    start_at: float | None = None  # where the output stands, for filters that start
    has_conditions: bool = False
    only: GuidedTerm | None = None  # the single term of a claim without conditions
    settled: float = 0.0

    def __post_init__(self) -> None:
        self.has_conditions = any(term.gates for term in self.terms)
        if len(self.terms) == 1 and not self.has_conditions:
            self.only = self.terms[0]
        self.settled = SETTLED * (self.high - self.low)

    @property
    def deadline(self) -> float:
        """Until when a mapping counts; NEVER: none does."""
        return max([term.deadline for term in self.terms]) if self.has_conditions else FOREVER

    def unmet(self, now: float) -> list[ConditionGate]:
        """Return the conditions that do not hold."""
        return [gate for term in self.terms for gate in term.gates if gate.deadline <= now]

    def restart(self, value: float | None) -> None:
        """Forget all samples; start at this value of the output, None: at what is requested."""
        self.at = NEVER
        self.start_at = value if len(self.terms) == 1 else None

    def value(self, values: Sequence[float], at: float) -> float:
        """Return the value after this sample, which may be evaluated again."""
        if at != self.at:
            elapsed = at - self.at
            is_pause = not 0.0 <= elapsed < self.patience_s
            self.at = at
            for term in self.terms:
                if is_pause or (term.gates and term.deadline <= at):
                    term.is_running = False
                self._run(term, values[term.index], elapsed)
            self.start_at = None
        if self.only is not None:
            y = self.only.value
            return self.low if y < self.low else self.high if y > self.high else y
        return self._total([(t.value, t.wanted) for t in self.terms if t.deadline > at])

    def _run(self, term: GuidedTerm, x: float, elapsed: float) -> None:
        wanted = y = term.wanted = term.shape(x)
        if not term.is_running:
            self._start(term, wanted)
            return
        for each in term.filters:
            y = each.run(y, elapsed)
        gap = wanted - y
        if gap == 0.0:
            term.value = wanted
        elif -self.settled <= gap <= self.settled:
            term.stand_at(wanted)
        elif self.is_velocity and y != (held := held_back(y, wanted, self.rest)):
            term.stand_at(held)
        else:
            term.value = y

    def _start(self, term: GuidedTerm, wanted: float) -> None:
        """Let the filters start where the output stands."""
        y = wanted if self.start_at is None or not term.filters else self.start_at
        if self.is_velocity:
            y = held_back(y, wanted, self.rest)
        term.is_running, term.value = True, y
        for each in term.filters:
            each.start(y)

    def _total(self, pairs: Sequence[tuple[float, float]]) -> float:
        """Combine pairs of a filtered value and the one before the filters."""
        value = combined(self.combine, [value for value, _ in pairs], self.rest)
        value = clamp(value, self.low, self.high)
        if not self.is_velocity:
            return value
        wanted = combined(self.combine, [wanted for _, wanted in pairs], self.rest)
        return held_back(value, clamp(wanted, self.low, self.high), self.rest)

    def raw(self, values: Sequence[float]) -> float:
        """Return the value without filters."""
        given = [term.shape(values[term.index]) for term in self.terms if term.deadline > NEVER]
        return clamp(combined(self.combine, given, self.rest), self.low, self.high)

    def unbounded(self, values: Sequence[float]) -> float:
        """Return the value without filters and bounds."""
        given = [term.free(values[term.index]) for term in self.terms if term.deadline > NEVER]
        return combined(self.combine, given, self.rest)
