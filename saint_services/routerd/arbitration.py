"""Who is in control of a field: the highest priority among the live claims; with equal priorities
the one that has it keeps it. A claim is what one route asks of one field for one source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .mapping import Shape
from .outputs import Output

if TYPE_CHECKING:
    from .sources import Stream

# Index of the input, mapping, the claim that it feeds, and as which of the claim's parts
# (-1: it is the only one).
Step = tuple[int, Shape, "Claim", int]
# Index of the input, is it on, name of the route.
Stop = tuple[int, Callable[[float], bool], str]


@dataclass(slots=True, eq=False)
class Claim:
    """What a route asks of a field with the newest sample of one source."""

    route: str
    source: str
    output: Output
    priority: int
    timeout_s: float
    order: int  # of the route in the file: decides between newcomers of equal priority
    move: float  # an input has to change by more than this to count as moved
    stream: Stream | None = None  # whose samples keep it alive
    value: float = 0.0
    parts: list[float] = field(default_factory=list)  # several mappings to one field add up
    asks: list[Shape] = field(default_factory=list)  # the same mappings without bounds
    inputs: list[str] = field(default_factory=list)  # their names
    is_armed: bool = True  # false: its input must be moved first
    reference: list[float | None] = field(default_factory=list)  # inputs to move away from

    @property
    def deadline(self) -> float:
        return float("-inf") if self.stream is None else self.stream.received + self.timeout_s

    def is_live(self, now: float) -> bool:
        return self.deadline > now

    def may_drive(self, now: float) -> bool:
        return self.is_armed and self.deadline > now


def choose(output: Output, now: float) -> Claim | None:
    """The claim that ought to be in control."""
    best = output.winner
    if best is not None and not best.may_drive(now):
        best = None
    for claim in output.claims:
        if claim.may_drive(now) and (best is None or claim.priority > best.priority):
            best = claim
    return best


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
