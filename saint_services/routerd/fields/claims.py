"""What stands between a sample and a motor: the stream that the sample belongs to, the plans that
it feeds, the claims that these make, the output that is claimed. A claim is what one route asks of
one field for one source. These records know each other both ways: a sample asks which fields it
drives, a field asks who drives it. Not here: who wins (arbitration.py), how an output moves
(motion.py), how a plan is made (plan.py).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Final, Literal

from ...lib.limits import clamp
from ..inputs.source_classes import SAFETY
from ..routes.mapping import Shape
from .modifiers import Modifier

NEVER: Final = float("-inf")
FOREVER: Final = float("inf")
NO_BAR: Final = NEVER  # below every priority

Policy = Literal["live", "hold", "ramp_to_zero", "neutral", "park", "estop"]
LossPolicy = Literal["hold", "ramp_to_zero", "neutral", "park"]

# Index of the input, mapping, the claim that it alone feeds.
Step = tuple[int, Shape, "Claim"]
# Index of the input, is it on, name of the route.
Stop = tuple[int, Callable[[float], bool], str]
Evaluation = Callable[[Sequence[float]], float]


@dataclass(slots=True, eq=False)
class Stream:
    """The samples of one source with the same target and names."""

    source: str
    target: str
    names: tuple[str, ...]
    values: tuple[float, ...] = ()
    received: float = NEVER
    steps: tuple[Step, ...] = ()  # claims that one input feeds
    sums: tuple[Plan, ...] = ()  # claims that several inputs feed
    plans: tuple[Plan, ...] = ()  # all of them
    paced: tuple[Plan, ...] = ()  # those that hold modifiers
    stops: tuple[Stop, ...] = ()
    patience_s: float = 0.0  # shortest time-out of its claims
    unknown: int = 0  # names that no passthrough route knows

    @property
    def claims(self) -> Iterable[Claim]:
        return (plan.claim for plan in self.plans)


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
    inputs: list[str] = dataclasses.field(default_factory=list)
    is_direct: bool = False  # fed by commands that name the field themselves
    is_armed: bool = True  # false: its input must be moved first
    is_locked: bool = False  # another source has the target for itself
    steady_at: float = NEVER  # it came back; from then on it may take the field from another
    # Where its inputs stood: they have to be moved away from there.
    reference: list[float | None] = dataclasses.field(default_factory=list)

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


@dataclass(slots=True, eq=False)
class Output:
    """A field's limits (from the role manifest) and its present state."""

    target: str
    field: str
    unit: str
    is_velocity: bool
    low: float
    high: float
    max_rate: float  # unit per second
    on_loss: LossPolicy
    neutral: float
    command: int  # which command message carries it
    park: float = 0.0
    rate: float = 0.0  # of `max_rate`, what the one in control asks for
    value: float | None = None  # None: a position that nobody has commanded yet
    want: float = 0.0  # what the winner or the policy asks for
    at: float = NEVER  # when `value` was last advanced
    is_driven: bool = False  # part of the commands; else the joint is left as it is
    is_moving: bool = False  # `value` is not yet what is wanted
    policy: Policy = "hold"
    winner: Claim | None = None
    members: tuple[Claim, ...] | None = None  # who is mixed; None: the winner drives alone
    bar: float = NO_BAR  # a lost source keeps the field from priorities up to this
    keeper: Claim | None = None  # its claim
    kept_until: float = NEVER
    review_at: float = FOREVER  # somebody who came back will be steady then
    changed_at: float = NEVER
    fade_s: float = 0.0  # 0: no cross-fade under way
    fade_at: float = 0.0
    fade_from: float = 0.0
    ramp_from: float = 0.0
    ramp_at: float = 0.0
    claims: list[Claim] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.neutral = clamp(self.neutral, self.low, self.high)
        self.park = clamp(self.park, self.low, self.high)
        self.rate = self.max_rate
        if self.is_velocity:
            self.value = self.rest

    @property
    def name(self) -> str:
        return f"{self.target}.{self.field}"

    @property
    def drivers(self) -> tuple[Claim, ...]:
        """Whoever is in control: one, or all that are mixed."""
        return self.members or ((self.winner,) if self.winner is not None else ())

    @property
    def rest(self) -> float:
        """Standing still; for a position its neutral."""
        return clamp(0.0, self.low, self.high) if self.is_velocity else self.neutral
