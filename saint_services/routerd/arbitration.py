"""Who is in control of a field, and what of the rivals counts. A claim is what one route asks of
one field for one source.

The highest priority among the claims that may drive; with equal priorities the one that is in
control keeps it. Who was lost and comes back must be steady before it takes a field from another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import TYPE_CHECKING

from ..lib.limits import clamp
from .mapping import Shape
from .outputs import NEVER, Output
from .sources import SAFETY

if TYPE_CHECKING:
    from .sources import Stream
    from .targets import Modifier

# Index of the input, mapping, the claim that it alone feeds.
Step = tuple[int, Shape, "Claim"]
# Index of the input, is it on, name of the route.
Stop = tuple[int, Callable[[float], bool], str]
Evaluation = Callable[[Sequence[float]], float]


@dataclass(slots=True, eq=False)
class Plan:
    """How the values of one stream feed one claim."""

    claim: Claim
    inputs: tuple[tuple[int, int], ...]  # (part, index of the input)
    evaluate: Evaluation  # within the limits
    asked: Evaluation  # without any bound
    modifiers: tuple[tuple[Modifier, int], ...] = ()  # with the index of their input


@dataclass(slots=True, eq=False)
class Claim:
    """What a route asks of a field with the newest sample of one source."""

    route: str
    source: str
    output: Output
    is_safety: bool  # of its source; the priority may make it so as well
    priority: int = 0
    weight: float = 0.0
    timeout_s: float = 0.0
    order: int = 0  # of the route in the file: decides between newcomers of equal priority
    move: float = 0.0  # an input has to change by more than this to count as moved
    stream: Stream | None = None  # whose samples keep it alive
    plan: Plan | None = None  # that stream's
    inputs: list[str] = field(default_factory=list)
    is_armed: bool = True  # false: its input must be moved first
    is_locked: bool = False  # another source has the target for itself
    steady_at: float = NEVER  # it came back; from then on it may take the field from another
    reference: list[float | None] = field(default_factory=list)  # inputs to move away from

    @property
    def value(self) -> float:
        """What it asks for now. Worked out when needed: most claims of most samples lose."""
        if self.stream is None or self.plan is None:
            return self.output.rest
        return self.plan.evaluate(self.stream.values)

    @property
    def asked(self) -> float:
        """The same without any limit."""
        if self.stream is None or self.plan is None:
            return self.output.rest
        return self.plan.asked(self.stream.values)

    def with_inputs(self, values: Mapping[str, float]) -> float | None:
        """What it would ask with these inputs; None when one that it needs is not among them."""
        if self.stream is None or self.plan is None:
            return None
        names = self.stream.names
        if any(names[index] not in values for _, index in self.plan.inputs):
            return None
        return self.plan.evaluate([values.get(name, nan) for name in names])

    @property
    def pace(self) -> float:
        """The share of the field's top rate that it asks for."""
        for modifier, value in self.modifiers:
            if modifier.is_pace:
                return value
        return 1.0

    @property
    def modifiers(self) -> list[tuple[Modifier, float]]:
        """What else it says about the command, within limits."""
        if self.stream is None or self.plan is None or not self.plan.modifiers:
            return []
        values = self.stream.values
        return [
            (modifier, clamp(values[index], modifier.low, modifier.high))
            for modifier, index in self.plan.modifiers
        ]

    @property
    def overrides(self) -> bool:
        """Of class safety: never locked out, never mixed."""
        return self.is_safety or self.priority >= SAFETY

    @property
    def deadline(self) -> float:
        return NEVER if self.stream is None else self.stream.received + self.timeout_s

    def is_live(self, now: float) -> bool:
        return self.deadline > now

    def may_drive(self, now: float) -> bool:
        return self.is_armed and not self.is_locked and self.deadline > now


def choose(output: Output, now: float) -> Claim | None:
    """The claim that ought to be in control."""
    best = output.winner
    if best is not None and not best.may_drive(now):
        best = None
    for claim in output.claims:
        if claim.may_drive(now) and not is_barred(claim) and _beats(claim, best, now):
            best = claim
    return best


def _beats(claim: Claim, best: Claim | None, now: float) -> bool:
    if best is None:
        return True
    is_steady = claim.steady_at <= now
    was_steady = best.steady_at <= now or best is best.output.winner
    if is_steady != was_steady:
        return is_steady
    return claim.priority > best.priority


def contributors(output: Output, winner: Claim, now: float) -> tuple[Claim, ...]:
    """Whose values are mixed: all that may drive, or one of class safety alone."""
    if winner.overrides:
        return (winner,)
    return tuple(
        claim
        for claim in output.claims
        if claim is winner
        or (claim.may_drive(now) and not is_barred(claim) and claim.steady_at <= now)
    )


def is_barred(claim: Claim) -> bool:
    """Does a source whose signal is lost keep the field from this claim?"""
    output = claim.output
    return claim.priority <= output.bar and claim is not output.keeper


def mixed(output: Output, is_sum: bool) -> float:
    """The value of the members together."""
    members = output.members or ()
    if is_sum:
        return clamp(sum(claim.value for claim in members), output.low, output.high)
    total = sum(claim.weight for claim in members)
    if total <= 0.0:  # all weights are 0: equal ones
        return clamp(sum(claim.value for claim in members) / len(members), output.low, output.high)
    value = sum(claim.value * (claim.weight / total) for claim in members)
    return clamp(value, output.low, output.high)


def disarm(claim: Claim, inputs: list[float | None]) -> None:
    """From now on the claim counts only when an input has moved away from `inputs`."""
    claim.is_armed = False
    claim.reference = inputs


def has_moved(claim: Claim, part: int, value: float) -> bool:
    """Arm the claim if this input was moved. The first value seen is where it stands."""
    reference = claim.reference[part]
    if reference is None:
        claim.reference[part] = value
        return False
    claim.is_armed = abs(value - reference) > claim.move
    return claim.is_armed
